import type { Operations, WireOf } from '@credit/contract';
import type { Counted } from '@credit/drawing';
import { isAppError } from '@credit/platform/errors';
import type { FC } from 'hono/jsx';
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
  const [{ value: metrics }, traffic] = await Promise.all([
    page.call('getNetworkMetrics'),
    ifAnswered(page.call('getNetworkTraffic')),
  ]);
  const { applications_waiting, contact_requests_waiting, disputes } = metrics;
  const given_up = traffic?.value.deliveries?.hours.reduce((sum, hour) => sum + hour.given_up, 0);
  return (
    <>
      <div class="stats">
        <Queue
          name="Applications that wait"
          path="/network/applications"
          of={applications_waiting}
        />
        <Queue
          name="Contact requests"
          path="/network/contact-requests"
          of={contact_requests_waiting}
        />
        <Queue
          name="Disputes overdue"
          path="/network/disputes"
          of={disputes && { count: disputes.overdue, waiting_since: disputes.due_at }}
          late
        />
        <Stat
          name="Disputes open"
          href={hrefIn('live', '/network/disputes')}
          value={disputes === null ? '–' : count(disputes.open)}
        />
        <Stat name="Subjects" value={metrics.subjects === null ? '–' : count(metrics.subjects)} />
        <Stat
          name="Events in 24 hours"
          value={metrics.events === null ? '–' : count(metrics.events.last_24h)}
        />
        <Stat
          name="Deliveries given up in 24 hours"
          value={given_up === undefined ? '–' : count(given_up)}
          tone={(given_up ?? 0) > 0 ? 'warn' : 'plain'}
        />
      </div>
      <ToDo services={metrics.services} />
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
                name: 'To publish',
                number: true,
                cell: (service) => {
                  const { unpublished, oldest_age_s } = outboxOf(service);
                  return unpublished === 0
                    ? '0'
                    : `${count(unpublished)}, ${duration(oldest_age_s)}`;
                },
              },
              { name: 'To take in', number: true, cell: (service) => count(behind(service)) },
              {
                name: 'Given up',
                number: true,
                cell: ({ dead_letters }) => (dead_letters === null ? '–' : count(dead_letters)),
              },
            ]}
          />
          <p class="soft">
            Events that a service has still to publish, with the age of the oldest; that it has
            still to take in; and that it gave up.
          </p>
        </section>
      </div>
    </>
  );
}

type Service = WireOf<Operations['getNetworkMetrics']>['services'][number];

/** Something that waits for administrators: how much, and for how long already. */
const Queue: FC<{
  name: string;
  path: string;
  of: { count: number; waiting_since: string | null } | null;
  /** It should not be there at all. */
  late?: boolean;
}> = ({ name, path, of, late }) => (
  <Stat
    name={name}
    href={hrefIn('live', path)}
    value={of === null ? '–' : count(of.count)}
    tone={of === null || of.count === 0 ? 'plain' : late ? 'bad' : 'warn'}
  >
    {of?.waiting_since && (
      <p class="soft">
        the oldest for {duration((Date.now() - Date.parse(of.waiting_since)) / 1_000)},{' '}
        <Time at={of.waiting_since} day />
      </p>
    )}
  </Stat>
);

/** A span as people say it, in its largest unit. */
function duration(of_s: number): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const;
  const [unit_s, name] = units.find(([least_s]) => of_s >= least_s) ?? [1, 'second'];
  const number = Math.max(0, Math.floor(of_s / unit_s));
  return `${count(number)} ${name}${number === 1 ? '' : 's'}`;
}

/** Of both environments together, and the oldest of both. */
function outboxOf({ outboxes }: Service): { unpublished: number; oldest_age_s: number } {
  return {
    unpublished: outboxes.reduce((sum, { unpublished }) => sum + unpublished, 0),
    oldest_age_s: Math.max(0, ...outboxes.map(({ oldest_age_s }) => oldest_age_s)),
  };
}

function behind({ consumers }: Service): number {
  return consumers.reduce((sum, { pending }) => sum + pending, 0);
}

/** As the alarms have it: from so old on, or so many, something holds them up. */
const STUCK_S = 60;
const MANY_BEHIND = 1_000;

/** What somebody has to see to, and how; nothing while all runs. */
const ToDo: FC<{ services: readonly Service[] }> = ({ services }) => {
  const todo = services.flatMap((service) => {
    const { name, reachable, dead_letters, consumers } = service;
    if (!reachable) return [`${name} does not answer: see whether it runs, and its log.`];
    const { oldest_age_s } = outboxOf(service);
    const late = consumers.filter(({ pending }) => pending >= MANY_BEHIND);
    return [
      ...(oldest_age_s > STUCK_S
        ? [
            `${name} has published nothing for ${duration(oldest_age_s)}: see whether NATS can be reached (runbook OutboxStuck). Nothing is lost; what follows from its events is late.`,
          ]
        : []),
      ...late.map(
        ({ name: consumer, pending }) =>
          `${name} is ${count(pending)} messages behind with ${consumer}: if that grows, give it more replicas (runbook ConsumerBehind).`,
      ),
      ...((dead_letters ?? 0) > 0
        ? [
            `${name} gave up ${count(dead_letters ?? 0)} events: look at them with “credit ${name} dead-letters”, and take them in again with --retry once the cause is gone (runbook DeadLettersWaiting).`,
          ]
        : []),
    ];
  });
  if (todo.length === 0) return null;
  return (
    <section class="needs" aria-labelledby="todo">
      <h2 id="todo">Needs an operator</h2>
      <ul>
        {todo.map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    </section>
  );
};

type NetworkTraffic = WireOf<Operations['getNetworkTraffic']>;
type DeliveryTraffic = NonNullable<NetworkTraffic['deliveries']>['hours'][number];

const HOUR_MS = 3_600_000;

/** Columns of a day and of a month, and the same in numbers. */
function Traffic({ of: { hours, days, deliveries } }: { of: NetworkTraffic }) {
  const now_ms = Date.now();
  const eventsOf = ({ events }: NetworkTraffic['days'][number]) => ({ value: events });
  const sentOf = ({ delivered, failed_attempts }: DeliveryTraffic) => ({
    value: delivered,
    bad: failed_attempts,
  });
  const came = [
    { name: 'Events of 24 hours', of: ofDay(hours, now_ms, eventsOf) },
    { name: 'Events of 30 days', of: ofMonth(days, now_ms, eventsOf) },
  ];
  const bad = 'attempts failed';
  const sent = deliveries && [
    { name: 'Deliveries of 24 hours', of: ofDay(deliveries.hours, now_ms, sentOf), bad },
    { name: 'Deliveries of 30 days', of: ofMonth(deliveries.days, now_ms, sentOf), bad },
  ];
  return (
    <>
      {[came, sent].map(
        (row) =>
          row && (
            <div class="columns">
              {row.map((picture) => (
                <section>
                  <h2>{picture.name}</h2>
                  <Columns {...picture} />
                </section>
              ))}
            </div>
          ),
      )}
      {sent && <p class="soft">On top of deliveries that arrived: attempts that failed.</p>}
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
        <Table
          caption="What came of webhook deliveries by day"
          rows={[...(deliveries?.days ?? [])].reverse()}
          empty={
            deliveries === null
              ? 'The service that sends does not answer.'
              : 'Nothing was sent in 30 days.'
          }
          columns={[
            { name: 'Day', cell: ({ from }) => <Time at={from} day /> },
            { name: 'Delivered', number: true, cell: ({ delivered }) => count(delivered) },
            {
              name: 'Attempts failed',
              number: true,
              cell: ({ failed_attempts }) => count(failed_attempts),
            },
            { name: 'Given up', number: true, cell: ({ given_up }) => count(given_up) },
          ]}
        />
      </details>
    </>
  );
}

type CountsOf<Row> = (row: Row) => Omit<Counted, 'at'>;

function ofDay<Row extends { from: string }>(
  counted: readonly Row[],
  now_ms: number,
  countsOf: CountsOf<Row>,
): Counted[] {
  return filled({ counted, countsOf, now_ms, number: 24, step_ms: HOUR_MS, shown: 16 });
}

function ofMonth<Row extends { from: string }>(
  counted: readonly Row[],
  now_ms: number,
  countsOf: CountsOf<Row>,
): Counted[] {
  return filled({ counted, countsOf, now_ms, number: 30, step_ms: DAY_MS, shown: 10 });
}

/** The last so many hours or days, those of nothing too; in UTC. */
function filled<Row extends { from: string }>(of: {
  counted: readonly Row[];
  countsOf: CountsOf<Row>;
  now_ms: number;
  number: number;
  step_ms: number;
  shown: number;
}): Counted[] {
  const { number, step_ms } = of;
  const by_time = new Map(of.counted.map((row) => [Date.parse(row.from), of.countsOf(row)]));
  const last_ms = Math.floor(of.now_ms / step_ms) * step_ms;
  return Array.from({ length: number }, (_, index) => {
    const at_ms = last_ms - (number - 1 - index) * step_ms;
    const at = new Date(at_ms).toISOString().slice(0, of.shown).replace('T', ' ');
    return { at, ...(by_time.get(at_ms) ?? { value: 0 }) };
  });
}
