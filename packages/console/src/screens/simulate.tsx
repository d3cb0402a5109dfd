import { OF_THE_NETWORK, type Operations, type WireOf } from '@credit/contract';
import { AccountType, DefaultSeverity, EventType } from '@credit/proto/reporting/v1/types';
import { attempt, type Faults } from '../attempt';
import { Badge, count, Field, Form, money, Notice, Select, Submit, Table } from '../components';
import type { Page, View } from '../page';
import { Gauge } from '../pictures';
import { PurposeField } from '../purpose';
import { amountTyped, choicesOf, momentTyped } from '../record';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

type Simulation = WireOf<Operations['simulateCredit']>;

const NEW_ACCOUNT = 'new';
const RANGE = { min: 300, max: 850 };

/** What the score would be after something that has not happened. */
export const simulateScreen: Screen = {
  path: '/subjects/:subject_id/simulate',
  isFor: withPermission('credit.read'),
  by_environment: true,
  show: (page) => formPage(page),
  submit: async (page) => {
    const { form } = page;
    const is_new = form.text('account') === NEW_ACCOUNT;
    const event = {
      account_id: is_new ? undefined : form.given('account'),
      event_type: is_new ? 'ACCOUNT_OPENED' : form.given('event_type'),
      account_type: is_new ? form.given('account_type') : undefined,
      occurred_at: momentTyped(form.given('occurred_at')),
      amount: amountTyped(form.given('amount')),
      balance_after: amountTyped(form.given('balance_after')),
      default_severity: form.given('default_severity'),
    };
    const params = { subject_id: page.param('subject_id') };
    const body = { purpose: form.given('purpose'), events: [event] };
    const outcome = await attempt(() => page.call('simulateCredit', { params, body }));
    if ('faults' in outcome) return formPage(page, outcome.faults);
    return formPage(page, undefined, outcome.done.value);
  },
};

/** A refusal that names no field is about what is to happen. */
function besideField(faults: Faults | undefined): Faults | undefined {
  if (faults?.error.reason !== 'TRANSITION_NOT_ALLOWED') return faults;
  const by_field = new Map([...faults.by_field, ['events[0].event_type', 'is not possible here']]);
  return { ...faults, by_field };
}

async function formPage(page: Page, refused?: Faults, result?: Simulation): Promise<View> {
  const { form } = page;
  const faults = besideField(refused);
  const params = { subject_id: page.param('subject_id') };
  const [{ value: subject }, accounts] = await Promise.all([
    page.call('getSubject', { params }),
    page.may('records.read')
      ? page.call('listAccounts', { query: { ...params, limit: '100' } })
      : undefined,
  ]);
  const own = (accounts?.value ?? []).filter(({ voided }) => !voided);
  const field = (name: string) => ({
    name,
    path: `events[0].${name}`,
    value: form.text(name),
    faults,
  });
  return {
    title: `What if: ${subject.display_name}`,
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          <a href={page.href(`/subjects/${subject.id}`)}>Back to the subject</a>
        </p>
        {result && <Result of={result} />}
        <Notice>
          <p>
            Nothing of this is written, but that you looked: a soft inquiry, which counts nowhere.
          </p>
        </Notice>
        <Form page={page} faults={faults} labels={LABELS}>
          <Select
            {...field('account')}
            path="events[0].account_id"
            label="On which account"
            choices={[
              ...own.map(({ id, external_account_id, current_balance, currency }) => ({
                value: id,
                label: `${external_account_id}, ${money(current_balance, currency)}`,
              })),
              { value: NEW_ACCOUNT, label: 'A new account' },
            ]}
          />
          <Select
            {...field('event_type')}
            label="What would happen"
            hint="Of a new account: its opening."
            choices={choicesOf(EventType, ['ACCOUNT_OPENED', 'CORRECTION', ...OF_THE_NETWORK])}
          />
          <Select
            {...field('account_type')}
            label="Kind of the new account"
            choices={[{ value: '', label: 'No new account' }, ...choicesOf(AccountType)]}
          />
          <Field
            {...field('amount')}
            label="Amount"
            hint="Of a new account: what is lent."
            inputmode="decimal"
          />
          <Field {...field('balance_after')} label="Balance after it" inputmode="decimal" />
          <Field
            {...field('occurred_at')}
            label="When, in UTC"
            hint="Empty: now."
            type="datetime-local"
          />
          <Select
            {...field('default_severity')}
            label="Severity, of a default alone"
            choices={[{ value: '', label: 'Not said' }, ...choicesOf(DefaultSeverity)]}
          />
          <PurposeField page={page} faults={faults} />
          <Submit>Show the score</Submit>
        </Form>
      </>
    ),
  };
}

const LABELS = {
  'events[0].account_id': 'The account',
  'events[0].event_type': 'What would happen',
  'events[0].balance_after': 'Balance after it',
  'events[0].account_type': 'Kind of the new account',
};

const Result = ({ of: { before, after, delta } }: { of: Simulation }) => {
  const was = new Map(before.factors.map(({ name, points }) => [name, points]));
  return (
    <section class="card preview" aria-label="The score as it would be">
      <div class="columns">
        {(
          [
            ['As it is', before],
            ['As it would be', after],
          ] as const
        ).map(([name, view]) => (
          <div>
            <h2>{name}</h2>
            <Gauge score={view.score ?? undefined} {...RANGE} band={words(view.band)} />
          </div>
        ))}
      </div>
      <p>
        {delta === null || delta === 0 ? (
          'The score would stay as it is.'
        ) : (
          <>
            The score would {delta > 0 ? 'rise' : 'fall'} by{' '}
            <Badge tone={delta > 0 ? 'good' : 'bad'}>{count(Math.abs(delta))} points</Badge>.
          </>
        )}
      </p>
      <Table
        caption="Points by factor"
        rows={after.factors}
        empty="It would not be rated."
        columns={[
          { name: 'Factor', cell: ({ name }) => words(name) },
          { name: 'As it is', number: true, cell: ({ name }) => was.get(name) ?? '–' },
          { name: 'As it would be', number: true, cell: ({ points }) => count(points) },
          { name: 'At most', number: true, cell: ({ max }) => count(max) },
        ]}
      />
      <h3>Reasons then</h3>
      <ul>
        {after.reason_codes.map(({ code, text }) => (
          <li>
            {text} <code>{code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
};
