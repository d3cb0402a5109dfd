import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CallContext } from '@credit/platform/context';
import {
  CheckpointKeys,
  EMPTY_ROOT,
  eventsOrigin,
  Frontier,
  isConsistent,
  isIncluded,
  leafHash,
  noteOf,
  type TreeHead,
} from '@credit/platform/merkle';
import { newId, systemClock } from '@credit/platform/runtime';
import { EventType } from '@credit/proto/reporting/v1/types';
import pg from 'pg';
import { growEventLog } from '../src/commands/grow-event-log';
import { firstIdAt, timeOfId } from '../src/domain/event-log';
import { verifyRecordCommand } from '../src/operator/verify-record-command';
import { verifyEventLogs } from '../src/queries/verify-event-log';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();
const keys = new CheckpointKeys(Buffer.alloc(32, 7).toString('base64'));

/** Takes in what is settled; at once, unless told otherwise. */
async function grow(settings: { settle_s?: number; every_s?: number } = {}): Promise<void> {
  const deps = {
    db: harness.db,
    // Everything has waited long enough.
    clock: { now_ms: () => Date.now() + 1_000 },
    config: {
      EVENT_LOG_SETTLE_S: settings.settle_s ?? 0,
      EVENT_LOG_EVERY_S: settings.every_s ?? 0,
    },
  };
  // Ids and the database's time meet within the millisecond.
  await new Promise((resolve) => setTimeout(resolve, 5));
  while (await growEventLog(deps, 'live')) {
    // Until nothing is left.
  }
}

interface Told {
  from_size: number;
  head: TreeHead;
  path: Buffer[];
}

async function toldOf(institution_id: string): Promise<Told[]> {
  return (await harness.outbox()).flatMap(({ payload }) => {
    if (payload?.$case !== 'event_log_grown') return [];
    const { value } = payload;
    if (value.institution_id !== institution_id) return [];
    const head = { size: Number(value.size), root: value.root_hash };
    return [{ from_size: Number(value.from_size), head, path: value.consistency_path }];
  });
}

const entriesOf = (institution_id: string) =>
  harness.rows<{ place: string; event_id: string }>(
    'live',
    'SELECT place, event_id FROM event_log_entries WHERE institution_id = $1 ORDER BY place',
    [institution_id],
  );

const verify = (signed: Parameters<typeof verifyEventLogs>[3] = [], now_ms = Date.now()) =>
  verifyEventLogs(harness.db, 'live', now_ms, signed);

/** What identity makes of what it is told. */
function signed(lender: CallContext, { size, root }: TreeHead) {
  const origin = eventsOrigin('live', lender.institution_id);
  return keys.sign({ origin, size, root, signed_at: new Date().toISOString() });
}

/** An account with so many payments. */
async function withPayments(lender: CallContext, count: number) {
  const account = await newAccount(harness.reporting, lender);
  const events = Array.from({ length: count }, (_, index) =>
    payment(account, 10 + index, { balance_after_minor: BigInt(90_000 - index) }),
  );
  return { account, recorded: count === 0 ? [] : await harness.reportAll(lender, events) };
}

test('holds every event of an institution, in the order of time, and proves each', async () => {
  const lender = institution();
  const other = institution();
  const { account, recorded } = await withPayments(lender, 40);
  await withPayments(other, 2);
  await grow();
  const more = await harness.report(lender, payment(account, 100));
  await grow();

  const entries = await entriesOf(lender.institution_id);
  expect(entries.map(({ place }) => Number(place))).toEqual([...entries.keys()]);
  expect(entries).toHaveLength(42);
  expect(entries.map(({ event_id }) => event_id)).toEqual(
    entries.map(({ event_id }) => event_id).toSorted(),
  );
  const told = await toldOf(lender.institution_id);
  expect(told.map(({ from_size, head }) => [from_size, head.size])).toEqual([
    [0, 41],
    [41, 42],
  ]);
  let last: TreeHead = { size: 0, root: EMPTY_ROOT };
  for (const { head, path: proof } of told) {
    expect(isConsistent(last, head, proof)).toBe(true);
    last = head;
  }

  const prove = (event_id: string, size: number, as = lender) =>
    harness.reporting.proveEvent(as, { account_id: account.id, event_id, size: BigInt(size) });
  for (const event of [recorded[0], recorded[16], recorded[39], more]) {
    if (event === undefined) throw new Error('no event');
    const { entry, index, path: proof } = await prove(event.id, 42);
    expect(isIncluded(leafHash(entry), Number(index), last, proof)).toBe(true);
    expect(JSON.parse(entry)).toEqual(
      expect.arrayContaining([event.id, account.id, event.balance_after_minor?.toString() ?? null]),
    );
  }
  expect(await refusal(prove(more.id, 41))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal(prove(newId(), 42))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal(prove(more.id, 42, other))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a correction changes nothing of what is in: neither of the event nor of the proof', async () => {
  const lender = institution();
  const { account, recorded } = await withPayments(lender, 3);
  await grow();
  const [told] = await toldOf(lender.institution_id);
  if (told === undefined) throw new Error('nothing was told');
  await harness.report(lender, {
    credit_account_id: account.id,
    event_type: EventType.CORRECTION,
    occurred_at: payment(account, 40).occurred_at,
    supersedes_event_id: recorded[1]?.id,
    correction_reason: 'bounced',
  });
  await grow();
  const {
    entry,
    index,
    path: proof,
  } = await harness.reporting.proveEvent(lender, {
    account_id: account.id,
    event_id: recorded[1]?.id ?? '',
    size: BigInt(told.head.size),
  });
  expect(isIncluded(leafHash(entry), Number(index), told.head, proof)).toBe(true);
  expect(await entriesOf(lender.institution_id)).toHaveLength(5);
});

test('waits for what is not settled: time, and transactions that are open', async () => {
  const lender = institution();
  await withPayments(lender, 1);
  await grow({ settle_s: 60 });
  expect(await entriesOf(lender.institution_id)).toEqual([]);

  // A transaction that may still commit events with older ids.
  const client = new pg.Client({ connectionString: harness.urls.live });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1');
  await new Promise((resolve) => setTimeout(resolve, 20));
  const late = await withPayments(lender, 1);
  await grow();
  const before = await entriesOf(lender.institution_id);
  expect(before).toHaveLength(2);
  expect(before.map(({ event_id }) => event_id)).not.toContain(late.recorded[0]?.id);
  await client.query('ROLLBACK');
  await client.end();
  await grow();
  expect(await entriesOf(lender.institution_id)).toHaveLength(4);
});

test('is told of at every thousand events, and by several processes each event is taken once', async () => {
  const lender = institution();
  const subject = await newSubject(harness.reporting, lender);
  for (let round = 0; round < 12; round += 1) {
    await harness.reporting.createAccounts(keyed(lender), {
      accounts: Array.from({ length: 100 }, () => accountOf(subject.id)),
    });
  }
  const { account } = await withPayments(lender, 0);
  for (let round = 0; round < 2; round += 1) {
    const events = Array.from({ length: 450 }, (_, index) =>
      payment(account, 10 + index, { source_reference: randomUUID() }),
    );
    await harness.reportAll(lender, events);
  }
  await Promise.all(Array.from({ length: 4 }, () => grow({ every_s: 3_000 })));
  await grow({ every_s: 3_000 });
  const told = await toldOf(lender.institution_id);
  expect(told.map(({ from_size, head }) => [from_size, head.size])).toEqual([
    [0, 1_000],
    [1_000, 2_000],
  ]);
  const [first, second] = told;
  if (first === undefined || second === undefined) throw new Error('too little was told');
  expect(isConsistent(first.head, second.head, second.path)).toBe(true);
  expect(await entriesOf(lender.institution_id)).toHaveLength(2_101);
  await grow();
  expect((await toldOf(lender.institution_id)).at(-1)?.head.size).toBe(2_101);

  // Begun anew, nothing is taken twice.
  await harness.rows(
    'live',
    "UPDATE event_log_progress SET after_id = '00000000-0000-0000-0000-000000000000'",
  );
  await grow();
  expect(await entriesOf(lender.institution_id)).toHaveLength(2_101);
  expect(await verify()).toMatchObject({ faults: [], unlogged: 0 });
}, 120_000);

describe('what the owner of the database does is found:', () => {
  const scene = async () => {
    const lender = institution();
    const { account, recorded } = await withPayments(lender, 20);
    await grow();
    const told = (await toldOf(lender.institution_id)).at(-1);
    if (told === undefined) throw new Error('nothing was told');
    const head = signed(lender, told.head);
    const faultsOf = async (signed_heads = [head]) =>
      (await verify(signed_heads)).faults.filter(
        ({ institution_id }) => institution_id === lender.institution_id,
      );
    expect(await faultsOf()).toEqual([]);
    return { lender, account, recorded, head, faultsOf };
  };

  /** Makes the log anew of the events as they are now, as who owns the database can. */
  const remake = async (lender: CallContext) => {
    const id = [lender.institution_id];
    await harness.rows('live', 'DELETE FROM event_log_entries WHERE institution_id = $1', id);
    await harness.rows('live', 'DELETE FROM event_logs WHERE institution_id = $1', id);
    await harness.rows('live', 'DELETE FROM merkle_tiles WHERE log_id = $1', id);
    await harness.rows(
      'live',
      "UPDATE event_log_progress SET after_id = '00000000-0000-0000-0000-000000000000'",
    );
    await grow();
  };

  test('a changed event', async () => {
    const { recorded, faultsOf } = await scene();
    const change = 'UPDATE credit_events SET amount_minor = 1 WHERE id = $1';
    await harness.rows('live', change, [recorded[3]?.id]);
    expect(await faultsOf([])).toMatchObject([
      { problem: 'its events are not those that were taken in' },
    ]);
    expect(await faultsOf()).toMatchObject([
      { problem: 'the first 21 events are not those that were signed' },
    ]);
  });

  test('a changed event with the whole log made anew: by what was signed', async () => {
    const { lender, recorded, faultsOf } = await scene();
    const change = "UPDATE credit_events SET occurred_at = '2020-01-01' WHERE id = $1";
    await harness.rows('live', change, [recorded[3]?.id]);
    await remake(lender);
    expect(await faultsOf([])).toEqual([]);
    expect(await faultsOf()).toMatchObject([
      { problem: 'the first 21 events are not those that were signed' },
    ]);
  });

  test('an event that was taken away, and a log that was', async () => {
    const { lender, recorded, faultsOf } = await scene();
    await harness.rows('live', 'DELETE FROM credit_events WHERE id = $1', [recorded[19]?.id]);
    expect(await faultsOf()).toMatchObject([{ problem: 'the event of entry 20 is gone' }]);
    await remake(lender);
    expect(await faultsOf()).toMatchObject([
      { problem: '21 events were signed, and 20 are there' },
    ]);
    const id = [lender.institution_id];
    await harness.rows('live', 'DELETE FROM event_log_entries WHERE institution_id = $1', id);
    expect(await faultsOf()).toMatchObject([{ problem: 'entry 0 is missing' }]);
    await harness.rows('live', 'DELETE FROM event_logs WHERE institution_id = $1', id);
    expect(await faultsOf()).toMatchObject([{ problem: 'the log is gone' }]);
    await remake(lender);
  });

  test('an event that was slipped in behind what is taken in', async () => {
    await scene();
    const { recorded } = await withPayments(institution(), 1);
    await grow();
    const [event] = recorded;
    await harness.rows('live', 'DELETE FROM event_log_entries WHERE event_id = $1', [event?.id]);
    const after_tomorrow = Date.now() + 2 * 86_400_000;
    expect(await verify([], after_tomorrow)).toMatchObject({ unlogged: 1 });
  });
});

test('the command takes the heads that identity wrote', async () => {
  const lender = institution();
  await withPayments(lender, 2);
  await grow();
  const [told] = await toldOf(lender.institution_id);
  if (told === undefined) throw new Error('nothing was told');
  const directory = await mkdtemp(path.join(tmpdir(), 'credit-heads-'));
  const file = path.join(directory, 'heads.json');
  const write = (head: TreeHead) =>
    writeFile(file, JSON.stringify([{ note: noteOf(signed(lender, head)) }]));
  const run = async () => {
    const lines: string[] = [];
    const parts = { db: harness.db, clock: systemClock };
    await verifyRecordCommand(parts, ['--heads', file], (line) => lines.push(line));
    return lines.join('\n');
  };
  await write(told.head);
  expect(await run()).toContain(', 1 signed heads,');
  await write({ size: 3, root: new Frontier().root() });
  expect(await run()).toContain(
    `  ${lender.institution_id}: the first 3 events are not those that were signed`,
  );
});

test('an id says when it was made', () => {
  const id = newId();
  expect(Math.abs(timeOfId(id) - Date.now())).toBeLessThan(60_000);
  expect(firstIdAt(timeOfId(id)) <= id && id < firstIdAt(timeOfId(id) + 1)).toBe(true);
  expect(firstIdAt(-5)).toBe('00000000-0000-0000-0000-000000000000');
});
