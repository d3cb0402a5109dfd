import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, type Json, logIn } from '@credit/local/demo/client';
import { readState } from '@credit/local/demo/state';
import { type System, startSystem } from '@credit/local/spawned-system';
import pg from 'pg';
import { eventually } from '../support/eventually';
import { runSql } from '../support/postgres';

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
}, 240_000);
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
  return { child, output: () => output, finished: once(child, 'close') };
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
  // What makes a member has no keys of idempotency; all that is reported has.
  await eventually(
    () => readState(system.data_directory) !== undefined || !running,
    (is_enrolled) => is_enrolled,
    60_000,
  );
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

it('leaves a record that the event log alone gives again, account by account', async () => {
  const { accounts, events } = await totals();
  const { exit_code, output } = await system.runCommand('reporting', 'verify-record');
  expect([exit_code, output]).toEqual([
    0,
    expect.stringContaining(`live: ${accounts} accounts, ${events} events, 0 mismatches\n`),
  ]);
  expect(accounts).toBeGreaterThan(rows.length);
  expect(events).toBeGreaterThan(accounts ?? 0);
}, 120_000);

describe('the audit log of all that', () => {
  /** `npm run verify-audit`, as an operator gives it. */
  const verifyAudit = (...args: string[]) =>
    new Promise<{ exit_code: number; output: string }>((resolve) => {
      const script = path.join(system.root, 'deploy/local/dist/run-command.js');
      const env = { ...process.env, DATA_DIR: system.data_directory, LOG_LEVEL: 'info' };
      execFile(
        process.execPath,
        [script, 'identity', 'verify-audit', ...args],
        { env },
        (error, stdout, stderr) =>
          resolve({
            exit_code: error === null ? 0 : Number(error.code),
            output: `${stdout}${stderr}`,
          }),
      );
    });
  const lines = (output: string): Json[] =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));

  const AUDITED = [
    'identity',
    ...['reporting', 'scoring', 'disputes', 'webhooks'].map((service) => `${service}_live`),
  ];

  beforeAll(async () => {
    const taken_in = 'SELECT count(*)::int AS n FROM identity.audit_events';
    const told = AUDITED.map(
      (schema) => `SELECT count(*) AS n FROM ${schema}.outbox WHERE type = 'audit_recorded'`,
    ).join(' UNION ALL ');
    // Everything that was told has one record, though everyone was killed twice on the way.
    let found: unknown;
    let expected: unknown;
    for (let round = 0; round < 300; round += 1) {
      [found] = await runSql(system, taken_in);
      [expected] = await runSql(system, `SELECT sum(n)::int AS n FROM (${told}) AS every`);
      if (JSON.stringify(found) === JSON.stringify(expected)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(found).toEqual(expected);
  }, 60_000);

  it('is complete and whole, for each institution and for the network', async () => {
    const { exit_code, output } = await verifyAudit();
    expect({ exit_code, output }).toMatchObject({ exit_code: 0 });
    const chains = lines(output).filter(({ msg }) => msg === 'chain is whole');
    // The demonstration has two members; the third chain is the network's.
    expect(chains).toHaveLength(3);
    const records = await runSql<{ n: number }>(
      system,
      'SELECT count(*)::int AS n FROM identity.audit_events',
    );
    expect(chains.reduce((sum, chain) => sum + chain.records, 0)).toBe(records[0]?.n);
  }, 30_000);

  it('shows the platform’s administrators what they did, and nothing of what members did', async () => {
    const administrator = await logIn(
      new Client(system.base_url),
      system.superadmin.email,
      system.superadmin.password,
    );
    const seen = await administrator.get<Json[]>('/admin/audit?limit=100');
    const actions = seen.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['user.logged_in', 'application.approved']));
    expect(actions.filter((action) => /^(?:subject|account|event|webhook)/.test(action))).toEqual(
      [],
    );
    const filtered = await administrator.get<Json[]>('/admin/audit?action=application.approved');
    expect(filtered).toEqual(seen.filter(({ action }) => action === 'application.approved'));
  });

  it('is found broken where one row of it was changed, and only there', async () => {
    const [row] = await runSql<{ chain_id: string; sequence: number }>(
      system,
      `UPDATE identity.audit_events SET actor_id = 'somebody else'
       WHERE (chain_id, sequence) IN (
         SELECT chain_id, max(sequence) / 2 FROM identity.audit_events
         WHERE action <> 'user.logged_in' GROUP BY chain_id ORDER BY count(*) DESC LIMIT 1)
       RETURNING chain_id, sequence::int`,
    );
    const { exit_code, output } = await verifyAudit();
    expect(exit_code).toBe(1);
    const [broken, ...more] = lines(output).filter(({ msg }) => msg === 'chain is broken');
    expect(broken).toMatchObject({ ...row, problem: 'altered' });
    expect(more).toEqual([]);
    expect(lines(output).filter(({ msg }) => msg === 'chain is whole')).toHaveLength(2);
    // Asked for one institution's, it looks at no other.
    const whole = lines(output).find(({ msg }) => msg === 'chain is whole');
    expect(await verifyAudit(whole?.chain_id)).toMatchObject({ exit_code: 0 });
    expect(await verifyAudit(row?.chain_id ?? '')).toMatchObject({ exit_code: 1 });
  }, 60_000);
});
