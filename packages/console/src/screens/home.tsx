import type { Operations, WireOf } from '@credit/contract';
import type { Counted } from '@credit/drawing';
import { isAppError } from '@credit/platform/errors';
import { ifAnswered } from '../attempt';
import { Badge, count, Done, Facts, money, Stat, Table, Time } from '../components';
import { HealthStat } from '../health-stat';
import { hrefIn, type Page } from '../page';
import { Columns } from '../pictures';
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
  const [days, summary, open, needs] = await Promise.all([
    page.call('getReportingHealthByDay'),
    ifAllowed(page.call('getAccountSummary')),
    ifAllowed(page.call('listDisputes', { query: { stage: 'NEEDS_ANSWER', limit: '1' } })),
    needsOf(page),
  ]);
  return (
    <>
      {needs.length > 0 && (
        <section class="needs" aria-labelledby="needs">
          <h2 id="needs">Needs you</h2>
          <ul>
            {needs.map(({ text, href }) => (
              <li>
                <a href={href}>{text}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div class="stats">
        <HealthStat days={days.value} href={page.href('/reporting-health')} />
        {summary && (
          <Stat
            name="Accounts on file"
            href={page.may('records.read') ? page.href('/accounts') : undefined}
            value={count(summary.value.account_count)}
            note={`${count(summary.value.disputed_count)} disputed`}
          />
        )}
        {open && (
          <Stat
            name="Disputes to answer"
            value={count(open.total_count ?? 0)}
            href={page.href('/disputes')}
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
              {
                name: 'Standing',
                cell: ({ status }) =>
                  page.may('records.read') ? (
                    <a href={page.href('/accounts', { status })}>{words(status)}</a>
                  ) : (
                    words(status)
                  ),
              },
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

/** Something that somebody has to see to, and where. */
interface Need {
  readonly text: string;
  readonly href: string;
}

const DAY_MS = 86_400_000;
const ENDS_SOON_MS = 30 * DAY_MS;
const UNUSED_MS = 90 * DAY_MS;

/** What the reader may see of it, and nothing when all is well. */
async function needsOf(page: Page): Promise<Need[]> {
  const [overdue, keys, webhooks] = await Promise.all([
    ifAllowed(page.call('listDisputes', { query: { overdue: 'true', limit: '1' } })),
    page.may('api_keys.read')
      ? ifAllowed(page.call('listApiKeys', { query: { limit: '100' } }))
      : undefined,
    page.may('webhooks.manage')
      ? ifAllowed(page.call('listWebhooks', { query: { limit: '100' } }))
      : undefined,
  ]);
  const now_ms = Date.now();
  const passedMs = (since: string) => now_ms - Date.parse(since);
  const own = (keys?.value ?? []).filter(
    ({ active, environment }) => active && environment === page.environment,
  );
  const ending = own.filter(
    ({ expires_at }) => expires_at !== null && -passedMs(expires_at) < ENDS_SOON_MS,
  );
  const unused = own.filter(
    ({ last_used_at, created_at }) => passedMs(last_used_at ?? created_at) > UNUSED_MS,
  );
  const failing = (webhooks?.value ?? []).filter(
    ({ enabled, health }) =>
      enabled && (health.paused_until !== null || health.consecutive_failures > 0),
  );
  const needs = [
    [overdue?.total_count ?? 0, 'dispute is overdue', 'disputes are overdue', '/disputes'],
    [failing.length, 'webhook endpoint fails', 'webhook endpoints fail', '/webhooks'],
    [ending.length, 'API key ends within 30 days', 'API keys end within 30 days', '/keys'],
    [
      unused.length,
      'API key was not used for 90 days',
      'API keys were not used for 90 days',
      '/keys',
    ],
  ] as const;
  return needs.flatMap(([number, one, several, path]) =>
    number === 0
      ? []
      : [{ text: `${count(number)} ${number === 1 ? one : several}`, href: page.href(path) }],
  );
}

async function network(page: Page) {
  const [{ value: metrics }, traffic, applications, requests] = await Promise.all([
    page.call('getNetworkMetrics'),
    ifAnswered(page.call('getNetworkTraffic')),
    page.call('listApplications', { query: { status: 'PENDING', limit: '1' } }),
    page.call('listContactRequests', { query: { status: 'OPEN', limit: '1' } }),
  ]);
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
          href={hrefIn('live', '/network/disputes')}
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
      {traffic && <Traffic of={traffic.value} />}
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

type NetworkTraffic = WireOf<Operations['getNetworkTraffic']>;

const HOUR_MS = 3_600_000;

/** Columns of a day and of a month, and the same in numbers. */
function Traffic({ of: { hours, days } }: { of: NetworkTraffic }) {
  const now_ms = Date.now();
  const pictures = [
    { name: 'Events of 24 hours', of: filled(hours, 24, HOUR_MS, now_ms, 16) },
    { name: 'Events of 30 days', of: filled(days, 30, DAY_MS, now_ms, 10) },
  ];
  return (
    <>
      <div class="columns">
        {pictures.map((picture) => (
          <section>
            <h2>{picture.name}</h2>
            <Columns {...picture} />
          </section>
        ))}
      </div>
      <details>
        <summary>In numbers, by day</summary>
        <Table
          caption="What came on record by day"
          rows={[...days].reverse()}
          empty="Nothing came in 30 days."
          columns={[
            { name: 'Day', cell: ({ from }) => <Time at={from} day /> },
            { name: 'Accounts', number: true, cell: ({ accounts }) => count(accounts) },
            { name: 'Events', number: true, cell: ({ events }) => count(events) },
            { name: 'Inquiries', number: true, cell: ({ inquiries }) => count(inquiries) },
          ]}
        />
      </details>
    </>
  );
}

/** The last so many hours or days, those of nothing too; in UTC. */
function filled(
  counted: NetworkTraffic['hours'],
  number: number,
  step_ms: number,
  now_ms: number,
  shown: number,
): Counted[] {
  const by_time = new Map(counted.map(({ from, events }) => [Date.parse(from), events]));
  const last_ms = Math.floor(now_ms / step_ms) * step_ms;
  return Array.from({ length: number }, (_, index) => {
    const at_ms = last_ms - (number - 1 - index) * step_ms;
    const at = new Date(at_ms).toISOString().slice(0, shown).replace('T', ' ');
    return { at, value: by_time.get(at_ms) ?? 0 };
  });
}
