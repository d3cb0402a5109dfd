import { isAppError } from '@credit/platform/errors';
import { Badge, count, Done, Facts, money, Stat, Table, Time } from '../components';
import { hrefIn, type Page } from '../page';
import { everybody, type Screen } from '../screen';
import { words } from '../words';

const DONE: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Your other sessions have ended.',
  joined: 'Welcome. You are signed in.',
};

/** Where everybody arrives. */
export const homeScreen: Screen = {
  path: '/',
  place: { section: 'Institution', label: 'Home' },
  isFor: everybody,
  by_environment: true,
  show: async (page) => ({
    title: page.me.institution?.name ?? 'The network',
    body: (
      <>
        <Done page={page} says={DONE} />
        {page.is_administrator ? await network(page) : await member(page)}
      </>
    ),
  }),
};

/** What a part of the page asks for; undefined where the reader may not see it. */
async function ifAllowed<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isAppError(error) && error.code === 'INSUFFICIENT_SCOPE') return undefined;
    throw error;
  }
}

async function member(page: Page) {
  const { me } = page;
  const [health, summary, open, overdue] = await Promise.all([
    ifAllowed(page.call('getReportingHealth')),
    ifAllowed(page.call('getAccountSummary')),
    ifAllowed(page.call('listDisputes', { query: { status: 'OPEN', limit: '1' } })),
    ifAllowed(page.call('listDisputes', { query: { overdue: 'true', limit: '1' } })),
  ]);
  const late = overdue?.total_count ?? 0;
  return (
    <>
      <div class="stats">
        {health && (
          <Stat
            name="Furnishing health"
            value={health.value.grade ?? '–'}
            href={page.href('/reporting-health')}
            note={
              health.value.score === null
                ? 'Nothing reported yet'
                : `${health.value.score} of 100 over 90 days`
            }
          />
        )}
        {summary && (
          <Stat
            name="Accounts on file"
            value={count(summary.value.account_count)}
            note={`${count(summary.value.disputed_count)} disputed`}
          />
        )}
        {open && (
          <Stat
            name="Disputes open"
            value={count(open.total_count ?? 0)}
            note={late > 0 ? `${count(late)} overdue` : 'None overdue'}
            tone={late > 0 ? 'bad' : 'plain'}
          />
        )}
      </div>
      {summary && (
        <section>
          <h2>Your accounts</h2>
          <Table
            caption="Accounts by currency and standing"
            rows={summary.value.groups}
            empty="Nothing is reported yet."
            columns={[
              { name: 'Standing', cell: ({ status }) => words(status) },
              { name: 'Accounts', number: true, cell: (group) => count(group.account_count) },
              {
                name: 'Balance',
                number: true,
                cell: ({ balance, currency }) => money(balance, currency),
              },
              {
                name: 'Lent',
                number: true,
                cell: ({ original_principal, currency }) => money(original_principal, currency),
              },
            ]}
          />
          <p class="soft">
            Last event recorded: <Time at={summary.value.last_reported_at} />
          </p>
        </section>
      )}
      <Facts
        of={[
          ['You are', me.display_name],
          ['With the role', words(me.role ?? 'none')],
          ['Institution', <Badge tone="good">{words(me.institution?.status ?? '')}</Badge>],
        ]}
      />
    </>
  );
}

async function network(page: Page) {
  const { value: metrics } = await page.call('getNetworkMetrics');
  const applications = await page.call('listApplications', {
    query: { status: 'PENDING', limit: '1' },
  });
  const requests = await page.call('listContactRequests', {
    query: { status: 'OPEN', limit: '1' },
  });
  const [waiting, open] = [applications.total_count ?? 0, requests.total_count ?? 0];
  const overdue = metrics.disputes?.overdue ?? 0;
  return (
    <>
      <div class="stats">
        <Stat
          name="Applications that wait"
          value={count(waiting)}
          href={hrefIn('live', '/network/applications')}
          tone={waiting > 0 ? 'warn' : 'plain'}
        />
        <Stat
          name="Contact requests"
          value={count(open)}
          href={hrefIn('live', '/network/contact-requests')}
          tone={open > 0 ? 'warn' : 'plain'}
        />
        <Stat
          name="Disputes open"
          value={metrics.disputes === null ? '–' : count(metrics.disputes.open)}
          note={overdue > 0 ? `${count(overdue)} overdue` : 'none overdue'}
          tone={overdue > 0 ? 'bad' : 'plain'}
        />
        <Stat name="Subjects" value={metrics.subjects === null ? '–' : count(metrics.subjects)} />
        <Stat
          name="Events in 24 hours"
          value={metrics.events === null ? '–' : count(metrics.events.last_24h)}
        />
        <Stat
          name="Deliveries failed in 24 hours"
          value={metrics.deliveries_24h === null ? '–' : count(metrics.deliveries_24h.failed)}
          tone={(metrics.deliveries_24h?.failed ?? 0) > 0 ? 'warn' : 'plain'}
        />
      </div>
      <div class="columns">
        <section>
          <h2>Institutions</h2>
          <Table
            caption="Institutions by state"
            rows={metrics.institutions ?? []}
            empty="No institution yet."
            columns={[
              { name: 'State', cell: ({ status }) => words(status) },
              { name: 'Number', number: true, cell: (row) => count(row.count) },
            ]}
          />
        </section>
        <section>
          <h2>Services</h2>
          <Table
            caption="Services"
            rows={metrics.services}
            empty="None is known."
            columns={[
              { name: 'Name', cell: ({ name }) => name },
              {
                name: 'State',
                cell: ({ reachable }) => (
                  <Badge tone={reachable ? 'good' : 'bad'}>
                    {reachable ? 'Answers' : 'Silent'}
                  </Badge>
                ),
              },
              {
                name: 'Unpublished',
                number: true,
                cell: ({ outboxes }) =>
                  count(outboxes.reduce((sum, { unpublished }) => sum + unpublished, 0)),
              },
            ]}
          />
        </section>
      </div>
    </>
  );
}
