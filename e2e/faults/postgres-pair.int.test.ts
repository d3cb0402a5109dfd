import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemContext } from '@credit/platform/context';
import { type Database, openDatabase, statement } from '@credit/platform/db';
import { testLogger } from '@credit/testing';
import { PostgresPair } from './postgres-pair';

const INSERT = statement('pair_insert', 'INSERT INTO kept VALUES ($1)');
const ALL = statement<{ answer: number }>('pair_all', 'SELECT answer FROM kept ORDER BY 1');
const live = systemContext('live');

let directory: string;
let pair: PostgresPair;
let db: Database;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'pair-'));
  pair = await PostgresPair.open(directory, 'pair');
  await pair.sql('CREATE TABLE kept (answer integer)');
  const urls = { live: pair.url, test: pair.url };
  db = openDatabase({ service: 'pair', urls, pool_size: 2, logger: testLogger });
}, 120_000);

afterAll(async () => {
  await db.close();
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

const insert = (answer: number) => db.transaction(live, (tx) => tx.execute(INSERT, [answer]));

async function insertPatiently(answer: number): Promise<void> {
  for (;;) {
    const done = await insert(answer).then(
      () => true,
      () => false,
    );
    if (done) return;
    await sleep(100);
  }
}

test('a primary that went without a word is replaced, and whoever asked it asks its successor', async () => {
  await Promise.all([insert(1), insert(2)]);
  // Both connections wait for an answer that does not come.
  const began_ms = performance.now();
  const over = pair.failOver('silent');
  await Promise.all([insertPatiently(3), insertPatiently(4)]);
  expect(performance.now() - began_ms).toBeLessThan(30_000);
  await over;
  const answers = await db.read(live).query(ALL);
  expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set([1, 2, 3, 4]));
}, 90_000);

test('a full disk is an error that invites a retry, and over when there is room again', async () => {
  const full = pair.fillDisk('data', 1_500);
  const more = statement(
    'pair_more',
    `CREATE TABLE more AS SELECT repeat('x', 1000) AS x FROM generate_series(1, 20000)`,
  );
  await sleep(300);
  const meanwhile = db.read(live).execute(more);
  // Whoever may not mount has no disk to fill, and is hindered by nothing.
  if (!pair.fills) {
    await meanwhile;
    return;
  }
  await expect(meanwhile).rejects.toMatchObject({ retry_after_s: 1 });
  await full;
  await db.read(live).execute(more);
}, 60_000);
