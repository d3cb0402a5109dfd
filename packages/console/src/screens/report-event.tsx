import { createHash, randomUUID } from 'node:crypto';
import { NO_REPLACEMENT, OF_THE_NETWORK, type Operations, type WireOf } from '@credit/contract';
import { notFound } from '@credit/platform/errors';
import { DefaultSeverity, EventType } from '@credit/proto/reporting/v1/types';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  count,
  Field,
  Form,
  Notice,
  Select,
  Submit,
  Table,
  Time,
} from '../components';
import type { Content, Page, View } from '../page';
import {
  ACCOUNTS,
  type Account,
  amountTyped,
  choicesOf,
  type Event,
  eventName,
  momentTyped,
  Standing,
} from '../record';
import { type Screen, withPermission } from '../screen';
import { comparedFacts, isOfOpening, TermFields, termLabels, termsOf } from '../terms';
import { EventFacts, Happened } from '../timeline';
import { words } from '../words';

type Preview = WireOf<Operations['previewEvent']>;

/** What corrections put in an event's place; an opening has terms of its own. */
const NOT_REPORTED = ['ACCOUNT_OPENED', 'CORRECTION', ...OF_THE_NETWORK];

/**
 * Reports an event, or corrects one: first it is tried, and only what was tried can be recorded. The
 * key is made with the form, so that sending it twice records once.
 */
export const reportEventScreen: Screen = {
  path: `${ACCOUNTS}/:account_id/report`,
  isFor: withPermission('records.write'),
  by_environment: true,
  show: async (page) => formPage(page, await subjectOf(page)),
  submit: async (page) => {
    const { form } = page;
    const about = await subjectOf(page);
    const params = { account_id: about.account.id };
    const body = bodyOf(page, about.corrected);
    const tried = digestOf(body);
    const records = form.text('act') === 'record' && form.text('tried') === tried;
    if (records) {
      const idempotency_key = form.text('key');
      const outcome = await attempt(() =>
        page.call('reportEvent', { params, body, idempotency_key }),
      );
      if ('faults' in outcome) return formPage(page, about, { faults: outcome.faults });
      const done = about.corrected === undefined ? 'reported' : 'corrected';
      return { location: page.href(`${ACCOUNTS}/${params.account_id}`, { done }) };
    }
    const outcome = await attempt(() => page.call('previewEvent', { params, body }));
    if ('faults' in outcome) return formPage(page, about, { faults: outcome.faults });
    const changed = form.text('act') === 'record';
    return formPage(page, about, { preview: outcome.done.value, tried, changed });
  },
};

interface About {
  readonly account: Account;
  /** Undefined when an event is reported that corrects none. */
  readonly corrected: Event | undefined;
}

/** The account, and the event on it that the page is to correct. */
async function subjectOf(page: Page): Promise<About> {
  const params = { account_id: page.param('account_id') };
  const corrects = page.query('corrects');
  const [{ value: account }, events] = await Promise.all([
    page.call('getAccount', { params }),
    corrects === undefined
      ? undefined
      : page.call('listAccountEvents', {
          params,
          // More than the account's page shows: what is recorded meanwhile moves it down the list.
          query: { limit: '100', cursor: page.query('cursor') },
        }),
  ]);
  if (events === undefined) return { account, corrected: undefined };
  const corrected = events.value.find(({ id }) => id === corrects);
  if (corrected === undefined) {
    throw notFound('The event is not on that page of the account.', 'UNKNOWN_ID');
  }
  return { account, corrected };
}

function bodyOf({ form }: Page, corrected: Event | undefined): object {
  const shared = {
    amount: amountTyped(form.given('amount')),
    balance_after: amountTyped(form.given('balance_after')),
    default_severity: form.given('default_severity'),
    source_reference: form.given('source_reference'),
    certification: form.given('certification'),
  };
  if (corrected === undefined) {
    return {
      event_type: form.given('event_type'),
      occurred_at: momentTyped(form.given('occurred_at')),
      ...shared,
    };
  }
  const correction = {
    event_type: 'CORRECTION',
    occurred_at: form.given('occurred_at'),
    supersedes_event_id: corrected.id,
    correction_reason: form.given('correction_reason'),
    source_reference: shared.source_reference,
    certification: shared.certification,
  };
  const replaces = form.text('way') === 'replace';
  if (isOfOpening(corrected)) {
    if (!replaces) return correction;
    return { ...correction, balance_after: shared.balance_after, corrected_account: termsOf(form) };
  }
  if (!replaces) return { ...correction, balance_after: shared.balance_after };
  return {
    ...correction,
    ...shared,
    corrected_event_type: form.given('corrected_event_type'),
    corrected_occurred_at: momentTyped(form.given('corrected_occurred_at')),
  };
}

/** Of what was tried: a form that says something else is tried first. */
function digestOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url');
}

const LABELS = {
  event_type: 'What happened',
  occurred_at: 'When',
  correction_reason: 'What was wrong',
  corrected_event_type: 'What happened',
  corrected_occurred_at: 'When it happened',
  balance_after: 'Balance after it',
  ...termLabels(''),
};

/** Which field a refusal is about that names none. */
const REFUSALS: Readonly<Record<string, string>> = {
  SOURCE_REFERENCE_TAKEN: 'source_reference',
  REINSERTION: 'certification',
};

function besideFields(faults: Faults | undefined, corrected: Event | undefined) {
  if (faults === undefined) return undefined;
  const { error, by_field } = faults;
  const type_field = corrected === undefined ? 'event_type' : 'corrected_event_type';
  const field = error.reason === 'TRANSITION_NOT_ALLOWED' ? type_field : REFUSALS[error.reason];
  if (field === undefined) return faults;
  const possible = (error.allowed_event_types ?? []).map(words).join(', ');
  const said =
    error.reason === 'TRANSITION_NOT_ALLOWED'
      ? `is not possible here${possible === '' ? '' : `; possible is: ${possible}`}`
      : error.reason === 'REINSERTION'
        ? 'is needed: a dispute took this off the record'
        : 'was used for another event';
  return { ...faults, by_field: new Map([...by_field, [field, said]]) };
}

interface Come {
  readonly faults?: Faults;
  readonly preview?: Preview;
  readonly tried?: string;
  /** What was to be recorded is not what was tried. */
  readonly changed?: boolean;
}

function formPage(page: Page, { account, corrected }: About, come: Come = {}): View {
  const { form } = page;
  const { preview, tried, changed } = come;
  const faults = besideFields(come.faults, corrected);
  const back = `${ACCOUNTS}/${account.id}`;
  // Sent again after a refusal, a form has the key that it had: nothing was done with it.
  const key = form.given('key') ?? randomUUID();
  return {
    title:
      corrected === undefined
        ? `Report an event on ${account.external_account_id}`
        : `Correct no. ${corrected.sequence} of ${account.external_account_id}`,
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          <a href={page.href(back)}>Back to the account</a>
        </p>
        {corrected !== undefined && (
          <article class="card">
            <h2>On record</h2>
            <p>
              <strong>{eventName(corrected)}</strong>{' '}
              <span class="soft">
                <Happened of={corrected} />, recorded <Time at={corrected.reported_at} />
              </span>
            </p>
            <EventFacts of={corrected} currency={account.currency} />
          </article>
        )}
        {changed && (
          <Notice live>
            <p>
              <strong>Not recorded yet:</strong> it was changed after it was tried. This is what it
              would do now.
            </p>
          </Notice>
        )}
        {preview && <WhatItWouldDo of={preview} corrected={corrected} />}
        <Form page={page} faults={faults} labels={LABELS}>
          <input type="hidden" name="key" value={key} />
          {tried !== undefined && <input type="hidden" name="tried" value={tried} />}
          {corrected === undefined ? (
            <ReportFields page={page} account={account} faults={faults} />
          ) : (
            <CorrectionFields page={page} account={account} corrected={corrected} faults={faults} />
          )}
          <div class="row">
            {preview === undefined ? (
              <Submit name="act" value="try">
                Show what it would do
              </Submit>
            ) : (
              <>
                <Submit name="act" value="record">
                  {corrected === undefined ? 'Record the event' : 'Record the correction'}
                </Submit>
                <Submit quiet name="act" value="try">
                  Show again
                </Submit>
              </>
            )}
          </div>
        </Form>
      </>
    ),
  };
}

interface FieldsProps {
  readonly page: Page;
  readonly account: Account;
  readonly faults: Faults | undefined;
}

const ReportFields = ({ page, account, faults }: FieldsProps) => {
  const { form } = page;
  return (
    <>
      <Select
        name="event_type"
        label="What happened"
        value={form.text('event_type')}
        choices={[
          { value: '', label: 'Choose' },
          ...choicesOf(EventType, NOT_REPORTED).map(withMeaning),
        ]}
        faults={faults}
      />
      <Field
        name="occurred_at"
        label="When, in UTC"
        type="datetime-local"
        value={form.text('occurred_at')}
        faults={faults}
        required
      />
      <Amounts page={page} account={account} faults={faults} />
      <Rest page={page} faults={faults} />
    </>
  );
};

const CorrectionFields = ({
  page,
  account,
  corrected,
  faults,
}: FieldsProps & { corrected: Event }) => {
  const { form } = page;
  const of_opening = isOfOpening(corrected);
  const is_correction = corrected.event_type === 'CORRECTION';
  return (
    <>
      <input
        type="hidden"
        name="occurred_at"
        value={form.given('occurred_at') ?? new Date().toISOString()}
      />
      <Field
        name="correction_reason"
        label="What was wrong"
        hint="It stays on record with the correction."
        value={form.text('correction_reason')}
        faults={faults}
        required
        rows={2}
      />
      <Choices
        type="radio"
        name="way"
        legend="What is right"
        choices={ways(of_opening, is_correction)}
        chosen={[form.given('way') ?? 'void']}
        faults={faults}
      />
      {of_opening ? (
        <TermFields page={page} account={account} faults={faults} path="" />
      ) : (
        <fieldset class="field group">
          <legend>In its place</legend>
          <p class="hint">Leave the first two alone where only the event is to go.</p>
          <Select
            name="corrected_event_type"
            label="What happened"
            value={form.given('corrected_event_type') ?? replacementOf(corrected)}
            choices={choicesOf(EventType, NO_REPLACEMENT).map(withMeaning)}
            faults={faults}
          />
          <Field
            name="corrected_occurred_at"
            label="When it happened, in UTC"
            hint="Empty: at the same time."
            type="datetime-local"
            value={form.text('corrected_occurred_at')}
            faults={faults}
          />
          <Amounts page={page} account={account} faults={faults} corrected={corrected} />
        </fieldset>
      )}
      <Rest page={page} faults={faults} />
    </>
  );
};

function ways(of_opening: boolean, is_correction: boolean) {
  if (is_correction) {
    return [
      { value: 'void', label: 'The correction was wrong', hint: 'What it corrected counts again.' },
      {
        value: 'replace',
        label: of_opening ? 'The terms were others' : 'It happened otherwise',
        hint: 'What you say below takes its place.',
      },
    ];
  }
  return of_opening
    ? [
        {
          value: 'void',
          label: 'The account is not the subject’s, or none at all',
          hint: 'It is taken off the file with everything reported of it.',
        },
        {
          value: 'replace',
          label: 'The terms were others',
          hint: 'Those that you fill in change.',
        },
      ]
    : [
        { value: 'void', label: 'It did not happen', hint: 'The event counts no more.' },
        {
          value: 'replace',
          label: 'It happened otherwise',
          hint: 'What you say below takes its place.',
        },
      ];
}

function replacementOf({ event_type, corrected_event_type }: Event): string {
  return corrected_event_type ?? event_type;
}

const withMeaning = ({ value, label, hint }: { value: string; label: string; hint?: string }) => ({
  value,
  label: hint === undefined ? label : `${label}: ${hint}`,
});

const Amounts = ({ page, account, faults, corrected }: FieldsProps & { corrected?: Event }) => {
  const { form } = page;
  // What is corrected is where one begins; what was sent is what one goes on with.
  const begun = page.request.method === 'GET' ? corrected : undefined;
  return (
    <>
      <Field
        name="amount"
        label={`Amount in ${account.currency}`}
        hint="Of payments, and the new limit of LIMIT_CHANGED. It moves no balance."
        inputmode="decimal"
        value={begun?.amount?.toFixed(2) ?? form.text('amount')}
        faults={faults}
      />
      <Field
        name="balance_after"
        label={`Balance after it in ${account.currency}`}
        hint="This moves the balance; empty, the balance stays as the other events have it."
        inputmode="decimal"
        value={form.text('balance_after')}
        faults={faults}
      />
      <Select
        name="default_severity"
        label="Severity, of a default alone"
        value={begun?.default_severity ?? form.text('default_severity')}
        choices={[{ value: '', label: 'Not said' }, ...choicesOf(DefaultSeverity)]}
        faults={faults}
      />
    </>
  );
};

const Rest = ({ page, faults }: Pick<FieldsProps, 'page' | 'faults'>) => {
  const { form } = page;
  const wrong = ['source_reference', 'certification'].some((name) => faults?.by_field.has(name));
  const filled = form.given('source_reference') ?? form.given('certification');
  return (
    <details class="field" open={wrong || filled !== undefined}>
      <summary>Your reference, and what follows a dispute</summary>
      <Field
        name="source_reference"
        label="Your ledger entry"
        hint="One of its own for each event of the account: a repetition is then found, not recorded twice."
        value={form.text('source_reference')}
        faults={faults}
      />
      <Field
        name="certification"
        label="What you verified, and how"
        hint="Needed where the outcome of a dispute took this off the record. Whoever disputed it is told."
        value={form.text('certification')}
        faults={faults}
        rows={3}
      />
    </details>
  );
};

/** These are shown though they stay as they are. */
const ALWAYS_SHOWN = 3;

const WhatItWouldDo = ({
  of: { event, before, after, changed_events, changed_events_left_off },
  corrected,
}: {
  of: Preview;
  corrected: Event | undefined;
}) => {
  const rows = comparedFacts(before, after).filter(
    ({ changes }, index) => changes || index < ALWAYS_SHOWN,
  );
  const others = changed_events.filter(({ id }) => id !== corrected?.id);
  return (
    <section class="card preview" aria-label="What it would do">
      <h2>What it would do</h2>
      <p>
        Nothing is recorded yet. <strong>{eventName(event)}</strong> would be no.{' '}
        {count(event.sequence)} of the account.
      </p>
      <Table
        caption="The account before and after"
        rows={rows}
        empty=""
        columns={[
          { name: 'Of the account', cell: ({ name }) => name },
          { name: 'Before', cell: (row) => row.before },
          {
            name: 'After',
            cell: (row) =>
              row.changes ? (
                <>
                  {row.after} <Badge tone="accent">Changes</Badge>
                </>
              ) : (
                row.after
              ),
          },
        ]}
      />
      {others.length > 0 && (
        <>
          <h3>Other events that would count differently</h3>
          <ul>
            {others.map((other) => (
              <li>
                No. {count(other.sequence)}, {eventName(other)} of{' '}
                <Time at={other.corrected_occurred_at ?? other.occurred_at} day />:{' '}
                {consequence(other)}
              </li>
            ))}
          </ul>
          {changed_events_left_off > 0 && <p>And {count(changed_events_left_off)} more.</p>}
        </>
      )}
    </section>
  );
};

function consequence({ effect, resulting_status }: Event): Content | string {
  if (effect === 'IGNORED') return 'would be without effect';
  if (effect === 'SUPERSEDED') return 'would be superseded';
  return (
    <>
      would count, and the account stand as{' '}
      {resulting_status === null ? 'before' : <Standing of={resulting_status} />} after it
    </>
  );
}
