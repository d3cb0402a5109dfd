import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { systemContext } from '@credit/platform/context';
import { CheckpointKeys } from '@credit/platform/merkle';
import { newId } from '@credit/platform/runtime';
import { testLogger } from '@credit/testing';
import pg from 'pg';
import { checkpointChain } from '../src/commands/checkpoint-audit';
import { recordAuditEvents } from '../src/commands/record-audit-events';
import { verifyAuditChains } from '../src/queries/verify-audit-chain';
import { auditMonths, makeAuditMonths } from '../src/store/audit-months';
import { monthKeeper } from '../src/workers/month-keeper';
import { auditEntry, SIGNING_KEY, useIdentity } from './support/identity';

const identity = useIdentity();
const ctx = systemContext('live');
const keys = new CheckpointKeys(SIGNING_KEY);

const append = (chain_id: string, ...targets: string[]) =>
  identity.database.db.transaction(ctx, (tx) =>
    recordAuditEvents(
      tx,
      targets.map((target) => auditEntry(chain_id, target)),
    ),
  );
const partsOf = async (chain_id: string) =>
  (
    await identity.sql<{ part: string }>(
      `SELECT tableoid::regclass::text AS part FROM audit_events WHERE chain_id = $1
       ORDER BY sequence`,
      [chain_id],
    )
  ).map(({ part }) => part);
const report = async (chain_id: string) => {
  const [found] = await verifyAuditChains(identity.database.db, ctx, chain_id, {
    verifier: keys.verifier,
  });
  return found;
};
const months = () => auditMonths(identity.database.db.read(ctx));
const make = (ahead: number) =>
  identity.database.db.transaction(ctx, (tx) => makeAuditMonths(tx, ahead));

test('an entry whose month has no part is written all the same, and moves there when it is made', async () => {
  const chain_id = newId();
  await append(chain_id, '1', '2');
  expect(await partsOf(chain_id)).toEqual(['audit_events_other', 'audit_events_other']);
  expect((await months()).without_month).toBeGreaterThan(0);

  const worker = monthKeeper({ db: identity.database.db }, testLogger);
  await worker.once();
  expect(await months()).toEqual({ ahead: 3, without_month: 0, without_file: 0 });
  await append(chain_id, '3');
  const [part, ...others] = await partsOf(chain_id);
  expect(part).toMatch(/^audit_events_\d{4}_\d\d$/);
  expect(others).toEqual([part, part]);
  expect(await report(chain_id)).toMatchObject({ verified: 3n, fault: undefined });
  // A second replica, or the next hour, has nothing to do.
  expect(await Promise.all([make(3), make(3)])).toEqual([0, 0]);
  expect(await make(4)).toBe(1);
});

test('months have the indexes and keys of the part that they are made like', async () => {
  const of = async (part: string) =>
    (
      await identity.sql<{ text: string }>(
        `SELECT regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+ ON \\S+', '') AS text
         FROM pg_index WHERE indrelid = $1::regclass ORDER BY 1`,
        [part],
      )
    ).map(({ text }) => text);
  const [part = ''] = await partsOf(await chainOfOne());
  expect(await of(part)).toHaveLength(5);
  expect(await of(part)).toEqual(await of('audit_events_other'));
});

async function chainOfOne(): Promise<string> {
  const chain_id = newId();
  await append(chain_id, '1');
  return chain_id;
}

test('a chain does not go back to an earlier month', async () => {
  const chain_id = await chainOfOne();
  // As if another had come after midnight, of a transaction that began before.
  await identity.sql(
    "UPDATE audit_chains SET month = (month + interval '1 month')::date WHERE chain_id = $1",
    [chain_id],
  );
  await append(chain_id, '2');
  const [first, second] = await partsOf(chain_id);
  expect(second && first && second > first).toBe(true);
  await checkpointChain(
    {
      db: identity.database.db,
      clock: { now_ms: () => Date.now() },
      checkpoint_keys: keys,
      config: { AUDIT_CHECKPOINT_EVERY_S: 1 },
    },
    chain_id,
  );
  expect(await report(chain_id)).toMatchObject({ verified: 2n, covered: 2, fault: undefined });
});

// What entries of before the months were is what the migrations make of them; here on a schema of its own.
test('a log that was there before becomes a part as it is, while the release before writes on', async () => {
  const folder = path.join(__dirname, '../migrations');
  const files = readdirSync(folder).sort();
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const of_months = files.filter((name) => /^00(18|19|20)_/.test(name));
  expect(of_months).toHaveLength(3);
  const insert = `INSERT INTO audit_events (chain_id, sequence, id, at, actor_type, actor_id, action,
     target_type, target_id, environment, request_id, ip, changes, prev_hash, hash)
   SELECT gen_random_uuid(), n, gen_random_uuid(), now(), '', '', '', '', '', '', '', '', '{}', '', ''
   FROM generate_series(1, 5) AS n`;
  const script = [
    'CREATE SCHEMA before_months',
    'SET LOCAL search_path = before_months',
    ...[
      'CREATE TABLE audit_chains',
      'CREATE TABLE audit_events',
      'CREATE INDEX audit_events',
    ].flatMap((begin) =>
      text('0001_identity.sql')
        .split(';')
        .map((part) => part.replace(/^(?:\s|--.*\n)*/, ''))
        .filter((part) => part.startsWith(begin)),
    ),
    'CREATE INDEX audit_events_by_id ON audit_events (chain_id, id)',
    `CREATE INDEX audit_events_of_batches ON audit_events
     USING gin ((changes::jsonb -> 'account_ids')) WHERE target_type = 'batch'`,
    `CREATE INDEX audit_events_of_batches_of_subjects ON audit_events
     USING gin ((changes::jsonb -> 'subject_ids')) WHERE target_type = 'batch'`,
    insert,
    'CREATE TABLE kept AS SELECT pg_relation_filenode(oid) AS node, oid FROM pg_class WHERE relname = ' +
      "'audit_events' AND relnamespace = 'before_months'::regnamespace",
    ...of_months.map(text),
    insert,
  ].join(';\n');
  const client = new pg.Client({ connectionString: identity.database.admin_url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(script);
    const { rows } = await client.query<{ part: string; count: number }>(
      `SELECT tableoid::regclass::text AS part, count(*)::integer FROM audit_events
       GROUP BY 1 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { part: 'audit_events_before', count: 5 },
      { part: 'audit_events_other', count: 5 },
    ]);
    // The same file, neither copied nor written anew.
    const { rows: nodes } = await client.query<{ same: boolean }>(
      'SELECT pg_relation_filenode(oid) = node AS same FROM kept',
    );
    expect(nodes).toEqual([{ same: true }]);
  } finally {
    await client.query('ROLLBACK');
    await client.end();
  }
});

test('a month that is long over and has no file is counted until it has one', async () => {
  const owner = identity.database.db.pool('live');
  await owner.query(`DO $$
    DECLARE past date := date_trunc('month', now() AT TIME ZONE 'UTC') - interval '3 months';
    BEGIN
      CREATE TABLE audit_events_past (LIKE audit_events_other INCLUDING ALL);
      EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION audit_events_past
        FOR VALUES FROM (%L) TO (%L)', past, (past + interval '1 month')::date);
      UPDATE audit_events SET month = past WHERE id = (SELECT id FROM audit_events LIMIT 1);
    END $$`);
  expect((await months()).without_file).toBe(1);
  await owner.query(`INSERT INTO audit_exports (month, entries, digest, seal)
    SELECT month, count(*), sha256('file'), 'seal' FROM audit_events_past GROUP BY month`);
  expect((await months()).without_file).toBe(0);
});
