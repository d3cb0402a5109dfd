import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, Member } from '@credit/local/demo/client';
import { parseLoans } from '@credit/local/demo/loans';
import { type System, startSystem } from '@credit/local/spawned-system';
import { company } from '../support/company';
import { runSql } from '../support/postgres';

let system: System;
let lender: Member;
let other: Member;

beforeAll(async () => {
  system = await startSystem();
  ({
    members: { lender, other },
  } = await company(system, { lender: 'Furnishing Lender', other: 'Other Lender' }));
}, 240_000);
afterAll(() => system?.stop(), 60_000);

const fileOf = (name: string, lines: readonly string[]) => {
  const file = path.join(system.data_directory, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

function start(member: Member, args: readonly string[]) {
  const main = path.join(system.root, 'deploy/local/dist/furnish/main.js');
  const base = `http://127.0.0.1:${system.port}/api/v1`;
  const child: ChildProcess = spawn(process.execPath, [main, '--base', base, ...args], {
    env: { ...process.env, CREDIT_API_KEY: member.key.token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, finished: once(child, 'close').then(([code]) => ({ code, output })) };
}
const furnish = (member: Member, ...args: string[]) => start(member, args).finished;

/** What there is of the lender's accounts and events. */
async function totals() {
  const [row] = await runSql<{ accounts: number; events: number; subjects: number }>(
    system,
    `SELECT (SELECT count(*)::int FROM reporting_live.accounts) AS accounts,
       (SELECT count(*)::int FROM reporting_live.credit_events) AS events,
       (SELECT count(*)::int FROM reporting_live.subjects) AS subjects`,
  );
  return row;
}

/** What a book that moves in leaves of the measures that it could harm. */
const unharmed = { TIMELINESS: null, FRESHNESS: 100, ACCURACY: null, REJECTION: 100 };
async function health() {
  const { metrics } = await lender.key.get('/institutions/me/reporting-health');
  const values = metrics.map(({ name, value }: Json) => [name, value]);
  return Object.fromEntries(
    values.filter(([name]: string[]) => Object.hasOwn(unharmed, name ?? '')),
  );
}

const HEADER = 'Borrower,Name,Loan,Sum,Opened,Product';
const MAPPING = {
  columns: {
    Borrower: 'subject.game_uuid',
    Name: 'subject.current_username',
    Loan: 'external_account_id',
    Sum: 'original_principal',
    Opened: 'opened_at',
    Product: 'account_type',
  },
  constants: { 'subject.type': 'INDIVIDUAL', currency: 'DCR' },
};

test('reports the real loans and their payments, killed on the way, and repeats nothing', async () => {
  const loans = parseLoans(
    readFileSync(path.join(system.root, 'deploy/local/data/loans-sample.csv'), 'utf8'),
  );
  // Several times over under other numbers, so that there is time for a kill.
  const rows = Array.from({ length: 16 }, (_, copy) => copy).flatMap((copy) =>
    loans.map(
      ({ row, amount }) =>
        `${randomUUID()},borrower-${copy}-${row},loan-${copy}-${row},${amount},2025-01-15T00:00:00Z,TERM_LOAN`,
    ),
  );
  const file = fileOf('book.csv', [HEADER, ...rows]);
  const map = path.join(system.data_directory, 'mapping.json');
  writeFileSync(map, JSON.stringify(MAPPING));

  expect(await furnish(lender, file, '--map', map, '--dry-run')).toMatchObject({ code: 0 });
  expect(await totals()).toEqual({ accounts: 0, events: 0, subjects: 0 });

  const killed = start(lender, [file, '--map', map]);
  while (!existsSync(`${file}.furnish.json`)) await sleep(10);
  killed.child.kill('SIGKILL');
  await killed.finished;
  const half = await totals();
  expect(half?.accounts).toBeGreaterThan(0);
  expect(half?.accounts).toBeLessThan(rows.length);

  const whole = { accounts: rows.length, events: rows.length, subjects: rows.length };
  const rest = await furnish(lender, file, '--map', map);
  expect(rest).toMatchObject({ code: 0, output: expect.stringContaining('Going on after') });
  expect(await totals()).toEqual(whole);
  expect(await health()).toEqual(unharmed);
  // Again, and then on a machine that knows nothing of the first run.
  expect(await furnish(lender, file, '--map', map)).toMatchObject({ code: 0 });
  const copy = fileOf('copy.csv', [HEADER, ...rows.slice(50)]);
  expect(await furnish(lender, copy, '--map', map)).toMatchObject({
    code: 0,
    output: expect.stringContaining(`0 reported, ${rows.length - 50} on file already, 0 refused.`),
  });
  expect(await totals()).toEqual(whole);

  const payments = loans.map(({ row, amount }) =>
    JSON.stringify({
      external_account_id: `loan-1-${row}`,
      event_type: 'PAYMENT_MADE',
      occurred_at: '2025-02-15T00:00:00Z',
      amount: 10,
      balance_after: amount - 10,
      source_reference: `ledger-${row}`,
    }),
  );
  const events = fileOf('payments.ndjson', payments);
  for (let run = 0; run < 2; run += 1) {
    expect(await furnish(lender, events, '--kind', 'events')).toMatchObject({ code: 0 });
    expect((await totals())?.events).toBe(rows.length + loans.length);
  }
  // The last payments were made a year ago; of the copy a batch a lane was refused before it was asked for.
  expect(await health()).toEqual({ ...unharmed, REJECTION: 99 });
}, 240_000);

test('reads a mapping as the network keeps it, and says what of one is wrong', async () => {
  const row = `${randomUUID()},kept-mapping,kept-1,100,2025-01-15T00:00:00Z,TERM_LOAN`;
  const file = fileOf('kept.csv', [HEADER, row]);
  const missing = await furnish(lender, file, '--mapping', 'ledger', '--dry-run');
  expect(missing).toMatchObject({ code: 2, output: expect.stringContaining('"ledger"') });
  const body = { kind: 'ACCOUNTS', ...MAPPING };
  await lender.key.expect(200, 'PUT', '/import-mappings/ledger', { body });
  expect(await furnish(lender, file, '--mapping', 'ledger', '--dry-run')).toMatchObject({
    code: 0,
    output: expect.stringContaining('Checked 1 rows: 0 have faults.'),
  });
  const events = await furnish(lender, file, '--mapping', 'ledger', '--kind', 'events');
  expect(events).toMatchObject({ code: 2, output: expect.stringContaining('kind must be EVENTS') });
  const map = path.join(system.data_directory, 'wrong.json');
  writeFileSync(map, JSON.stringify({ columns: { ...MAPPING.columns, Sum: 'amount' } }));
  const wrong = await furnish(lender, file, '--map', map);
  expect(wrong).toMatchObject({
    code: 2,
    output: expect.stringContaining('columns.Sum is amount, which is not a known field'),
  });
  const lacking = fileOf('lacking.csv', ['Borrower,Name', 'x,y']);
  expect(await furnish(lender, lacking, '--mapping', 'ledger')).toMatchObject({
    code: 2,
    output: expect.stringContaining('Loan is named by the mapping and is no column of the file'),
  });
}, 60_000);

test('sends nothing of a file with a fault, and of a refused row says why', async () => {
  const before = await totals();
  const own = [
    'subject.type,subject.game_uuid,subject.current_username,external_account_id,account_type,original_principal,opened_at',
  ];
  const row = (uuid: string, name: string, id: string, principal = '100') =>
    `INDIVIDUAL,${uuid},${name},${id},TERM_LOAN,${principal},2025-01-15T00:00:00Z`;
  const taken = randomUUID();
  await other.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: taken,
    current_username: 'taken-name',
  });

  const faulty = fileOf('faulty.csv', [
    ...own,
    row(randomUUID(), 'one', 'f-1'),
    row(randomUUID(), '=two', 'f-2', 'much'),
  ]);
  expect(await furnish(lender, faulty)).toMatchObject({ code: 1 });
  expect((await totals())?.accounts).toBe(before?.accounts);
  const faults = readFileSync(`${faulty}.faults.csv`, 'utf8');
  expect(faults).toContain('3,VALIDATION_ERROR,original_principal,');
  expect(faults).toContain("'=two");

  const refusing = fileOf('refusing.csv', [
    ...own,
    row(randomUUID(), 'first', 'r-1'),
    row(randomUUID(), 'taken-name', 'r-2'),
    row(taken, 'taken-name', 'r-3'),
    row(randomUUID(), 'another', 'r-1', '200'),
  ]);
  for (let run = 0; run < 2; run += 1) {
    expect(await furnish(lender, refusing)).toMatchObject({
      code: 3,
      output: expect.stringContaining('2 reported, 0 on file already, 2 refused.'),
    });
    const refused = readFileSync(`${refusing}.faults.csv`, 'utf8');
    expect(refused).toContain('3,needs_review,subject,');
    expect(refused).toMatch(/^5,[A-Z_]+,/m);
  }
  expect((await totals())?.accounts).toBe((before?.accounts ?? 0) + 2);
  const found: Json[] = await lender.key.get('/accounts?external_account_id=r-3');
  expect(found).toHaveLength(1);
}, 120_000);

test('says what is wrong with an order', async () => {
  const file = fileOf('empty.csv', [HEADER]);
  expect(await furnish(lender, file, '--kind', 'loans')).toMatchObject({ code: 2 });
  expect(await furnish(lender, `${file}.not`)).toMatchObject({ code: 2 });
  const [, , , ...cells] = HEADER.split(',');
  const short = fileOf('short.csv', [HEADER, cells.join(',')]);
  expect(await furnish(lender, short)).toMatchObject({ code: 2 });
}, 60_000);
