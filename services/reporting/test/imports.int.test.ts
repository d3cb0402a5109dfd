import { randomUUID } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import type { Import, ImportFormat, ImportKind } from '@credit/proto/reporting/v1/imports';
import { testLogger } from '@credit/testing';
import {
  claimImports,
  deleteExpired,
  expireImports,
  releaseImport,
  sweepContent,
} from '../src/imports/store/imports';
import { ImportWorker } from '../src/imports/workers/import-worker';
import { Traffic } from '../src/imports/workers/traffic';
import { institution, newAccount, newSubject, payment, refusal, useHarness } from './harness';

const harness = useHarness();

interface Sent {
  readonly kind?: ImportKind;
  readonly format?: ImportFormat;
  readonly dry_run?: boolean;
  readonly mapping?: string;
}

/** Sends a file in pieces that end anywhere. */
async function send(ctx: CallContext, content: string | Buffer, sent: Sent = {}): Promise<Import> {
  const { kind = 'ACCOUNTS', format = 'CSV', dry_run = false, mapping } = sent;
  const wanted = { kind, format, dry_run, mapping };
  const { import: begun } = await harness.reporting.beginImport(ctx, wanted);
  const import_id = begun?.id ?? '';
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += 10_000) {
    await harness.reporting.appendToImport(ctx, {
      import_id,
      from_bytes: BigInt(at),
      content: bytes.subarray(at, at + 10_000),
    });
  }
  const { import: complete } = await harness.reporting.completeImport(ctx, {
    import_id,
    partial: false,
  });
  if (complete === undefined) throw new Error('no import');
  return complete;
}

function workerOf(parts: { newId?: () => string; turn_ms?: number } = {}): ImportWorker {
  return new ImportWorker({
    environment: 'live',
    db: harness.db,
    logger: testLogger,
    clock: harness.clock,
    newId: parts.newId ?? newId,
    poll_ms: 60_000,
    turn_ms: parts.turn_ms ?? 60_000,
    load_percent: 100,
    traffic: new Traffic(),
  });
}

/** Works until nothing is due. */
async function drain(worker = workerOf()): Promise<void> {
  while (await worker.work());
}

async function read(ctx: CallContext, { id }: Import): Promise<Import> {
  const { import: found } = await harness.reporting.getImport(ctx, { import_id: id });
  if (found === undefined) throw new Error('no import');
  return found;
}

async function faultsOf(ctx: CallContext, { id }: Import) {
  const { rows } = await harness.reporting.listImportFaults(ctx, { import_id: id, limit: 100 });
  return rows.flatMap(({ line, faults }) =>
    faults.map(({ code, field }) => [line, code, field] as const),
  );
}

const HEADER =
  'subject.type,subject.game_uuid,subject.current_username,external_account_id,account_type,' +
  'original_principal,opened_at,maturity_at';

/** A file of accounts of subjects that it describes. */
function accountsFile(count: number, prefix = randomUUID()): string {
  const rows = Array.from(
    { length: count },
    (_, n) =>
      `INDIVIDUAL,${randomUUID()},${prefix} person ${n},${prefix}-${n},TERM_LOAN,1200.50,` +
      '2025-01-15T00:00:00Z,',
  );
  return [HEADER, ...rows, ''].join('\r\n');
}

async function accountsOf({ institution_id }: CallContext) {
  return harness.rows<{ accounts: number; subjects: number; events: number }>(
    'live',
    `SELECT count(DISTINCT a.id)::integer AS accounts,
       count(DISTINCT a.subject_id)::integer AS subjects, count(*)::integer AS events
     FROM accounts AS a JOIN credit_events AS e ON e.subject_id = a.subject_id
       AND e.account_id = a.id
     WHERE a.institution_id = $1`,
    [institution_id],
  );
}

// Files go through many transactions.
jest.setTimeout(30_000);

describe('a file of accounts', () => {
  test('is checked whole and then written, with the subjects that it describes', async () => {
    const lender = institution();
    const sent = await send(lender, accountsFile(250));
    expect(sent).toMatchObject({ state: 'CHECKING', received_bytes: expect.any(BigInt) });
    await drain();
    const done = await read(lender, sent);
    expect(done).toMatchObject({
      state: 'FINISHED',
      checked_rows: 250,
      rows: 250,
      applied_rows: 250,
      reported: 250,
      existing: 0,
      refused: 0,
      faulty_rows: 0,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      finished_at: expect.any(String),
    });
    expect(await accountsOf(lender)).toEqual([{ accounts: 250, subjects: 250, events: 250 }]);
    const actors = await harness.outbox();
    const own = actors.flatMap(({ payload }) =>
      payload?.$case === 'audit_recorded' && payload.value.institution_id === lender.institution_id
        ? [payload.value]
        : [],
    );
    expect(own.map(({ action }) => action)).toEqual([
      'import.begun',
      'import.received',
      ...own.flatMap(({ action }) => (/^(accounts|subjects?)\./.test(action) ? [action] : [])),
      'import.finished',
    ]);
    for (const { actor_id } of own) expect(actor_id).toBe(lender.actor.id);
  });

  test('writes nothing when a row has a fault, and says which and why', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const other = institution();
    const [header = '', first = '', second = ''] = accountsFile(2).split('\r\n');
    const lines = [
      `${header},subject_id`,
      `${first},`,
      `${first},`,
      `${second},${subject.id}`,
      `,,,a-1,TERM_LOAN,1.005,2025-01-15T00:00:00Z,,${subject.id}`,
      `,,,a-2,TERM_LOAN,1,2025-01-15T00:00:00Z,2024-01-01T00:00:00Z,${subject.id}`,
      `,,,a-3,TERM_LOAN,1,2025-01-15T00:00:00Z,,${randomUUID()}`,
      `INDIVIDUAL,${randomUUID()},${subject.current_username},a-4,TERM_LOAN,1,2025-01-15T00:00:00Z,,`,
      'too,few',
    ];
    const sent = await send(lender, lines.join('\n'));
    await drain();
    expect(await read(lender, sent)).toMatchObject({
      state: 'FAILED',
      failure: 'FAULTS',
      checked_rows: 8,
      applied_rows: 0,
      faulty_rows: 7,
    });
    expect(await faultsOf(lender, sent)).toEqual([
      [3, 'DUPLICATE_ROW', 'external_account_id'],
      [4, 'VALIDATION_ERROR', 'subject'],
      [5, 'VALIDATION_ERROR', 'original_principal'],
      [6, 'VALIDATION_ERROR', 'maturity_at'],
      [7, 'UNKNOWN_ID', 'subject_id'],
      [8, 'DUPLICATE_SUBJECT', 'subject.current_username'],
      [9, 'COLUMN_COUNT', ''],
    ]);
    expect(await accountsOf(lender)).toEqual([{ accounts: 0, subjects: 0, events: 0 }]);
    for (const call of [
      harness.reporting.getImport(other, { import_id: sent.id }),
      harness.reporting.cancelImport(other, { import_id: sent.id }),
      harness.reporting.getImport({ ...lender, environment: 'test' }, { import_id: sent.id }),
    ]) {
      expect(await refusal(call)).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await harness.reporting.listImports(other, { limit: 10 })).imports).toEqual([]);
  });

  test('that was sent before finds its accounts on file', async () => {
    const lender = institution();
    const file = accountsFile(120);
    await send(lender, file);
    await drain();
    const [taken = ''] = /[^,]+-7(?=,TERM)/.exec(file) ?? [];
    const again = await send(lender, file);
    await drain();
    expect(await read(lender, again)).toMatchObject({
      state: 'FINISHED',
      reported: 0,
      existing: 120,
    });
    const changed = await send(lender, file.replace(`${taken},TERM_LOAN`, `${taken},MORTGAGE`));
    await drain();
    expect(await read(lender, changed)).toMatchObject({ state: 'FAILED', failure: 'FAULTS' });
    expect(await faultsOf(lender, changed)).toEqual([
      [9, 'EXTERNAL_ID_TAKEN', 'external_account_id'],
    ]);
    expect(await accountsOf(lender)).toEqual([{ accounts: 120, subjects: 120, events: 120 }]);
  });

  test('of a dry run waits until it is started, and can be given up', async () => {
    const lender = institution();
    const sent = await send(lender, accountsFile(3), { dry_run: true });
    await drain();
    expect(await read(lender, sent)).toMatchObject({ state: 'CHECKED', rows: 3, applied_rows: 0 });
    const given_up = await send(lender, accountsFile(3), { dry_run: true });
    await harness.reporting.cancelImport(lender, { import_id: given_up.id });
    await harness.reporting.startImport(lender, { import_id: sent.id });
    await drain();
    expect(await read(lender, sent)).toMatchObject({ state: 'FINISHED', reported: 3 });
    expect(await read(lender, given_up)).toMatchObject({ state: 'CANCELLED', reported: 0 });
    for (const call of [
      harness.reporting.startImport(lender, { import_id: sent.id }),
      harness.reporting.cancelImport(lender, { import_id: sent.id }),
      harness.reporting.completeImport(lender, { import_id: sent.id, partial: false }),
    ]) {
      expect(await refusal(call)).toMatchObject({ reason: 'IMPORT_MOVED' });
    }
  });

  test.each([
    ['columns that are none', 'external_acount_id,opened_at\n1,2\n', 1, 'VALIDATION_ERROR'],
    ['another encoding', Buffer.from('\ufeffa,b\n', 'utf16le'), 1, 'UNREADABLE_FILE'],
    ['a quote that is not closed', `${HEADER}\n"${'x'.repeat(90_000)}`, 2, 'UNREADABLE_FILE'],
  ])('with %s is told so once', async (_what, content, line, code) => {
    const lender = institution();
    const sent = await send(lender, content);
    await drain();
    expect(await read(lender, sent)).toMatchObject({ state: 'FAILED', faulty_rows: 1 });
    const [[first_line, first_code] = []] = await faultsOf(lender, sent);
    expect([first_line, first_code]).toEqual([line, code]);
  });
});

describe('a file of events', () => {
  const event = (account: string, reference: string, rest: object) =>
    JSON.stringify({
      external_account_id: account,
      source_reference: reference,
      occurred_at: '2025-02-01T00:00:00Z',
      ...rest,
    });

  test('has what the record refuses told by line, and the rest written', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender, { external_account_id: 'loan' });
    const gone = await newAccount(harness.reporting, lender, { external_account_id: 'gone' });
    await harness.report(lender, payment(gone, 20, { event_type: 'ACCOUNT_PAID' }));
    const rows = [
      event('loan', 'r1', { event_type: 'PAYMENT_MADE', amount: 10, balance_after: 990 }),
      event('gone', 'r2', { event_type: 'PAYMENT_DUE', occurred_at: '2025-03-01T00:00:00Z' }),
      event('loan', 'r3', { event_type: 'DELINQUENCY_CURED' }),
      event('loan', 'r4', { event_type: 'PAYMENT_LATE', occurred_at: '2025-02-02T00:00:00Z' }),
      // As they happened, not as they stand.
      event('loan', 'r5', { event_type: 'ACCOUNT_CURRENT', occurred_at: '2025-02-04T00:00:00Z' }),
      event('loan', 'r6', { event_type: 'PAYMENT_LATE', occurred_at: '2025-02-03T00:00:00Z' }),
    ];
    const sent = await send(lender, rows.join('\n'), { kind: 'EVENTS', format: 'NDJSON' });
    await drain();
    expect(await read(lender, sent)).toMatchObject({
      state: 'FINISHED',
      rows: 6,
      reported: 4,
      refused: 2,
      faulty_rows: 2,
    });
    expect(await faultsOf(lender, sent)).toEqual([
      [2, 'TRANSITION_NOT_ALLOWED', ''],
      [3, 'TRANSITION_NOT_ALLOWED', ''],
    ]);
    const events = await harness.eventsOf(lender, account.id);
    expect(events.map(({ source_reference }) => source_reference)).toEqual([
      'r5',
      'r6',
      'r4',
      'r1',
      undefined,
    ]);
    const again = await send(lender, rows.join('\n'), { kind: 'EVENTS', format: 'NDJSON' });
    await drain();
    expect(await read(lender, again)).toMatchObject({ reported: 0, existing: 4, refused: 2 });
  });

  test('names rows of accounts that are not the institution’s own, and rows twice', async () => {
    const lender = institution();
    const theirs = await newAccount(harness.reporting, institution(), { external_account_id: 'x' });
    await newAccount(harness.reporting, lender, { external_account_id: 'own' });
    const made = { event_type: 'PAYMENT_MADE', amount: 1 };
    const rows = [
      event('x', 'r1', made),
      event('own', 'r1', made),
      event('own', 'r1', made),
      JSON.stringify({
        ...JSON.parse(event('x', 'r2', made)),
        external_account_id: undefined,
        credit_account_id: theirs.id,
      }),
      'nope',
    ];
    const sent = await send(lender, rows.join('\n'), { kind: 'EVENTS', format: 'NDJSON' });
    await drain();
    expect(await faultsOf(lender, sent)).toEqual([
      [1, 'UNKNOWN_ID', 'external_account_id'],
      [3, 'DUPLICATE_ROW', 'source_reference'],
      [4, 'UNKNOWN_ID', 'credit_account_id'],
      [5, 'MALFORMED_JSON', ''],
    ]);
  });
});

describe('a worker that dies', () => {
  test('anywhere in its work is succeeded: nothing is written twice and nothing is lost', async () => {
    const lender = institution();
    const sent = await send(lender, accountsFile(330));
    // A turn is one batch, and ever more of it is reached before the process would have died.
    for (let allowed = 1; allowed < 700; allowed += 151) {
      let left = allowed;
      const dying = workerOf({
        turn_ms: 0,
        newId: () => {
          left -= 1;
          if (left < 0) throw new Error('killed');
          return newId();
        },
      });
      await dying.work().catch(() => {});
      await harness.rows('live', 'UPDATE imports SET due_at = now() WHERE id = $1', [sent.id]);
    }
    expect((await read(lender, sent)).applied_rows).toBeGreaterThan(0);
    expect((await read(lender, sent)).applied_rows).toBeLessThan(330);
    await drain(workerOf({ turn_ms: 0 }));
    expect(await read(lender, sent)).toMatchObject({
      state: 'FINISHED',
      checked_rows: 330,
      rows: 330,
      applied_rows: 330,
      reported: 330,
      existing: 0,
    });
    expect(await accountsOf(lender)).toEqual([{ accounts: 330, subjects: 330, events: 330 }]);
  });

  test('over and over has the import given up; it goes on when it is started anew', async () => {
    const lender = institution();
    const sent = await send(lender, accountsFile(10));
    for (let attempt = 0; attempt < 12; attempt += 1) {
      let ids = 0;
      const broken = workerOf({
        newId: () => {
          ids += 1;
          // The lease's token, and nothing after it.
          if (ids > 1) throw new Error('broken');
          return newId();
        },
      });
      await broken.work();
      await harness.rows('live', 'UPDATE imports SET due_at = now() WHERE id = $1', [sent.id]);
    }
    expect(await read(lender, sent)).toMatchObject({
      state: 'FAILED',
      failure: 'INTERNAL',
      rows: 10,
    });
    await harness.reporting.startImport(lender, { import_id: sent.id });
    await drain();
    expect(await read(lender, sent)).toMatchObject({ state: 'FINISHED', reported: 10 });
  });

  test('leaves what was cancelled meanwhile alone', async () => {
    const lender = institution();
    const sent = await send(lender, accountsFile(250));
    const worker = workerOf({ turn_ms: 0 });
    await worker.work();
    await worker.work();
    await harness.reporting.cancelImport(lender, { import_id: sent.id });
    await drain();
    const { state, applied_rows } = await read(lender, sent);
    expect(state).toBe('CANCELLED');
    expect(await accountsOf(lender)).toMatchObject([{ accounts: applied_rows }]);
  });
});

test('what was given back is due in the same moment', async () => {
  const lender = institution();
  await send(lender, accountsFile(1));
  const on = harness.db.read(systemContext('live'));
  for (let time = 0; time < 200; time += 1) {
    const [claimed] = await claimImports(on, randomUUID(), 1, 60_000);
    if (claimed === undefined) throw new Error(`not due at time ${time}`);
    await releaseImport(on, claimed, 0);
  }
  await drain();
});

test('institutions have their turns by turns, however many and large their files are', async () => {
  const [large, small] = [institution(), institution()];
  const first = await send(large, accountsFile(2_000));
  const second = await send(large, accountsFile(2_000));
  const short = await send(small, accountsFile(10));
  const worker = workerOf({ turn_ms: 0 });
  for (let turn = 0; turn < 8; turn += 1) await worker.work();
  expect(await read(small, short)).toMatchObject({ state: 'FINISHED' });
  expect(await read(large, second)).toMatchObject({ state: 'CHECKING', checked_rows: 0 });
  for (const { id } of [first, second]) {
    await harness.reporting.cancelImport(large, { import_id: id });
  }
});

describe('the upload', () => {
  test('joins pieces on, and takes one that comes again for what it is', async () => {
    const lender = institution();
    const { import: begun } = await harness.reporting.beginImport(lender, {
      kind: 'ACCOUNTS',
      format: 'CSV',
      dry_run: true,
    });
    const import_id = begun?.id ?? '';
    const append = (offset: number, text: string) =>
      harness.reporting.appendToImport(lender, {
        import_id,
        from_bytes: BigInt(offset),
        content: Buffer.from(text),
      });
    expect(await append(0, 'abc')).toEqual({ received_bytes: 3n });
    expect(await append(0, 'abc')).toEqual({ received_bytes: 3n });
    expect(await append(3, 'de')).toEqual({ received_bytes: 5n });
    expect(await append(0, 'abc')).toEqual({ received_bytes: 5n });
    for (const call of [append(0, 'abd'), append(4, 'e'), append(6, 'f')]) {
      expect(await refusal(call)).toMatchObject({ reason: 'UPLOAD_OFFSET' });
    }
    expect(await refusal(append(5, ''))).toMatchObject({ paths: ['content'] });
    expect(await refusal(append(5, 'x'.repeat(262_145)))).toMatchObject({ paths: ['content'] });
    await harness.reporting.cancelImport(lender, { import_id });
  });

  test('is bounded: imports at once, bytes of a file and bytes held', async () => {
    const lender = institution();
    const begin = () =>
      harness.reporting.beginImport(lender, { kind: 'EVENTS', format: 'CSV', dry_run: false });
    const begun = [];
    for (let n = 0; n < 5; n += 1) begun.push((await begin()).import?.id ?? '');
    expect(await refusal(begin())).toMatchObject({ reason: 'LIMIT_REACHED' });
    const [first = '', second = '', third = ''] = begun;
    const append = (import_id: string, from_bytes: bigint) =>
      harness.reporting.appendToImport(lender, {
        import_id,
        from_bytes,
        content: Buffer.from('x'),
      });
    const gib = 1_073_741_824n;
    const holding = 'UPDATE imports SET received_bytes = $2 WHERE id = $1';
    await harness.rows('live', holding, [first, gib]);
    expect(await refusal(append(first, gib))).toMatchObject({ reason: 'BODY_TOO_LARGE' });
    await harness.rows('live', holding, [second, gib]);
    expect(await refusal(append(third, 0n))).toMatchObject({ reason: 'LIMIT_REACHED' });
    expect(
      await refusal(harness.reporting.completeImport(lender, { import_id: third, partial: false })),
    ).toMatchObject({ code: 'VALIDATION_ERROR' });
    for (const import_id of begun) await harness.reporting.cancelImport(lender, { import_id });
    expect((await begin()).import?.state).toBe('UPLOADING');
  });
});

test('what is over is swept: files soon, and in the end the imports', async () => {
  const lender = institution();
  const done = await send(lender, accountsFile(30));
  await drain();
  const waiting = await send(lender, accountsFile(30), { dry_run: true });
  await drain();
  const on = harness.db.read(systemContext('live'));
  const sweep = async () => {
    for (const run of [expireImports, sweepContent, deleteExpired]) {
      while ((await run(on, 1_000)) >= 1_000);
    }
  };
  const left = async ({ id }: Import) => {
    const [found] = await harness.rows(
      'live',
      `SELECT (SELECT count(*)::integer FROM import_pieces WHERE import_id = $1) AS pieces,
         (SELECT count(*)::integer FROM import_row_keys WHERE import_id = $1) AS keys,
         (SELECT count(*)::integer FROM imports WHERE id = $1) AS imports`,
      [id],
    );
    return found;
  };
  await sweep();
  expect(await left(done)).toEqual({ pieces: 0, keys: 0, imports: 1 });
  expect(await left(waiting)).toEqual({ pieces: 1, keys: 30, imports: 1 });
  await harness.rows('live', `UPDATE imports SET expires_at = now() WHERE id = ANY ($1)`, [
    [done.id, waiting.id],
  ]);
  await sweep();
  expect(await left(done)).toEqual({ pieces: 0, keys: 0, imports: 0 });
  expect(await left(waiting)).toEqual({ pieces: 0, keys: 0, imports: 0 });
});

describe('a mapping of columns', () => {
  const columns = {
    Loan: 'external_account_id',
    Who: 'subject_id',
    Sum: 'original_principal',
    'Paid out': 'opened_at',
  };
  const save = (
    ctx: CallContext,
    name: string,
    given: { columns?: object; constants?: object; kind?: ImportKind } = {},
  ) =>
    harness.reporting.saveImportMapping(ctx, {
      name,
      kind: given.kind ?? 'ACCOUNTS',
      columns_json: JSON.stringify(given.columns ?? columns),
      constants_json: JSON.stringify(given.constants ?? { account_type: 'TERM_LOAN' }),
    });

  test('reads a file by its own words, and goes on with what an import began with', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    await save(lender, 'ledger');
    const row = (loan: string) => `x,${loan},${subject.id},1200.50,2025-01-15T00:00:00Z`;
    const file = ['Colour,Loan,Who,Sum,Paid out', row('l-1'), row('l-2'), ''].join('\n');
    const sent = await send(lender, file, { mapping: 'ledger' });
    // What is kept from now on is of no concern to it, nor that there is none any more.
    await save(lender, 'ledger', {
      columns: { ...columns, Loan: 'metadata.loan', No: 'external_account_id' },
    });
    await harness.reporting.deleteImportMapping(lender, { name: 'ledger' });
    await drain(workerOf({ turn_ms: 0 }));
    expect(await read(lender, sent)).toMatchObject({
      state: 'FINISHED',
      reported: 2,
      mapping: 'ledger',
    });
    const [stored] = await harness.rows<{ account_type: string }>(
      'live',
      `SELECT DISTINCT account_type FROM accounts WHERE institution_id = $1`,
      [lender.institution_id],
    );
    expect(stored).toEqual({ account_type: 'TERM_LOAN' });
    // The same file, read otherwise, says something else.
    await save(lender, 'ledger', { constants: { account_type: 'MORTGAGE' } });
    const again = await send(lender, file, { mapping: 'ledger' });
    await drain();
    expect(await faultsOf(lender, again)).toEqual([
      [2, 'EXTERNAL_ID_TAKEN', 'external_account_id'],
      [3, 'EXTERNAL_ID_TAKEN', 'external_account_id'],
    ]);
  });

  test('names the column that a file lacks', async () => {
    const lender = institution();
    await save(lender, 'ledger');
    const sent = await send(lender, 'Loan,Sum,Opened\nl-1,1,2025-01-15T00:00:00Z\n', {
      mapping: 'ledger',
    });
    await drain();
    expect(await read(lender, sent)).toMatchObject({ state: 'FAILED', failure: 'FAULTS' });
    expect(await faultsOf(lender, sent)).toEqual([
      [1, 'MISSING_COLUMN', 'Who'],
      [1, 'MISSING_COLUMN', 'Paid out'],
    ]);
  });

  test('is refused with what is wrong, and used only for what it is', async () => {
    const lender = institution();
    const wrong = (given: Parameters<typeof save>[2]) => refusal(save(lender, 'ledger', given));
    expect(await wrong({ columns: { ...columns, Loan: 'opened_at' } })).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('must name a column for external_account_id'),
      paths: ['columns.Paid out', 'columns'],
    });
    expect(await wrong({ constants: { colour: 'red' } })).toMatchObject({
      message: expect.stringContaining('must name a column for account_type'),
      paths: ['columns', 'constants.colour'],
    });
    expect(await wrong({ kind: 'UNSPECIFIED' })).toMatchObject({ paths: ['kind'] });
    expect(await refusal(save(lender, 'a/b'))).toMatchObject({ paths: ['name'] });
    for (const columns_json of ['', '1', '{"a":1}', '{"a":']) {
      const given = { name: 'a', kind: 'ACCOUNTS' as const, columns_json };
      expect(await refusal(harness.reporting.saveImportMapping(lender, given))).toMatchObject({
        code: 'VALIDATION_ERROR',
        paths: ['columns'],
      });
    }
    await save(lender, 'ledger');
    const begin = (mapping: string, kind: ImportKind = 'ACCOUNTS', format: ImportFormat = 'CSV') =>
      refusal(harness.reporting.beginImport(lender, { kind, format, dry_run: false, mapping }));
    for (const [found, message] of [
      [await begin('ledgers'), 'is "ledgers", which is the name of no mapping of yours'],
      [await begin('ledger', 'EVENTS'), 'is "ledger", which is for files of ACCOUNTS'],
      [await begin('ledger', 'ACCOUNTS', 'NDJSON'), 'is for CSV'],
    ] as const) {
      expect(found).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining(message),
        paths: ['mapping'],
      });
    }
  });

  test('is the institution’s own, by name, audited and bounded', async () => {
    const lender = institution();
    const other = institution();
    const names = Array.from({ length: 50 }, (_, n) => `m-${String(n).padStart(2, '0')}`);
    for (const name of names) await save(lender, name);
    expect(await refusal(save(lender, 'one-more'))).toMatchObject({ reason: 'LIMIT_REACHED' });
    const { mapping } = await save(lender, 'm-07', { constants: { account_type: 'MORTGAGE' } });
    const { mapping: found } = await harness.reporting.getImportMapping(lender, { name: 'm-07' });
    expect(found).toEqual(mapping);
    expect(JSON.parse(String(found?.columns_json))).toEqual(columns);
    const first = await harness.reporting.listImportMappings(lender, { limit: 30 });
    const rest = await harness.reporting.listImportMappings(lender, {
      limit: 30,
      cursor: first.next_cursor,
    });
    expect([...first.mappings, ...rest.mappings].map(({ name }) => name)).toEqual(names);
    expect(rest.next_cursor).toBeUndefined();

    for (const ctx of [other, { ...lender, environment: 'test' as const }]) {
      expect((await harness.reporting.listImportMappings(ctx, { limit: 30 })).mappings).toEqual([]);
      for (const call of [
        harness.reporting.getImportMapping(ctx, { name: 'm-07' }),
        harness.reporting.deleteImportMapping(ctx, { name: 'm-07' }),
      ]) {
        expect(await refusal(call)).toMatchObject({ code: 'NOT_FOUND' });
      }
    }
    // Another's of the same name is another.
    await save(other, 'm-07');
    await harness.reporting.deleteImportMapping(other, { name: 'm-07' });
    expect(await harness.reporting.getImportMapping(lender, { name: 'm-07' })).toEqual({ mapping });
    await harness.reporting.deleteImportMapping(lender, { name: 'm-07' });
    expect(
      await refusal(harness.reporting.getImportMapping(lender, { name: 'm-07' })),
    ).toMatchObject({ code: 'NOT_FOUND', message: 'The mapping does not exist.' });
    const written = (await harness.outbox()).flatMap(({ payload }) =>
      payload?.$case === 'audit_recorded' && payload.value.target_id === found?.id
        ? [payload.value.action]
        : [],
    );
    expect(written).toEqual([
      'import_mapping.saved',
      'import_mapping.saved',
      'import_mapping.deleted',
    ]);
  });

  test('two that are kept at once stay within the bound', async () => {
    const lender = institution();
    for (let n = 0; n < 49; n += 1) await save(lender, `m-${n}`);
    const both = await Promise.allSettled([save(lender, 'last'), save(lender, 'too-many')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
