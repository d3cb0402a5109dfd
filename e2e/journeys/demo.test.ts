import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type System, startSystem } from '@credit/local/spawned-system';
import pg from 'pg';

const SERVICES = ['reporting', 'scoring', 'gateway', 'webhooks', 'identity', 'disputes'];
const COPIES = 6;
const KILL_EVERY_MS = 900;

let system: System;
let loans_file: string;
let rows: string[];

beforeAll(async () => {
  system = await startSystem();
  // The sample several times over under other numbers, so that there is time to kill everyone.
  const [header = '', ...lines] = readFileSync(
    path.join(system.root, 'deploy/local/data/loans-sample.csv'),
    'utf8',
  )
    .trim()
    .split('\n');
  rows = Array.from({ length: COPIES }, (_, copy) =>
    lines.map((line) => line.replace(/^\d+/, (row) => `${copy + 1}${row.padStart(6, '0')}`)),
  ).flat();
  loans_file = path.join(system.data_directory, 'loans.csv');
  writeFileSync(loans_file, [header, ...rows].join('\n'));
}, 150_000);
afterAll(() => system?.stop(), 60_000);

function startDemo() {
  const child = spawn(
    process.execPath,
    [path.join(system.root, 'deploy/local/dist/demo/main.js')],
    {
      env: {
        ...process.env,
        PORT: `${system.port}`,
        DATA_DIR: system.data_directory,
        DEMO_LOANS: loans_file,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return { child, output: () => output, finished: once(child, 'exit') };
}

/** What there is of everything, as the database has it. */
async function totals(): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: system.runRecord().admin_url });
  await client.connect();
  try {
    const counts = {
      subjects: 'SELECT count(*)::int AS n FROM reporting_live.subjects',
      accounts: 'SELECT count(*)::int AS n FROM reporting_live.accounts',
      events: 'SELECT count(*)::int AS n FROM reporting_live.credit_events',
      defaults: `SELECT count(*)::int AS n FROM reporting_live.accounts WHERE status = 'DEFAULTED'`,
      counted_inquiries:
        'SELECT count(*)::int AS n FROM reporting_live.inquiries WHERE duplicate_of IS NULL',
      deliveries: 'SELECT count(*)::int AS n FROM webhooks_live.deliveries',
      delivered: `SELECT count(*)::int AS n FROM webhooks_live.deliveries WHERE status = 'DELIVERED'`,
    };
    const result: Record<string, number> = {};
    for (const [name, sql] of Object.entries(counts)) {
      result[name] = (await client.query<{ n: number }>(sql)).rows[0]?.n ?? -1;
    }
    return result;
  } finally {
    await client.end();
  }
}

it('loses and doubles nothing while each service in turn is killed, and changes nothing when run again', async () => {
  const demo = startDemo();
  const killed = new Set<string>();
  let running = true;
  void demo.finished.then(() => {
    running = false;
  });
  for (let turn = 0; running; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS));
    const name = SERVICES[turn % SERVICES.length];
    const victim = system.runRecord().processes.find((process) => process.name === name);
    if (!running || victim === undefined || turn >= SERVICES.length * 2) continue;
    process.kill(victim.pid, 'SIGKILL');
    killed.add(victim.name);
  }
  const [exit_code] = await demo.finished;
  expect(`${exit_code}\n${demo.output()}`).toMatch(/^0\n/);
  expect([...killed].sort()).toEqual([...SERVICES].sort());

  const bad = rows.filter((row) => row.trim().endsWith(',bad')).length;
  const after = await totals();
  expect(after).toMatchObject({
    subjects: rows.length,
    defaults: bad,
    deliveries: bad,
    delivered: bad,
  });
  expect(demo.output()).toContain(`Default notices received    ${bad} of ${bad}`);
  expect(demo.output()).toContain('Signatures that failed      0');

  const again = startDemo();
  expect((await again.finished)[0]).toBe(0);
  expect(await totals()).toEqual(after);
  expect(again.output()).toContain('all were there');
}, 240_000);
