import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, startPostgresServer, startPostgresStandby } from '@credit/servers';
import { testLogger } from '@credit/testing';
import pg from 'pg';
import { systemContext } from '../context';
import { type Database, openDatabase } from './database';
import { provision } from './provision';
import { statement } from './statement';

const SETTINGS = { fsync: 'off', shared_buffers: '32MB' };
const MAX_LAG_MS = 1_000;
/** How long reads go on beside writes: several times the bound. */
const BESIDE_MS = 4 * MAX_LAG_MS;
const WRITES_EVERY_MS = 20;

const INSERT = statement('replica_insert', 'INSERT INTO entries (number) VALUES ($1)');
const NEWEST = statement<{ number: number; on_standby: boolean }>(
  'replica_newest',
  'SELECT coalesce(max(number), 0) AS number, pg_is_in_recovery() AS on_standby FROM entries',
);

jest.setTimeout(120_000);

let folder: string;
let primary: PostgresServer;
let standby: PostgresServer;
let db: Database;
let number = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'replica-'));
  const data_directory = path.join(folder, 'primary');
  primary = await startPostgresServer({ data_directory, settings: SETTINGS });
  const { services } = await provision(primary.admin_url, {
    database: 'credit',
    services: ['lending'],
  });
  const urls = services['lending'] ?? { live: '', test: '' };
  await ask(urls.live, 'CREATE TABLE entries (number integer PRIMARY KEY)');
  standby = await startPostgresStandby({
    data_directory: path.join(folder, 'standby'),
    settings: SETTINGS,
    primary: { data_directory, admin_url: primary.admin_url },
    name: 'standby',
  });
  const replica_url = new URL(urls.live);
  replica_url.port = `${standby.port}`;
  db = openDatabase({
    service: 'lending',
    urls,
    replica_urls: { live: replica_url.href },
    max_lag_ms: MAX_LAG_MS,
    logger: testLogger,
  });
});

afterAll(async () => {
  await db?.close();
  await standby?.stop();
  await primary?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fresh = () => systemContext('live');
const lagging = () => systemContext('live', { may_lag: true });
const figures = () => db.replicaFigures()[0];
const newest = (ctx = lagging()) => db.read(ctx).one(NEWEST);

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function eventually(is: () => boolean | Promise<boolean>): Promise<void> {
  for (const until_ms = performance.now() + 60_000; !(await is()); await sleep(20)) {
    if (performance.now() > until_ms) throw new Error(`In vain: ${JSON.stringify(figures())}`);
  }
}

/** Acknowledged when it resolves. */
async function write(): Promise<number> {
  number += 1;
  await db.read(fresh()).execute(INSERT, [number]);
  return number;
}

it('asks the primary until it is known how far the replica is', async () => {
  await write();
  expect(await newest()).toEqual({ number: 1, on_standby: false });
  expect(figures()).toMatchObject({ is_used: false, lag_s: undefined, reads: { primary: 1 } });

  db.followReplicas();
  await eventually(() => figures()?.is_used === true);
  await eventually(async () => (await newest()).on_standby);
  expect(figures()?.lag_s).toBeLessThanOrEqual(MAX_LAG_MS / 1_000);
});

it('asks it for what may lag alone, and never for a write', async () => {
  await eventually(async () => (await newest()).on_standby);
  expect((await newest(fresh())).on_standby).toBe(false);
  const written = await db.transaction(lagging(), (tx) => tx.one(NEWEST));
  expect(written.on_standby).toBe(false);
  // Of a call that may lag too.
  number += 1;
  expect(await db.read(lagging()).execute(INSERT, [number])).toBe(1);
  await eventually(async () => {
    const [one, two] = await db.snapshot(lagging(), async (on) => [
      await on.one(NEWEST),
      await on.one(NEWEST),
    ]);
    expect(two).toEqual(one);
    return one?.on_standby === true && one.number === number;
  });
});

it('asks the primary again for what failed there', async () => {
  await eventually(async () => (await newest()).on_standby);
  const asked: boolean[] = [];
  const refused = db.snapshot(lagging(), async (on) => {
    asked.push((await on.one(NEWEST)).on_standby);
    throw new Error('There is no such thing.');
  });
  await expect(refused).rejects.toThrow('There is no such thing.');
  expect(asked).toEqual([true, false]);
});

it('shows nobody anything older than the bound while replay stands still and goes on', async () => {
  await eventually(() => figures()?.is_used === true);
  const acknowledged: Array<{ at_ms: number; number: number }> = [];
  let is_over = false;
  const writing = (async () => {
    while (!is_over) {
      const written = await write();
      acknowledged.push({ at_ms: performance.now(), number: written });
      await sleep(WRITES_EVERY_MS);
    }
  })();
  const answered = { standby: 0, primary: 0, late: 0 };
  const readFor = async (for_ms: number) => {
    for (const until_ms = performance.now() + for_ms; performance.now() < until_ms; ) {
      const owed =
        acknowledged.findLast(({ at_ms }) => at_ms <= performance.now() - MAX_LAG_MS)?.number ?? 0;
      const shown = await newest();
      answered[shown.on_standby ? 'standby' : 'primary'] += 1;
      if (shown.number < owed) answered.late += 1;
    }
  };
  await readFor(BESIDE_MS);
  expect(answered.standby).toBeGreaterThan(0);
  await ask(standby.admin_url, 'SELECT pg_wal_replay_pause()');
  await readFor(BESIDE_MS);
  // Not one of them is given what the standby shows by then.
  expect(answered.primary).toBeGreaterThan(0);
  expect(figures()?.is_used).toBe(false);
  expect((await newest()).on_standby).toBe(false);
  await ask(standby.admin_url, 'SELECT pg_wal_replay_resume()');
  await eventually(async () => (await newest()).on_standby);
  await readFor(BESIDE_MS);
  is_over = true;
  await writing;
  expect(answered.late).toBe(0);
});

it('shows a call nothing older than what it has seen, from wherever that was', async () => {
  await eventually(async () => (await newest()).on_standby);
  await ask(standby.admin_url, 'SELECT pg_wal_replay_pause()');
  try {
    const call = lagging();
    const before = await newest(call);
    const written = await write();
    // Another call is shown the standby, if it is still within the bound; this one goes on from there.
    expect((await newest(call)).number).toBeGreaterThanOrEqual(before.number);
    await eventually(async () => !(await newest()).on_standby);
    expect(await newest(call)).toEqual({ number: written, on_standby: false });
  } finally {
    await ask(standby.admin_url, 'SELECT pg_wal_replay_resume()');
  }
});

it('takes a quiet primary for no lag, and does without a replica that is gone', async () => {
  await eventually(async () => (await newest()).on_standby);
  await sleep(2 * MAX_LAG_MS);
  await eventually(async () => (await newest()).on_standby);

  await standby.stop();
  expect(await newest()).toEqual({ number, on_standby: false });
  await eventually(() => figures()?.lag_s === undefined);
  expect(figures()?.is_used).toBe(false);
  expect(await db.snapshot(lagging(), (on) => on.one(NEWEST))).toEqual({
    number,
    on_standby: false,
  });
});
