import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemContext } from '@credit/platform/context';
import { CheckpointKeys } from '@credit/platform/merkle';
import { newId, systemClock } from '@credit/platform/runtime';
import { testLogger } from '@credit/testing';
import { checkpointChain } from '../src/commands/checkpoint-audit';
import { recordAuditEvents } from '../src/commands/record-audit-events';
import { auditExportCommand } from '../src/operator/audit-export-command';
import { verifyAuditCommand } from '../src/operator/verify-audit-command';
import { verifyAuditChains, verifyDroppedMonths } from '../src/queries/verify-audit-chain';
import { verifyAuditExport } from '../src/queries/verify-audit-export';
import { listAuditRows } from '../src/store/audit';
import { makeAuditMonths } from '../src/store/audit-months';
import { auditEntry, outboxOf, SIGNING_KEY, useIdentity } from './support/identity';

const identity = useIdentity();
const ctx = systemContext('live');
const keys = new CheckpointKeys(SIGNING_KEY);
const evidence = { verifier: keys.verifier };
const [long, short] = [newId(), newId()].sort() as [string, string];
let directory: string;

const append = (chain_id: string, ...targets: string[]) =>
  identity.database.db.transaction(ctx, (tx) =>
    recordAuditEvents(
      tx,
      targets.map((target) => auditEntry(chain_id, target, { changes: '{"name":"ä\\u2028"}' })),
    ),
  );
const sign = (chain_id: string) =>
  checkpointChain(
    {
      db: identity.database.db,
      clock: systemClock,
      checkpoint_keys: keys,
      config: { AUDIT_CHECKPOINT_EVERY_S: 1 },
    },
    chain_id,
  );
const reportOf = async (chain_id: string) =>
  (await verifyAuditChains(identity.database.db, ctx, chain_id, evidence))[0];

/** What is there was written in a month of long ago. */
async function longAgo(month: string): Promise<void> {
  const part = `audit_events_${month.replace('-', '_')}`;
  const owner = identity.database.db.pool('live');
  await owner.query(`CREATE TABLE ${part} (LIKE audit_events_other INCLUDING ALL)`);
  await owner.query(
    `ALTER TABLE audit_events ATTACH PARTITION ${part}
     FOR VALUES FROM ('${month}-01') TO ('${month}-28')`,
  );
  await owner.query("UPDATE audit_events SET month = $1 WHERE month > '2016-01-01'", [
    `${month}-01`,
  ]);
}

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  await auditExportCommand(
    {
      db: identity.database.db,
      clock: systemClock,
      config: { AUDIT_RETENTION_MONTHS: 84, checkpoint_keys: keys },
    },
    ['--directory', directory, ...args],
    (line) => lines.push(line),
  );
  return lines.join('\n');
}

const fileOf = (month: string) => path.join(directory, `audit-${month}.jsonl.gz`);
const told = async (action: string) =>
  (await outboxOf(identity)).flatMap(({ payload }) =>
    payload?.$case === 'audit_recorded' && payload.value.action === action
      ? [{ month: payload.value.target_id, ...JSON.parse(payload.value.changes_json) }]
      : [],
  );

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'audit-export-'));
}, 60_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

test('a month is written, sealed and verified by itself, then dropped when its time is over', async () => {
  await identity.database.db.transaction(ctx, (tx) => makeAuditMonths(tx, 1));
  await append(long, ...Array.from({ length: 20 }, (_, index) => `${index}`));
  await append(short, 'a', 'b');
  await longAgo('2015-03');
  // Not before all of it is signed.
  await expect(run('--by', 'Ada')).rejects.toThrow('is not signed up to its entry 20 yet');
  await sign(long);
  await sign(short);
  await append(long, ...Array.from({ length: 17 }, (_, index) => `later ${index}`));
  await longAgo('2015-04');
  await append(long, 'now');
  await sign(long);

  await expect(run()).rejects.toThrow('--by');
  const tried = await run('--drop', '--dry-run');
  expect(tried).toContain('2015-03 would be exported');
  expect(await readdir(directory)).toEqual([]);

  expect(await run('--by', 'Ada', '--reason', 'monthly')).toMatch(/2015-03: 22 entries in/);
  expect((await readdir(directory)).sort()).toEqual(
    ['2015-03', '2015-04'].map((month) => path.basename(fileOf(month))),
  );
  const march = await verifyAuditExport(fileOf('2015-03'), keys.verifier);
  expect(march).toMatchObject({ month: '2015-03', entries: 22 });
  expect(march.ends).toMatchObject([
    { chain_id: long, first: 1n, last: 20n },
    { chain_id: short, first: 1n, last: 2n },
  ]);
  expect((await verifyAuditExport(fileOf('2015-04'), keys.verifier)).ends).toMatchObject([
    { chain_id: long, first: 21n, last: 37n },
  ]);
  expect(await told('audit.exported')).toMatchObject([
    { month: '2015-03', entries: 22, by: 'Ada', reason: 'monthly' },
    { month: '2015-04', entries: 17 },
  ]);
  // Each once.
  expect(await run('--by', 'Ada')).toBe('');

  expect(await run('--drop', '--dry-run')).toContain('2015-03 would be dropped');
  expect((await reportOf(long))?.verified).toBe(38n);
  const whole = await readFile(fileOf('2015-04'));
  await writeFile(fileOf('2015-04'), whole.subarray(0, whole.length - 30));
  // What is not there as it was exported stays in the database; what comes before it goes.
  await expect(run('--drop', '--by', 'Ada')).rejects.toThrow();
  expect(await told('audit.dropped')).toMatchObject([{ month: '2015-03', entries: 22 }]);
  await writeFile(fileOf('2015-04'), whole);
  expect(await run('--drop', '--by', 'Ada')).toContain('2015-04: 17 entries dropped');

  const on = identity.database.db.read(ctx);
  expect(await listAuditRows(on, long, {}, undefined, 100)).toMatchObject([{ target_id: 'now' }]);
  expect(await listAuditRows(on, short, {}, undefined, 100)).toEqual([]);
  expect(await reportOf(long)).toMatchObject({ verified: 38n, covered: 38, fault: undefined });
  expect(await reportOf(short)).toMatchObject({ verified: 2n, covered: 2, fault: undefined });
  expect(await verifyDroppedMonths(identity.database.db, ctx, evidence)).toMatchObject([
    { origin: 'credit-network/audit-export/2015-03', fault: undefined },
    { origin: 'credit-network/audit-export/2015-04', fault: undefined },
  ]);
  // What follows is signed on top of what was dropped, and proves that it begins with it.
  await append(short, 'c');
  expect(await sign(short)).toBe(true);
  expect(await reportOf(short)).toMatchObject({ verified: 3n, covered: 3, fault: undefined });
});

describe('an export that was changed is found:', () => {
  const lines = async () =>
    gunzipSync(await readFile(fileOf('2015-03')))
      .toString()
      .split('\n');
  const check = async (changed: readonly string[]) => {
    const file = path.join(directory, 'changed.jsonl.gz');
    await writeFile(file, gzipSync(changed.join('\n')));
    return verifyAuditExport(file, keys.verifier);
  };

  test.each([
    ['an entry', (text: string[]) => text.with(3, (text[3] ?? '').replace('user', 'nobody'))],
    ['an entry that is missing', (text: string[]) => text.toSpliced(3, 1)],
    ['a log that is missing', (text: string[]) => text.toSpliced(23, 4)],
    ['the last entries of a log', (text: string[]) => text.toSpliced(20, 2)],
    ['the end', (text: string[]) => text.slice(0, -2)],
    ['the month', (text: string[]) => text.with(0, (text[0] ?? '').replace('03', '02'))],
    ['a line that is none', (text: string[]) => text.toSpliced(3, 0, '{}')],
  ])('%s', async (_name, change) => {
    expect((await check(await lines())).entries).toBe(22);
    await expect(check(change(await lines()))).rejects.toThrow(/changed\.jsonl\.gz, line \d+: /);
  });

  test('by a key that nobody knows', async () => {
    const other = new CheckpointKeys(Buffer.alloc(32, 9).toString('base64'));
    await expect(verifyAuditExport(fileOf('2015-03'), other.verifier)).rejects.toThrow(
      'unknown key',
    );
  });

  test('by the command, which asks no database', async () => {
    const printed: string[] = [];
    const db = new Proxy({} as typeof identity.database.db, {
      get: () => {
        throw new Error('asked');
      },
    });
    await verifyAuditCommand(
      { db, logger: testLogger, verifier: keys.verifier },
      ['--export', fileOf('2015-03'), '--export', fileOf('2015-04')],
      (line) => printed.push(line),
    );
    expect(printed).toEqual([
      expect.stringContaining('22 entries of 2 logs of 2015-03: whole'),
      expect.stringContaining('17 entries of 1 logs of 2015-04: whole'),
    ]);
  });
});

test('who owns the database cannot say that something was exported', async () => {
  await identity.sql(
    "UPDATE audit_export_ends SET last = 30 WHERE chain_id = $1 AND month = '2015-03-01'",
    [long],
  );
  expect(await verifyDroppedMonths(identity.database.db, ctx, evidence)).toMatchObject([
    { fault: { problem: 'rewritten' } },
    { fault: undefined },
  ]);
  await identity.sql("UPDATE audit_export_ends SET root = sha256('x') WHERE month = '2015-04-01'");
  expect((await reportOf(long))?.fault?.problem).toBe('rewritten');
});
