import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestDatabase, testDatabase } from '@credit/testing';
import { systemContext } from '../context';
import { newId } from '../core';
import { statement } from '../db';
import { serveMetrics } from '../telemetry/sdk';
import { restoreDrillCommand } from './restore-drill-command';

const WRITE = statement(
  'test_write_event',
  "INSERT INTO outbox (id, partition, type, payload, created_at) VALUES ($1, 0, 'tested', '', $2)",
);
const LOSE = statement('test_lose_event', 'DELETE FROM outbox WHERE id = $1');

let database: TestDatabase;
let folder: string;
let now_ms = Date.parse('2026-11-29T04:00:00.000Z');

beforeAll(async () => {
  database = await testDatabase('platform', path.join(__dirname, '../db/test-migrations'));
  folder = mkdtempSync(path.join(tmpdir(), 'restore-drill-'));
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.stop();
});

async function write(environment: 'live' | 'test', at: string): Promise<string> {
  const id = newId();
  await database.db.read(systemContext(environment)).execute(WRITE, [id, at]);
  return id;
}

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  await restoreDrillCommand(
    {
      db: database.db,
      clock: { now_ms: () => now_ms },
      say: (line) => lines.push(line),
      serve: async () => {
        throw new Error('shown');
      },
    },
    args,
  );
  return lines.join('\n');
}

const file = () => `--file=${path.join(folder, 'drill.json')}`;

it('says how long a restore took and what it lost, and not before it ended', async () => {
  await write('live', '2026-11-29T03:50:00Z');
  const last = await write('live', '2026-11-29T03:59:30Z');
  await write('test', '2026-11-28T12:00:00Z');

  const begun = await run('begin', file(), '--server=credit-db');
  expect(begun).toContain('live: the last event of credit-db is of 2026-11-29T03:59:30');
  await expect(run('show', file())).rejects.toThrow('not ended');

  // What was written after it began is more than was asked for.
  await write('test', '2026-11-29T04:00:01Z');
  now_ms += 90 * 60_000;
  expect(await run('end', file())).toBe('credit-db was restored in 5400 s, without its last 0 s');
  await database.db.read(systemContext('live')).execute(LOSE, [last]);
  expect(await run('end', file())).toBe('credit-db was restored in 5400 s, without its last 570 s');
  await expect(run('show', file())).rejects.toThrow('shown');
}, 30_000);

it('shows both as metrics, by the server', async () => {
  const port = await freePort();
  let text = '';
  await restoreDrillCommand(
    {
      db: database.db,
      clock: { now_ms: () => now_ms },
      say: () => {},
      serve: (name, for_ms, register) => {
        expect(for_ms).toBe(180_000);
        const environment = { METRICS_PORT: String(port), METRICS_HOST: '127.0.0.1' };
        const served = serveMetrics(name, 5_000, register, environment);
        return Promise.all([served, ask(port).then((answer) => (text = answer))]).then(() => {});
      },
    },
    ['show', file(), '--minutes=3'],
  );
  expect(text).toMatch(/^restore_drill_duration_seconds\{server="credit-db"[^}]*\} 5400$/m);
  expect(text).toMatch(/^restore_drill_lost_seconds\{server="credit-db"[^}]*\} 570$/m);
}, 30_000);

it('refuses what is no step of a drill', async () => {
  await expect(run('begin')).rejects.toThrow('--file');
  await expect(run('begin', file())).rejects.toThrow('--server');
  await expect(run('again', file())).rejects.toThrow('begin, end and show');
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return address.port;
}

/** Until it answers with figures; it may not listen yet. */
async function ask(port: number): Promise<string> {
  for (;;) {
    try {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      if (text.includes('restore_drill')) return text;
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
