import { AccountStatus } from '@credit/proto/reporting/v1/types';
import { attempt, ifAnswered } from '../attempt';
import {
  count,
  Done,
  Facts,
  FaultSummary,
  Field,
  Filters,
  Id,
  money,
  Notice,
  Pager,
  Select,
  Table,
  Time,
} from '../components';
import type { Page, View } from '../page';
import { PaymentGrid } from '../pictures';
import { ACCOUNTS, type Account, choicesOf, daysPastDue, rate, Standing } from '../record';
import { type Screen, withPermission } from '../screen';
import { Timeline } from '../timeline';
import { words } from '../words';

/** The institution's own accounts. */
export const accountsScreen: Screen = {
  path: ACCOUNTS,
  place: { section: 'Record', label: 'Accounts' },
  isFor: withPermission('records.read'),
  by_environment: true,
  show: async (page) => {
    const filter = {
      status: page.query('status'),
      external_account_id: page.query('external_account_id'),
      subject_id: page.query('subject_id'),
    };
    const query = { ...filter, limit: '25', cursor: page.query('cursor') };
    const outcome = await attempt(() => page.call('listAccounts', { query }));
    const faults = 'faults' in outcome ? outcome.faults : undefined;
    const found = 'done' in outcome ? outcome.done : undefined;
    const narrowed = Object.values(filter).some((value) => value !== undefined);
    return {
      title: 'Accounts',
      status: faults === undefined ? 200 : 422,
      body: (
        <>
          <Filters kept={{ subject_id: filter.subject_id }}>
            <Field
              name="external_account_id"
              label="Your own id of the account"
              type="search"
              value={filter.external_account_id}
              faults={faults}
            />
            <Select
              name="status"
              label="Standing"
              value={filter.status}
              choices={[{ value: '', label: 'Any' }, ...choicesOf(AccountStatus)]}
              faults={faults}
            />
          </Filters>
          {faults && <FaultSummary faults={faults} page={page} />}
          {filter.subject_id && (
            <p class="soft">
              Of the subject <Id of={filter.subject_id} /> alone.{' '}
              <a href={page.href(ACCOUNTS)}>Show all accounts</a>
            </p>
          )}
          {found && (
            <>
              <AccountTable
                page={page}
                rows={found.value}
                empty={
                  narrowed
                    ? 'None of your accounts is like that.'
                    : 'Nothing is reported yet: accounts come by the API, or from a file.'
                }
              />
              <Pager page={page} path={ACCOUNTS} next={found.next_cursor} query={filter} />
            </>
          )}
        </>
      ),
    };
  },
};

const AccountTable = ({
  page,
  rows,
  empty,
}: {
  page: Page;
  rows: readonly Account[];
  empty: string;
}) => (
  <Table
    caption="Accounts"
    rows={rows}
    empty={empty}
    columns={[
      {
        name: 'Account',
        cell: ({ id, external_account_id }) => (
          <a href={page.href(`${ACCOUNTS}/${id}`)}>{external_account_id}</a>
        ),
      },
      { name: 'Kind', cell: ({ account_type }) => words(account_type) },
      { name: 'Standing', cell: ({ status }) => <Standing of={status} /> },
      {
        name: 'Balance',
        number: true,
        cell: ({ current_balance, currency }) => money(current_balance, currency),
      },
      {
        name: 'Days past due',
        number: true,
        cell: ({ days_past_due }) => count(days_past_due),
      },
      { name: 'Opened', cell: ({ opened_at }) => <Time at={opened_at} day /> },
      { name: 'Last event', cell: ({ updated_at }) => <Time at={updated_at} /> },
    ]}
  />
);

/** One account: its facts, how it was paid, and everything that was reported of it. */
export const accountScreen: Screen = {
  path: `${ACCOUNTS}/:account_id`,
  isFor: withPermission('records.read'),
  by_environment: true,
  show: (page) => accountPage(page),
};

const DONE = {
  reported: 'The event is on record.',
  corrected: 'The correction is on record. What it corrects stays readable below.',
};

async function accountPage(page: Page): Promise<View> {
  const params = { account_id: page.param('account_id') };
  const query = { with_standing: 'true', limit: '50', cursor: page.query('cursor') };
  const [{ value: account }, events, payments] = await Promise.all([
    page.call('getAccount', { params }),
    page.call('listAccountEvents', { params, query }),
    // They come from another service than the record: without it, the page shows the rest.
    ifAnswered(page.call('getAccountPayments', { params })),
  ]);
  const here = `${ACCOUNTS}/${account.id}`;
  return {
    title: account.external_account_id,
    body: (
      <>
        <Done page={page} says={DONE} />
        {account.voided && (
          <Notice>
            <p>
              This account was taken off the file. Only the correction that did so can be corrected,
              which would bring it back.
            </p>
          </Notice>
        )}
        <AccountFacts page={page} of={account} />
        <h2>Payments of 24 months</h2>
        {payments === undefined ? (
          <p class="soft">They cannot be shown at the moment. Load the page again in a while.</p>
        ) : (
          <>
            <PaymentGrid grid={payments.value.payment_grid} until={payments.value.as_of} />
            <p class="soft">
              {months(payments.value.on_time_24m)} paid in time, {months(payments.value.late_24m)}{' '}
              late.
            </p>
          </>
        )}
        <div class="heading-row">
          <h2>Everything reported</h2>
          {page.may('records.write') && !account.voided && (
            <a class="button quiet no-print" href={page.href(`${here}/report`)}>
              Report an event
            </a>
          )}
        </div>
        <p class="soft">
          The latest recorded first. Nothing is ever changed or removed: a correction takes the
          place of an event, and both stay.
        </p>
        <Timeline page={page} account={account} events={events.value} corrects />
        <Pager page={page} path={here} next={events.next_cursor} />
      </>
    ),
  };
}

function months(number: number): string {
  return number === 1 ? '1 month' : `${count(number)} months`;
}

const AccountFacts = ({ page, of }: { page: Page; of: Account }) => {
  const { currency } = of;
  const interest = rate(of.interest_rate_bps);
  const kind = of.interest_type === null ? undefined : words(of.interest_type).toLowerCase();
  return (
    <Facts
      of={[
        ['Standing', <Standing of={of.status} />],
        ['Stands so since', <Time at={of.status_since} day none="not known" />],
        ['Balance', money(of.current_balance, currency)],
        ['Days past due', daysPastDue(of)],
        ...(of.first_delinquency_at === null
          ? []
          : [['Latest trouble began', <Time at={of.first_delinquency_at} day />] as const]),
        ['Kind', words(of.account_type)],
        ['Lent at first', money(of.original_principal, currency)],
        ['Interest', [interest, kind].filter(Boolean).join(', ') || 'not reported'],
        ['Payments', of.payment_frequency ? words(of.payment_frequency) : 'not reported'],
        ['Opened', <Time at={of.opened_at} day />],
        ['Matures', <Time at={of.maturity_at} day none="not reported" />],
        ...(of.closed_at === null ? [] : [['Closed', <Time at={of.closed_at} day />] as const]),
        [
          'Subject',
          page.may('credit.read') ? (
            <a href={page.href(`/subjects/${of.subject_id}`)}>Open the subject</a>
          ) : (
            <Id of={of.subject_id} />
          ),
        ],
        ['Open disputes', count(of.open_dispute_count)],
        ['Network id', <Id of={of.id} />],
        ['On file since', <Time at={of.created_at} day />],
      ]}
    />
  );
};
