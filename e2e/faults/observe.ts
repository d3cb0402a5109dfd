import { setTimeout as sleep } from 'node:timers/promises';
import { heldBy } from './flat';
import { IMPORTS, JOBS_UNDER_WAY, REPORTS } from './jobs';
import type { Journal, Observed } from './journal';
import type { Leak } from './secrets';
import type { Stage } from './stage';

const REST_TIMEOUT_MS = 180_000;
const POLL_MS = 1_000;
const SAMPLE_MS = 5_000;
/** So often in a row nothing has moved. */
const STILL = 4;

const DATABASES = [
  'identity',
  'reporting_live',
  'reporting_test',
  'scoring_live',
  'scoring_test',
  'disputes_live',
  'disputes_test',
  'webhooks_live',
  'webhooks_test',
] as const;

const sumOf = (expression: (schema: string) => string) =>
  `SELECT (${DATABASES.map((schema) => `(${expression(schema)})`).join(' + ')})::integer AS count`;

const UNPUBLISHED = sumOf(
  (schema) => `SELECT count(*) FROM ${schema}.outbox WHERE published_at IS NULL`,
);
const DEAD_LETTERS = sumOf((schema) => `SELECT count(*) FROM ${schema}.dead_letters`);
const PENDING = sumOf((schema) =>
  schema.startsWith('webhooks')
    ? `SELECT count(*) FROM ${schema}.deliveries WHERE status = 'PENDING'`
    : 'SELECT 0',
);
/** Grows with everything that a consumer takes in. */
const TAKEN = sumOf((schema) => `SELECT count(*) FROM ${schema}.inbox`);
const TEST_ROWS = `SELECT ((SELECT count(*) FROM reporting_test.credit_events)
  + (SELECT count(*) FROM reporting_test.accounts)
  + (SELECT count(*) FROM webhooks_test.deliveries))::integer AS count`;

/** Waits until everything that was put aside has been dealt with, by the databases and by the consumers of events. */
export async function untilRest(stage: Stage, journal: Journal): Promise<void> {
  const until_ms = Date.now() + REST_TIMEOUT_MS;
  let before = '';
  let still = 0;
  while (still < STILL && Date.now() < until_ms) {
    await sleep(POLL_MS);
    const [unpublished, pending, taken, jobs] = [
      await count(stage, UNPUBLISHED),
      await count(stage, PENDING),
      await count(stage, TAKEN),
      await count(stage, JOBS_UNDER_WAY),
    ];
    const backlog = await stage.nats.backlog();
    const now = `${unpublished} unpublished, ${backlog ?? 'unknown'} not taken in, ${taken} taken in, ${pending} deliveries pending, ${jobs} jobs`;
    const is_done = unpublished + pending + jobs === 0 && backlog === 0;
    still = now === before && is_done ? still + 1 : 0;
    before = now;
  }
  journal.write({
    t: 'rest',
    at_ms: journal.now_ms(),
    reached: still >= STILL,
    what: before,
  });
}

async function count(stage: Stage, text: string): Promise<number> {
  // Just after the last fault the server may not be back yet.
  for (let tries = 0; ; tries += 1) {
    try {
      const [row] = await stage.sql<{ count: number }>(text);
      return row?.count ?? 0;
    } catch (error) {
      if (tries >= 20) throw error;
      await sleep(POLL_MS);
    }
  }
}

/** Reads what stands, past every service, and has the operator's commands check it. */
export async function observe(stage: Stage): Promise<Observed> {
  const command = async (service: string, ...args: string[]) => {
    const { exit_code, output } = await stage.system.runCommand(service, ...args);
    return { name: args.join(' '), exit_code, output };
  };
  // First, for reconcile mends what it finds.
  const commands = [
    await command('reporting', 'verify-record'),
    await command('scoring', 'reconcile', '--deep'),
    await command('identity', 'verify-audit'),
  ];
  return {
    commands,
    events: await stage.sql(
      `SELECT e.id, e.source_reference AS reference,
         told.receiver_institution_ids::text[] AS receivers,
         'credit.' || lower(e.notice) || '.reported' AS notice
       FROM reporting_live.credit_events e
       LEFT JOIN reporting_live.told_notices told ON told.credit_event_id = e.id`,
    ),
    accounts: await stage.sql(
      'SELECT id, external_account_id AS external_id FROM reporting_live.accounts',
    ),
    disputes: await stage.sql('SELECT id, status FROM disputes_live.disputes'),
    audit: await stage.sql(
      // An event's entry is about its account, and names it.
      `SELECT action,
         CASE action WHEN 'event.reported' THEN changes::jsonb ->> 'credit_event_id' ELSE target_id END AS target_id,
         count(*)::integer AS count
       FROM identity.audit_events
       WHERE action IN ('account.created', 'event.reported', 'events.reported', 'dispute.opened')
       GROUP BY 1, 2`,
    ),
    imports: await stage.sql(IMPORTS),
    reports: await stage.sql(REPORTS),
    test_rows: await count(stage, TEST_ROWS),
    unpublished: await count(stage, UNPUBLISHED),
    dead_letters: await count(stage, DEAD_LETTERS),
    pending_deliveries: await count(stage, PENDING),
    leaks: await leaksOf(stage),
  };
}

/** All rows of all tables as text, and what the processes have printed and traced. */
async function leaksOf(stage: Stage): Promise<Leak[]> {
  const { secrets, system, traces } = stage;
  const leaks = [...secrets.inOperation('the log', system.output()), ...traces.leaks];
  if (traces.bytes === 0) leaks.push({ what: 'nothing', where: 'the traces, which did not come' });
  const tables = await stage.sql<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  for (const { name } of tables) {
    const rows = await stage.sql<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    leaks.push(...secrets.inDatabase(name, rows.map(({ text }) => text).join('\n')));
  }
  return leaks;
}

const CONNECTIONS = `SELECT count(*)::integer AS count FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/** Looks now and then at what the processes hold, until it is told that that is enough. */
export async function takeSamples(stage: Stage, journal: Journal, over: AbortSignal) {
  while (!over.aborted) {
    await takeSample(stage, journal);
    await sleep(SAMPLE_MS, undefined, { signal: over }).catch(() => {});
  }
}

/** PostgreSQL may be away: then there is none. */
export async function takeSample(stage: Stage, journal: Journal): Promise<void> {
  const [row] = await stage.sql<{ count: number }>(CONNECTIONS).catch(() => []);
  if (row === undefined) return;
  const processes = heldBy(stage.system.runRecord().processes);
  journal.write({ t: 'sample', at_ms: journal.now_ms(), processes, connections: row.count });
}
