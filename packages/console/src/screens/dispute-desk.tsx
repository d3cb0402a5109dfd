import { NO_REPLACEMENT, type Operations, type WireOf } from '@credit/contract';
import { isAppError } from '@credit/platform/errors';
import { DefaultSeverity, EventType } from '@credit/proto/reporting/v1/types';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  count,
  Done,
  Field,
  Form,
  money,
  Notice,
  Pager,
  Select,
  Submit,
  Table,
  Time,
} from '../components';
import {
  Answers,
  Claim,
  Contested,
  type Dispute,
  Due,
  reasonIn,
  Stages,
  StandingNow,
  Status,
  Steps,
} from '../dispute-parts';
import type { Page, Form as SentForm, View } from '../page';
import { amountTyped, choicesOf, effectOfInquiry, momentTyped } from '../record';
import { isAdministrator, type Screen } from '../screen';
import { comparedFacts, isOfOpening, TERM_NAMES, TermFields, termLabels, termsOf } from '../terms';
import { words } from '../words';

type DisputeRecord = WireOf<Operations['getDisputeRecord']>;
type Decided = WireOf<Operations['moveDispute']>;

const PATH = '/network/disputes';

const STAGES = [
  { value: 'UNDECIDED', label: 'All that wait', empty: 'No dispute waits for a decision.' },
  { value: 'ANSWERED', label: 'Answered', empty: 'Nothing that was answered waits.' },
  { value: 'NEEDS_ANSWER', label: 'Not answered', empty: 'Nothing waits without an answer.' },
  { value: 'DECIDED', label: 'Decided', empty: 'Nothing is decided yet.' },
] as const;

/** What an administrator can decide, and what that means. */
const DECISIONS = {
  UNDER_REVIEW: {
    label: 'Review it',
    hint: 'Takes what is contested out of the score until the decision.',
    does: 'What is contested is left out of the score from now on, until the decision.',
  },
  RESOLVED_CORRECTED: {
    label: 'Correct the record',
    hint: 'It was wrong: takes the fact away, or puts what is right in its place.',
    does: 'The record is corrected. This is final; the furnisher cannot report it again uncertified.',
  },
  RESOLVED_UPHELD: {
    label: 'Uphold the record',
    hint: 'It was verified and stays as it is.',
    does: 'The record stays as it is. This is final; another dispute can be opened.',
  },
  REJECTED: {
    label: 'Reject the dispute',
    hint: 'Frivolous, misdirected, or about nobody who can be identified.',
    does: 'The record stays as it is. This is final; another dispute can be opened.',
  },
} as const;

type Decision = keyof typeof DECISIONS;

/** All disputes of the network, by their due dates. */
export const disputeDeskScreen: Screen = {
  path: PATH,
  place: { section: 'Network', label: 'Disputes' },
  isFor: isAdministrator,
  show: (page) => queuePage(page),
};

/** One dispute: the claim, the record and the answers side by side, and the decision. */
export const deskDisputeScreen: Screen = {
  path: `${PATH}/:dispute_id`,
  isFor: isAdministrator,
  show: (page) => deskPage(page),
  submit: async (page) => {
    const { form } = page;
    const params = { dispute_id: page.param('dispute_id') };
    const act = form.text('act');
    if (act === 'change') return deskPage(page);
    const body = decisionOf(form);
    const query = act === 'decide' ? {} : { dry_run: 'true' };
    const outcome = await attempt(() => page.call('moveDispute', { params, query, body }));
    if ('faults' in outcome) return deskPage(page, outcome.faults);
    if (act !== 'decide') return previewPage(page, outcome.done.value);
    const done = form.text('status').toLowerCase();
    return { location: page.href(`${PATH}/${params.dispute_id}`, { done }) };
  },
};

/** The fields that say what is put in the place of what is contested. */
const REPLACEMENT_FIELDS = [
  'corrected_event_type',
  'corrected_occurred_at',
  'amount',
  'balance_after',
  'default_severity',
] as const;

/** What a refusal is about, as the form calls it. */
const LABELS = {
  resolution: 'What you found',
  status: 'The decision',
  'correction.inquiry_ids': 'A choice of inquiries',
  ...termLabels('correction.'),
};

/** The fields of the form that make a decision, in its order. */
const FIELDS = [
  'status',
  'resolution',
  ...REPLACEMENT_FIELDS,
  ...TERM_NAMES,
  'inquiry_ids',
  'account_ids',
  'apply_to_group',
] as const;

/** The form as the operation takes it; what was not filled in is left out. */
function decisionOf(form: SentForm) {
  const status = form.text('status');
  const terms = termsOf(form);
  const inquiry_ids = form.all('inquiry_ids');
  const correction = {
    corrected_event_type: form.given('corrected_event_type'),
    corrected_occurred_at: momentTyped(form.given('corrected_occurred_at')),
    amount: amountTyped(form.given('amount')),
    balance_after: amountTyped(form.given('balance_after')),
    default_severity: form.given('default_severity'),
    ...(isGiven(terms) && { corrected_account: terms }),
    ...(inquiry_ids.length > 0 && { inquiry_ids }),
  };
  const replaces = isGiven(correction);
  const account_ids = form.all('account_ids');
  return {
    status,
    resolution: form.given('resolution'),
    // What stands in fields of another decision is not for this one.
    ...(status === 'RESOLVED_CORRECTED' && replaces && { correction }),
    ...(account_ids.length > 0 && { account_ids }),
    ...(form.text('apply_to_group') === 'true' && { apply_to_group: true }),
  };
}

function isGiven(fields: object): boolean {
  return Object.values(fields).some((value) => value !== undefined);
}

async function queuePage(page: Page): Promise<View> {
  const stage = STAGES.find(({ value }) => value === page.query('stage')) ?? STAGES[0];
  const [q, cursor] = [page.query('q'), page.query('cursor')];
  const order = stage.value === 'DECIDED' ? undefined : 'DUE';
  const [{ value, next_cursor, total_count }, overdue] = await Promise.all([
    page.call('listDisputes', { query: { limit: '25', stage: stage.value, order, q, cursor } }),
    page.call('listDisputes', { query: { limit: '1', overdue: 'true' } }),
  ]);
  const late = overdue.total_count ?? 0;
  return {
    title: 'Disputes',
    body: (
      <>
        {late > 0 && (
          <Notice kind="bad">
            <p>{late === 1 ? 'One dispute is overdue.' : `${count(late)} disputes are overdue.`}</p>
          </Notice>
        )}
        <Stages
          page={page}
          path={PATH}
          label="Disputes by what waits"
          chosen={stage.value}
          stages={STAGES.map(({ value: of, label }) => ({
            value: of,
            label,
            ...(of === stage.value && { total: total_count ?? 0 }),
          }))}
        />
        <form method="get" class="row">
          <input type="hidden" name="stage" value={stage.value} />
          <Field name="q" label="In the claim, or who opened it" type="search" value={q} />
          <Submit quiet>Search</Submit>
        </form>
        <DisputeTable page={page} caption="Disputes" rows={value} empty={stage.empty} />
        <Pager page={page} path={PATH} next={next_cursor} query={{ stage: stage.value, q }} />
      </>
    ),
  };
}

const DisputeTable = ({
  page,
  caption,
  rows,
  empty,
}: {
  page: Page;
  caption: string;
  rows: readonly Dispute[];
  empty: string;
}) => (
  <Table
    caption={caption}
    rows={rows}
    empty={empty}
    columns={[
      {
        name: 'What is said',
        cell: (dispute) => (
          <>
            <a href={page.href(`${PATH}/${dispute.id}`)}>{reasonIn(dispute)}</a>
            <p class="excerpt">{dispute.description}</p>
          </>
        ),
      },
      { name: 'From', cell: ({ opened_by }) => opened_by },
      { name: 'Due', cell: (dispute) => <Due of={dispute} /> },
      {
        name: 'State',
        cell: (dispute) => (
          <>
            <Status of={dispute} />{' '}
            {dispute.answered_at !== null && <Badge tone="good">Answered</Badge>}
          </>
        ),
      },
      { name: 'Alike', number: true, cell: ({ group_size }) => count(group_size ?? 0) },
    ]}
  />
);

async function deskPage(page: Page, faults?: Faults): Promise<View> {
  const dispute_id = page.param('dispute_id');
  const path = `${PATH}/${dispute_id}`;
  const { value: dispute } = await page.call('getDisputeRecord', {
    params: { dispute_id },
    query: {
      account_id: page.query('account_id'),
      before_sequence: page.query('before_sequence'),
    },
  });
  const names = await namesOf(page, dispute);
  const is_open = dispute.resolved_at === null;
  return {
    title: reasonIn(dispute),
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done
          page={page}
          says={{
            under_review: 'It is under review. What is contested is out of the score.',
            resolved_corrected: 'It is decided: the record is corrected.',
            resolved_upheld: 'It is decided: the record stands.',
            rejected: 'It is rejected.',
          }}
        />
        <p>
          <Status of={dispute} /> {is_open && 'Due '}
          <Due of={dispute} />{' '}
          {names.size > 0 && <span class="soft">· {[...names.values()].join(', ')}</span>}
        </p>
        <p class="soft">
          This look is in the audit logs of the network and of whose accounts or inquiries are
          shown.
        </p>
        <div class="columns three">
          <div>
            <Claim of={dispute} />
            <section class="card" aria-labelledby="steps">
              <h2 id="steps">What has happened</h2>
              <Steps of={dispute} names={names} />
            </section>
          </div>
          {dispute.reason === 'UNAUTHORISED_INQUIRY' ? (
            <Inquiries of={dispute} names={names} />
          ) : (
            <Contested
              page={page}
              path={path}
              of={dispute.record}
              event_id={dispute.credit_event_id}
            />
          )}
          <section class="card" aria-labelledby="answers">
            <h2 id="answers">What the furnisher says</h2>
            <Answers of={dispute.answers} names={names} none="Nobody has answered yet." />
          </section>
        </div>
        {is_open && <DecisionForm page={page} of={dispute} names={names} faults={faults} />}
        <h2>Other disputes of the same</h2>
        <DisputeTable
          page={page}
          caption="Other disputes of the same account"
          rows={dispute.related}
          empty="There is no other about this account."
        />
      </>
    ),
  };
}

/** The institutions that are named on the page; one that is gone keeps its id. */
async function namesOf(page: Page, dispute: DisputeRecord): Promise<Names> {
  const ids = new Set([
    ...(dispute.reported_institution_id === null ? [] : [dispute.reported_institution_id]),
    ...(dispute.record?.accounts ?? []).map(({ institution_id }) => institution_id),
    ...dispute.answers.map(({ institution_id }) => institution_id),
    ...dispute.inquiries.map(({ institution_id }) => institution_id),
  ]);
  const known = await Promise.all(
    [...ids].slice(0, MAX_NAMES).map(async (institution_id) => {
      try {
        const { value } = await page.call('getInstitution', { params: { institution_id } });
        return [[institution_id, value.institution.name] as const];
      } catch (error) {
        // The opener may have named one that there is not.
        if (isAppError(error) && error.code === 'NOT_FOUND') return [];
        throw error;
      }
    }),
  );
  return new Map(known.flat());
}

const MAX_NAMES = 10;

type Names = ReadonlyMap<string, string>;

/** A moment where no script can show it in the reader's zone: in a label. */
const minuteOf = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`;

const nameIn = (names: Names, institution_id: string): string =>
  names.get(institution_id) ?? `…${institution_id.slice(-8)}`;

/** Who looked at the file, where a look is what is contested. */
const Inquiries = ({ of, names }: { of: DisputeRecord; names: Names }) => (
  <section class="card" aria-labelledby="record">
    <h2 id="record">The inquiries</h2>
    {of.inquiries.length === 0 ? (
      <div class="empty">Nobody whom it names has looked at a file that is known.</div>
    ) : (
      <ol class="answers">
        {of.inquiries.map((inquiry) => (
          <li class={inquiry.voided_at === null ? undefined : 'off'}>
            <p>
              <Badge tone={inquiry.inquiry_type === 'HARD' ? 'warn' : 'plain'}>
                {words(inquiry.inquiry_type)}
              </Badge>{' '}
              {nameIn(names, inquiry.institution_id)}{' '}
              <span class="soft">
                <Time at={inquiry.created_at} />
              </span>
            </p>
            <p>{words(inquiry.purpose)}</p>
            <p class="soft">Effect on the score: {effectOfInquiry(inquiry)}</p>
          </li>
        ))}
      </ol>
    )}
    {of.has_more_inquiries && <p class="soft">These are the latest {of.inquiries.length}.</p>}
  </section>
);

/** Which of them lose their effect. */
const InquiryChoices = ({
  page,
  of,
  names,
  faults,
}: {
  page: Page;
  of: DisputeRecord;
  names: Names;
  faults: Faults | undefined;
}) => {
  const choices = of.inquiries.filter(({ voided_at }) => voided_at === null);
  if (of.reason !== 'UNAUTHORISED_INQUIRY' || choices.length === 0) return null;
  const is_named = of.reported_institution_id !== null || of.credit_event_id !== null;
  return (
    <Choices
      type="checkbox"
      name="inquiry_ids"
      path="correction.inquiry_ids"
      legend={
        is_named
          ? 'If corrected: only these inquiries, instead of the hard ones of the last 90 days'
          : 'If corrected: these inquiries'
      }
      faults={faults}
      chosen={page.form.all('inquiry_ids')}
      choices={choices.map((inquiry) => ({
        value: inquiry.id,
        label: `${nameIn(names, inquiry.institution_id)}, ${minuteOf(inquiry.created_at)}`,
        hint: `${words(inquiry.inquiry_type)}, ${words(inquiry.purpose).toLowerCase()}`,
      }))}
    />
  );
};

const DecisionForm = ({
  page,
  of,
  names,
  faults,
}: {
  page: Page;
  of: DisputeRecord;
  names: Names;
  faults: Faults | undefined;
}) => {
  const { form } = page;
  const accounts = of.record?.accounts ?? [];
  const decisions = Object.entries(DECISIONS).filter(
    ([status]) => status !== 'UNDER_REVIEW' || of.status === 'OPEN',
  );
  return (
    <section aria-labelledby="decide">
      <h2 id="decide">Decide</h2>
      <Form page={page} faults={faults} class="form decision" labels={LABELS}>
        <Choices
          type="radio"
          name="status"
          legend="The decision"
          faults={faults}
          chosen={[form.text('status')]}
          choices={decisions.map(([value, { hint, label }]) => ({ value, label, hint }))}
        />
        <Field
          name="resolution"
          label="What you found"
          hint="Whoever opened the dispute reads it. It is required for a decision, and not for a review."
          rows={4}
          maxlength={5_000}
          value={form.text('resolution')}
          faults={faults}
        />
        <InItsPlace page={page} of={of} faults={faults} />
        <InquiryChoices page={page} of={of} names={names} faults={faults} />
        {of.credit_event_id === null && accounts.length > 0 && (
          <Choices
            type="checkbox"
            name="account_ids"
            legend="Only these accounts: to review, or to take off the file"
            faults={faults}
            chosen={form.all('account_ids')}
            choices={accounts.map(({ id, external_account_id, account_type }) => ({
              value: id,
              label: external_account_id,
              hint: words(account_type),
            }))}
          />
        )}
        {(of.group_size ?? 0) > 1 && (
          <Choices
            type="checkbox"
            name="apply_to_group"
            legend="Others say the same"
            faults={faults}
            chosen={form.all('apply_to_group')}
            choices={[
              {
                value: 'true',
                label: `Decide all ${count(of.group_size ?? 0)} like this one`,
                hint: 'Not for a review or a rejection.',
              },
            ]}
          />
        )}
        <Submit name="act" value="preview">
          See what it would do
        </Submit>
      </Form>
    </section>
  );
};

/** What takes the place of what is contested, where something can. */
const InItsPlace = ({
  page,
  of,
  faults,
}: {
  page: Page;
  of: DisputeRecord;
  faults?: Faults | undefined;
}) => {
  const { credit_event_id, reason, record } = of;
  if (credit_event_id === null || reason === 'UNAUTHORISED_INQUIRY') return null;
  const contested = [...(record?.contested_events ?? []), ...(record?.events ?? [])];
  const event = contested.find(({ id }) => id === credit_event_id);
  const account = record?.accounts.find(({ id }) => id === record.account_id);
  if (event === undefined || account === undefined || !isOfOpening(event)) {
    return <Replacement page={page} faults={faults} />;
  }
  const is_open = ['balance_after', ...TERM_NAMES].some((name) => page.form.text(name) !== '');
  return (
    <details open={is_open}>
      <summary>If corrected: put the facts of the opening right</summary>
      <div class="form">
        <p class="soft">
          Without it the account is taken off the file, with everything reported of it.
        </p>
        <TermFields page={page} account={account} faults={faults} path="correction." />
      </div>
    </details>
  );
};

const Replacement = ({ page, faults }: { page: Page; faults: Faults | undefined }) => {
  const { form } = page;
  const is_open = REPLACEMENT_FIELDS.some((name) => form.text(name) !== '');
  return (
    <details open={is_open}>
      <summary>If corrected: put something else in its place</summary>
      <div class="form">
        <p class="soft">Without it the fact is taken away for good.</p>
        <Select
          name="corrected_event_type"
          label="What happened instead"
          value={form.text('corrected_event_type')}
          choices={[
            { value: '', label: 'Nothing: the fact is taken away' },
            ...choicesOf(EventType, NO_REPLACEMENT),
          ]}
          path="correction.corrected_event_type"
          faults={faults}
        />
        <Field
          name="corrected_occurred_at"
          path="correction.corrected_occurred_at"
          label="When it happened, in UTC"
          type="datetime-local"
          value={form.text('corrected_occurred_at')}
          faults={faults}
        />
        <Field
          name="amount"
          path="correction.amount"
          label="Amount"
          inputmode="decimal"
          value={form.text('amount')}
          faults={faults}
        />
        <Field
          name="balance_after"
          path="correction.balance_after"
          label="Balance after it"
          inputmode="decimal"
          value={form.text('balance_after')}
          faults={faults}
        />
        <Select
          name="default_severity"
          label="Severity of a default"
          value={form.text('default_severity')}
          choices={[{ value: '', label: 'Not a default' }, ...choicesOf(DefaultSeverity)]}
          path="correction.default_severity"
          faults={faults}
        />
      </div>
    </details>
  );
};

/** The first facts have columns of their own. */
const SHOWN_OF_ALL = 3;

/** What a decision would do, by its dry run; asked once. */
function previewPage(page: Page, decided: Decided): View {
  const { form } = page;
  const { preview } = decided;
  if (preview === null) throw new Error('A dry run came without what it shows.');
  const decision = DECISIONS[decided.status as Decision];
  const { health } = preview;
  const changed_terms = preview.accounts.flatMap(({ after, before }) =>
    comparedFacts(before, after)
      .slice(SHOWN_OF_ALL)
      .filter(({ changes }) => changes)
      .map((fact) => ({ ...fact, account: before.external_account_id })),
  );
  return {
    title: `${decision.label}?`,
    body: (
      <>
        <Notice>
          <p>
            <strong>Nothing has happened yet.</strong> {decision.does}
          </p>
          {preview.decided_count > 1 && (
            <p>{count(preview.decided_count)} disputes are decided with it.</p>
          )}
          {decided.correction_pending && (
            <p>
              Nothing can be mended here: the furnisher is told that it has to correct the record.
            </p>
          )}
          {decided.voided_inquiry_ids.length > 0 && (
            <p>
              {decided.voided_inquiry_ids.length === 1
                ? 'One inquiry loses its effect.'
                : `${count(decided.voided_inquiry_ids.length)} inquiries lose their effect.`}
            </p>
          )}
        </Notice>
        {decided.resolution && (
          <section class="card">
            <h2>What whoever opened it reads</h2>
            <p class="text">{decided.resolution}</p>
          </section>
        )}
        <h2>What changes</h2>
        <Table
          caption="Accounts before and after"
          rows={preview.accounts}
          empty="No account changes."
          columns={[
            { name: 'Account', cell: ({ before }) => before.external_account_id },
            {
              name: 'Standing',
              cell: ({ after, before }) => (
                <>
                  <StandingNow of={before} /> <Became /> <StandingNow of={after} />
                </>
              ),
            },
            {
              name: 'Balance',
              number: true,
              cell: ({ after, before }) => (
                <>
                  {money(before.current_balance, before.currency)} <Became />{' '}
                  {money(after.current_balance, after.currency)}
                </>
              ),
            },
            {
              name: 'Days past due',
              number: true,
              cell: ({ after, before }) => (
                <>
                  {before.days_past_due} <Became /> {after.days_past_due}
                </>
              ),
            },
          ]}
        />
        {changed_terms.length > 0 && (
          <Table
            caption="Facts of accounts that change"
            rows={changed_terms}
            empty=""
            columns={[
              { name: 'Account', cell: ({ account }) => account },
              { name: 'Fact', cell: ({ name }) => name },
              {
                name: 'Change',
                cell: ({ after, before }) => (
                  <>
                    {before} <Became /> {after}
                  </>
                ),
              },
            ]}
          />
        )}
        {preview.account_count > preview.accounts.length && (
          <p class="soft">
            These are {preview.accounts.length} of {count(preview.account_count)}: the others go the
            same way.
          </p>
        )}
        {health !== null && (
          <p>
            The furnisher’s health goes from {health.score_before ?? '–'} (
            {health.grade_before ?? 'no grade'}) to {health.score_after ?? '–'} (
            {health.grade_after ?? 'no grade'}).
          </p>
        )}
        <Form page={page}>
          {FIELDS.flatMap((name) =>
            form.all(name).map((value) => <input type="hidden" name={name} value={value} />),
          )}
          <div class="row">
            <Submit name="act" value="decide" danger={decided.status !== 'UNDER_REVIEW'}>
              {decision.label}
            </Submit>
            <Submit quiet name="act" value="change">
              Change it
            </Submit>
          </div>
        </Form>
      </>
    ),
  };
}

const Became = () => (
  <>
    <span aria-hidden="true">→</span>
    <span class="visually-hidden">becomes</span>
  </>
);
