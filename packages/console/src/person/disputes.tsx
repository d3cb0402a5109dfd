import type { MyFileContent, Operations, WireOf } from '@credit/contract';
import { TEXTS } from '@credit/platform/values';
import type { FC } from 'hono/jsx';
import { attempt, type Faults } from '../attempt';
import { Badge, Done, Field, Form, Id, Notice, Select, Submit, Table, Time } from '../components';
import { Due, Status } from '../dispute-parts';
import type { View } from '../page';
import { REASONS } from '../public/reasons';
import { eventName } from '../record';
import { words } from '../words';
import type { PersonScreen } from './screen';
import { MY, type PersonVisit } from './visit';

/** Where people find what they have contested. */
export const DISPUTES = `${MY}/disputes`;
const CONTEST = `${MY}/contest`;

type File = MyFileContent;
type OwnDispute = WireOf<Operations['getMyDispute']>;
type Kind = keyof typeof KINDS;

const KINDS = {
  event: 'credit_event_id',
  account: 'account_id',
  look: 'inquiry_id',
} as const;
const LABELS = {
  reason: 'What is wrong',
  description: 'What happened',
  evidence_links: 'Links to what proves it',
  contact_email: 'Your e-mail address',
};
const OF_A_LOOK = 'UNAUTHORISED_INQUIRY';

/** Where a record of the own file is contested. */
export function contestLink(kind: Kind, id: string): string {
  return `${CONTEST}/${kind}/${id}`;
}

/** Says what is wrong with an event, an account or a look. */
export const contestScreen: PersonScreen = {
  path: `${CONTEST}/:kind/:record_id`,
  show: (visit) => contestPage(visit),
  submit: async (visit) => {
    const { form } = visit;
    const body = {
      [KINDS[kindOf(visit)]]: visit.param('record_id'),
      reason: form.given('reason'),
      description: form.text('description').trim(),
      evidence_links: form.text('evidence_links').split(/\s+/).filter(Boolean),
      contact_email: form.text('contact_email').trim() || undefined,
    };
    const outcome = await attempt(() =>
      visit.call('openMyDispute', { body, idempotency_key: form.text('key') }),
    );
    if ('faults' in outcome) return contestPage(visit, outcome.faults);
    return { location: visit.href(`${DISPUTES}/${outcome.done.value.id}`, { done: 'opened' }) };
  },
};

function kindOf(visit: PersonVisit): Kind {
  const kind = visit.param('kind');
  return kind in KINDS ? (kind as Kind) : 'event';
}

async function contestPage(visit: PersonVisit, faults?: Faults): Promise<View> {
  const { form } = visit;
  const kind = kindOf(visit);
  const { value } = await visit.call('getMyFile');
  const is_look = kind === 'look';
  const reasons = Object.entries(REASONS)
    .filter(([reason]) => (reason === OF_A_LOOK) === is_look)
    .map(([reason, label]) => ({ value: reason, label }));
  return {
    title: 'This is wrong',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          You contest <strong>{named(value.file as File, kind, visit.param('record_id'))}</strong>.
          Who {is_look ? 'looked' : 'reports it'} is told at once, and the network decides within 30
          days. It costs nothing and moves no score.
        </p>
        <Form page={visit} faults={faults} labels={LABELS}>
          <input type="hidden" name="key" value={form.text('key') || crypto.randomUUID()} />
          <Select
            name="reason"
            label={LABELS.reason}
            choices={is_look ? reasons : [{ value: '', label: 'Please choose' }, ...reasons]}
            value={form.text('reason')}
            hint={
              is_look
                ? undefined
                : 'If your identity was stolen, say so: the record is then left out of your score, and ' +
                  'of what others see, until it is decided, within four business days.'
            }
            faults={faults}
          />
          <Field
            name="description"
            label={LABELS.description}
            required
            rows={8}
            maxlength={TEXTS.dispute_description.max}
            hint={`At least ${TEXTS.dispute_description.min} characters. Whoever reported it reads this.`}
            value={form.text('description')}
            faults={faults}
          />
          <Field
            name="evidence_links"
            label={LABELS.evidence_links}
            rows={3}
            hint="One a line, up to ten."
            value={form.text('evidence_links')}
            faults={faults}
          />
          <Field
            name="contact_email"
            label={LABELS.contact_email}
            type="email"
            autocomplete="email"
            hint="To be told by mail, where the network sends any. Only its administrators see it."
            value={form.text('contact_email')}
            faults={faults}
          />
          <div class="row">
            <Submit>Contest it</Submit>
            <a href={MY}>Back to your file</a>
          </div>
        </Form>
      </>
    ),
  };
}

/** The record in words, as far as the file shows it. */
function named({ accounts, inquiries }: File, kind: Kind, id: string): string {
  const lender = (name: string | null) => name ?? 'a fictional lender';
  if (kind === 'look') {
    const look = inquiries.find((one) => one.id === id);
    return look === undefined ? 'a look' : `the look of ${lender(look.institution.name)}`;
  }
  for (const { account_type, events, furnisher, id: account_id } of accounts) {
    const account = `the ${words(account_type).toLowerCase()} at ${lender(furnisher.name)}`;
    if (account_id === id) return account;
    const event = events.find((one) => one.id === id);
    if (event !== undefined) return `“${eventName(event)}” of ${account}`;
  }
  return kind === 'account' ? 'an account' : 'an event';
}

/** What the person has contested. */
export const disputesScreen: PersonScreen = {
  path: DISPUTES,
  show: async (visit) => {
    const { value, next_cursor } = await visit.call('listMyDisputes', {
      query: { cursor: visit.query('cursor') },
    });
    return {
      title: 'Your disputes',
      body: (
        <>
          <Table
            caption="What you have contested of your file"
            rows={value}
            empty={
              <p>
                You have contested nothing here. “This is wrong” stands beside each record of{' '}
                <a href={MY}>your file</a>.
              </p>
            }
            columns={[
              {
                name: 'What is wrong',
                cell: ({ id, reason }) => <a href={`${DISPUTES}/${id}`}>{REASONS[reason]}</a>,
              },
              { name: 'Opened', cell: ({ opened_at }) => <Time at={opened_at} day /> },
              { name: 'Status', cell: ({ status }) => <Status of={{ status }} /> },
              { name: 'Due', cell: (dispute) => <Due of={dispute} /> },
              {
                name: 'Meanwhile',
                cell: ({ suppression }) => (suppression === null ? '–' : <LeftOut />),
              },
            ]}
          />
          {next_cursor !== undefined && (
            <p>
              <a href={visit.href(DISPUTES, { cursor: next_cursor })}>Earlier ones</a>
            </p>
          )}
        </>
      ),
    };
  },
};

/** The mark of what nobody else is shown. */
export const LeftOut: FC = () => <Badge tone="accent">Left out until decided</Badge>;

const DONE = { opened: 'Your dispute is in, and whoever it is about is told.' };

/** One dispute, with what has come of it. */
export const ownDisputeScreen: PersonScreen = {
  path: `${DISPUTES}/:dispute_id`,
  show: async (visit) => {
    const { value } = await visit.call('getMyDispute', {
      params: { dispute_id: visit.param('dispute_id') },
    });
    return {
      title: 'Your dispute',
      body: (
        <>
          <Done page={visit} says={DONE} />
          <p class="row">
            <Status of={{ status: value.status }} /> <Due of={value} />
          </p>
          {value.suppression !== null && <Blocked of={value} />}
          {value.correction_pending && (
            <Notice>
              <p>It was decided for you. The lender still has to report what is right.</p>
            </Notice>
          )}
          {value.resolution !== null && (
            <>
              <h2>The decision</h2>
              <p class="text">{value.resolution}</p>
            </>
          )}
          <Changed of={value} />
          <h2>What has happened</h2>
          <Steps of={value} />
          <h2>Who was told</h2>
          <Table
            caption="Who was told of your dispute"
            rows={value.told}
            empty={<p>Nobody was told.</p>}
            columns={[
              {
                name: 'Who',
                cell: ({ institution }) => institution.name ?? 'A fictional lender',
              },
              {
                name: 'What',
                cell: ({ telling }) =>
                  telling === 'OPENED' ? 'That you contest it' : 'How it was decided',
              },
              { name: 'When', cell: ({ at }) => <Time at={at} /> },
            ]}
          />
          {value.status === 'RESOLVED_CORRECTED' && (
            <p class="soft">
              Who had looked at your file before is told of a correction too:{' '}
              <a href={`${MY}#corrections`}>see whom it was told to</a>.
            </p>
          )}
          <h2>What you said</h2>
          <p>{REASONS[value.reason]}</p>
          <p class="text">{value.description}</p>
          <p class="soft">
            Number <Id of={value.id} />
          </p>
          <p>
            <a href={DISPUTES}>All your disputes</a>
          </p>
        </>
      ),
    };
  },
};

const Blocked: FC<{ of: OwnDispute }> = ({ of: { suppressed_since, suppression } }) => (
  <Notice>
    <p>
      <strong>The record is left out</strong> of your score and of what others see
      {suppressed_since !== null && (
        <>
          {' '}
          since <Time at={suppressed_since} />
        </>
      )}
      , until it is decided
      {suppression === 'OVERDUE' ? ': the decision is late' : ''}. You and its lender still see it.
    </p>
  </Notice>
);

const Changed: FC<{ of: OwnDispute }> = ({ of: { changes, status } }) =>
  status === 'OPEN' || status === 'UNDER_REVIEW' ? null : (
    <>
      <h2>What changed</h2>
      <Table
        caption="What the decision changed of the record"
        rows={changes}
        empty={<p>Nothing of the record has changed.</p>}
        columns={[
          { name: 'Field', cell: ({ field }) => words(field) },
          { name: 'Before', cell: ({ field, before }) => fact(field, before) ?? '–' },
          { name: 'After', cell: ({ field, after }) => fact(field, after) ?? 'Gone' },
        ]}
      />
    </>
  );

/** Fields that hold names of the record's vocabulary. */
const NAMES = [
  'event_type',
  'default_severity',
  'account_type',
  'interest_type',
  'payment_frequency',
  'inquiry',
];

/** A field's value as people write it: moments in their zone, names of the record in words. */
function fact(field: string, value: string | null) {
  if (value === null) return undefined;
  if (field.endsWith('_at')) return <Time at={value} />;
  return NAMES.includes(field) ? words(value) : value;
}

const STEPS = {
  OPENED: 'You contested it',
  REVIEW_BEGUN: 'The network began to review it',
  ANSWERED: 'The lender answered the network',
  RESOLVED: 'Decided',
};

const Steps: FC<{ of: OwnDispute }> = ({ of: { steps } }) => (
  <ol class="steps">
    {steps.map(({ at, kind }) => (
      <li class="past">
        <p>
          <strong>{STEPS[kind]}</strong>{' '}
          <span class="soft">
            <Time at={at} />
          </span>
        </p>
      </li>
    ))}
  </ol>
);
