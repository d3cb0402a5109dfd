import path from 'node:path';
import { type TestDatabase, testDatabase, testLogger } from '@credit/testing';
import { eventually } from '../../test/rpc-fixture';
import { type CallContext, systemContext } from '../context';
import { newId } from '../core';
import { conflict } from '../errors';
import {
  batchStatement,
  column,
  columns,
  command,
  type Database,
  type GroupEntry,
  groupCommit,
  migrate,
  nullable,
  openDatabase,
  type RowOf,
  statement,
  sweepKeys,
  type Transaction,
} from '.';

interface Note {
  id: string;
  amount_minor: bigint;
}

const MIGRATIONS = path.join(__dirname, 'test-migrations');
const INSERT = statement(
  'test_insert_notes',
  'INSERT INTO notes (id, amount_minor) SELECT * FROM unnest($1::uuid[], $2::bigint[])',
);
const COUNT = statement<{ count: number }>(
  'test_count',
  'SELECT count(*)::int AS count FROM notes',
);
const OUTBOX = statement<{ count: number }>(
  'test_count_outbox',
  'SELECT count(*)::int AS count FROM outbox',
);
const LAST = statement<{ id: string; at: string; amount_minor: bigint }>(
  'test_last',
  'SELECT id, at, amount_minor FROM notes ORDER BY id DESC LIMIT 1',
);

const ECHO = statement<{ bytes: (Buffer | null)[]; texts: (string | null)[] }>(
  'test_echo',
  'SELECT $1::bytea[] AS bytes, $2::text[] AS texts',
);

const THING = columns({
  number: column('integer'),
  id: nullable(column('uuid')),
  at: nullable(column('timestamptz')),
  amount_minor: nullable(column('bigint')),
  is_so: nullable(column('boolean')),
  said: nullable(column('json')),
  note: nullable(column('text')),
});
const ECHO_THINGS = batchStatement(
  'test_echo_things',
  { things: THING },
  (sql) => `SELECT * FROM unnest(${sql.things}) AS things (${THING.names()}) ORDER BY number`,
).answering<RowOf<typeof THING>>();

const codec = {
  encode: (note: Note) => Buffer.from(`${note.id} ${note.amount_minor}`),
  decode(bytes: Uint8Array): Note {
    const [id = '', amount = ''] = Buffer.from(bytes).toString().split(' ');
    return { id, amount_minor: BigInt(amount) };
  },
};
const options = {
  name: 'CreateNote',
  request: (amount: bigint) => Buffer.from(String(amount)),
  codec,
  retention_s: 3600,
};

let test: TestDatabase;
let db: Database;

beforeAll(async () => {
  test = await testDatabase('platform', MIGRATIONS);
  db = test.db;
}, 60_000);
afterAll(() => test.stop());

const key = (idempotency_key: string, overrides: Partial<CallContext> = {}): CallContext =>
  systemContext('live', { institution_id: 'bank', idempotency_key, ...overrides });
const live = systemContext('live');
const count = async (environment: 'live' | 'test' = 'live') =>
  (await db.read(systemContext(environment)).one(COUNT)).count;

async function insert(tx: Transaction, amount_minor: bigint): Promise<Note> {
  const note = { id: newId(), amount_minor };
  await tx.execute(INSERT, [[note.id], [amount_minor]]);
  return note;
}

describe('a transaction', () => {
  it('gives rows with bigint money and RFC 3339 times', async () => {
    await db.transaction(live, (tx) => insert(tx, 99_999_999_999_999n));
    const row = await db.read(live).one(LAST);
    expect(row.amount_minor).toBe(99_999_999_999_999n);
    expect(row.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.now() - Date.parse(row.at))).toBeLessThan(60_000);
  });

  it('takes columns of bytes and texts as they are', async () => {
    const bytes = [Buffer.of(0, 34, 92, 255), null, Buffer.alloc(0), Buffer.alloc(70_000, 7)];
    const texts = ['a"b', 'c\\d', 'NULL', '', null, '{e,f}', 'ü\n'];
    const echo = await db.read(live).one(ECHO, [bytes, texts]);
    expect(echo).toEqual({ bytes, texts });
    const empty = await db.read(live).one(ECHO, [[null], []]);
    expect(empty).toEqual({ bytes: [null], texts: [] });
  });

  it('takes rows of every type as they are, what is absent in some or in all included', async () => {
    const echo = (things: RowOf<typeof THING>[]) =>
      db.read(live).query(ECHO_THINGS, ECHO_THINGS.values({ things }));
    const absent = { id: undefined, at: undefined, amount_minor: undefined, is_so: undefined };
    const nothing = { ...absent, said: undefined, note: undefined };
    const filled = [
      {
        number: -2_147_483_648,
        id: '0190a2b3-c4d5-7e6f-8a9b-0123456789ab',
        at: '1970-01-01T00:00:00.001Z',
        amount_minor: -99_999_999_999_999n,
        is_so: false,
        said: { text: 'ü "quoted" \\\n', of: [1, null] },
        note: 'ü "quoted" \\\n',
      },
      { ...nothing, number: 0 },
      {
        ...nothing,
        number: 2_147_483_647,
        id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
        at: '9999-12-31T23:59:59.999Z',
        amount_minor: 9_223_372_036_854_775_807n,
        is_so: true,
      },
    ];
    const given = filled.map((one) => ({ ...one, said: one.said && JSON.stringify(one.said) }));
    expect(await echo(given)).toEqual(filled);
    expect(await echo([{ ...nothing, number: 7 }])).toEqual([{ ...nothing, number: 7 }]);
    expect(await echo([])).toEqual([]);
  });

  it('leaves other spellings of a value, and what is none, to the server', async () => {
    const echo = (things: Partial<RowOf<typeof THING>>[]) =>
      db
        .read(live)
        .query(
          ECHO_THINGS,
          ECHO_THINGS.values({ things: things.map((one, number) => ({ ...one, number })) }),
        );
    const [first, second] = await echo([
      { id: '{0190A2B3C4D57E6F8A9B0123456789AB}', at: '2026-02-01T01:00:00.123456+01:00' },
      { id: '0190a2b3-c4d5-7e6f-8a9b-0123456789ab', at: '2026-02-01T00:00:00.123Z' },
    ]);
    expect([first?.id, first?.at]).toEqual([second?.id, second?.at]);
    await expect(echo([{ id: 'x190a2b3-c4d5-7e6f-8a9b-0123456789ab' }])).rejects.toThrow(/uuid/);
    await expect(echo([{ at: '2026-02-30T00:00:00.000Z' }])).rejects.toThrow(/out of range/);
    await expect(echo([{ amount_minor: 9_223_372_036_854_775_808n }])).rejects.toThrow(/range/);
  });

  it('rolls everything back, outbox rows too, when it throws', async () => {
    const before = await count();
    const outbox = (await db.read(live).one(OUTBOX)).count;
    await expect(
      db.transaction(live, async (tx) => {
        await insert(tx, 1n);
        tx.audit({
          action: 'note.created',
          target_type: 'note',
          target_id: 'x',
          at: new Date().toISOString(),
        });
        throw conflict('no', { reason: 'CHANGED_MEANWHILE' });
      }),
    ).rejects.toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    expect(await count()).toBe(before);
    expect((await db.read(live).one(OUTBOX)).count).toBe(outbox);
  });

  it('wakes the relay only when it committed outbox rows', async () => {
    const woken: string[] = [];
    const other = test.open();
    other.onOutbox((environment) => woken.push(environment));
    await other.transaction(live, (tx) => insert(tx, 1n));
    expect(woken).toEqual([]);
    await other.transaction(live, async (tx) => {
      tx.audit({
        action: 'note.created',
        target_type: 'note',
        target_id: 'x',
        at: new Date().toISOString(),
      });
    });
    expect(woken).toEqual(['live']);
  });

  it('commits writes that nobody waited for, and later statements see them', async () => {
    const before = await count();
    const seen = await db.transaction(live, async (tx) => {
      tx.write(INSERT, [[newId()], [5n]], 1);
      return tx.one(COUNT);
    });
    expect(seen.count).toBe(before + 1);
    expect(await count()).toBe(before + 1);
  });

  it('fails with the first write that failed, and leaves nothing', async () => {
    const before = await count();
    const id = newId();
    const twice = db.transaction(live, async (tx) => {
      tx.write(INSERT, [[id], [1n]]);
      tx.write(INSERT, [[id], [2n]]);
      tx.write(INSERT, [[newId()], [3n]]);
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    expect(await count()).toBe(before);
  });

  it('names the write that failed, not what failed because of it', async () => {
    const read = db.transaction(live, async (tx) => {
      tx.write(INSERT, [['no uuid'], [1n]]);
      await tx.one(COUNT);
    });
    await expect(read).rejects.toMatchObject({ code: '22P02' });
    const thrown = db.transaction(live, async (tx) => {
      tx.write(INSERT, [['no uuid'], [1n]]);
      throw conflict('Only a rehearsal.', { reason: 'CHANGED_MEANWHILE' });
    });
    await expect(thrown).rejects.toMatchObject({ code: '22P02' });
  });

  it('takes everything back when a write met another number of rows', async () => {
    const before = await count();
    const short = db.transaction(live, async (tx) => {
      tx.write(INSERT, [[newId()], [1n]], 2);
    });
    await expect(short).rejects.toThrow('test_insert_notes: 1 rows, expected 2.');
    expect(await count()).toBe(before);
  });

  it('leaves its connection fit for use after a failure', async () => {
    const one = openDatabase({
      service: 'platform',
      urls: test.urls,
      pool_size: 1,
      logger: testLogger,
    });
    try {
      for (let round = 0; round < 3; round += 1) {
        const broken = one.transaction(live, async (tx) => {
          tx.write(INSERT, [['no uuid'], [1n]]);
          tx.write(INSERT, [[newId()], [1n]]);
        });
        await expect(broken).rejects.toMatchObject({ code: '22P02' });
        await one.transaction(live, async (tx) => tx.write(INSERT, [[newId()], [1n]], 1));
      }
    } finally {
      await one.close();
    }
  });

  it('fails alone when its connection breaks between two of its statements', async () => {
    const BACKEND = statement<{ pid: number }>('test_backend', 'SELECT pg_backend_pid() AS pid');
    const END = statement('test_end_backend', 'SELECT pg_terminate_backend($1)');
    let gone = false;
    const broken = db.transaction(live, async (tx) => {
      const { pid } = await tx.one(BACKEND, []);
      await db.read(live).execute(END, [pid]);
      // Nothing is asked of the connection while it ends.
      await new Promise((resolve) => setTimeout(resolve, 200));
      gone = true;
      await tx.one(COUNT, []);
    });
    await expect(broken).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(gone).toBe(true);
    await expect(db.transaction(live, (tx) => tx.one(COUNT, []))).resolves.toBeDefined();
  });

  it('does not keep a connection to a server that only follows another', async () => {
    const { urls } = test;
    const settings = { default_transaction_read_only: 'on' };
    const follower = openDatabase({ service: 'follower', urls, logger: testLogger, settings });
    try {
      const runs: ((tx: Transaction) => Promise<unknown>)[] = [
        (tx) => insert(tx, 1n),
        // Nobody waits for it before the commit.
        async (tx) => tx.write(INSERT, [[newId()], [1n]]),
      ];
      for (const run of runs) {
        await expect(follower.transaction(live, run)).rejects.toMatchObject({
          code: 'INTERNAL_ERROR',
          retry_after_s: 1,
        });
        expect(follower.usage().total).toBe(0);
      }
      await follower.transaction(live, (tx) => tx.one(COUNT));
      expect(follower.usage().total).toBe(1);
    } finally {
      await follower.close();
    }
  });

  it.each(['53100', '53200', '58030', '08006'])('invites a retry after %s', async (code) => {
    const FAIL = statement(
      `test_fail_${code}`,
      `DO $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END$$`,
    );
    await expect(db.read(live).execute(FAIL)).rejects.toMatchObject({ retry_after_s: 1 });
  });

  it('is run again after a deadlock', async () => {
    const [first, second] = await db.transaction(live, async (tx) => [
      await insert(tx, 1n),
      await insert(tx, 2n),
    ]);
    const lock = statement('test_lock', 'SELECT id FROM notes WHERE id = $1 FOR UPDATE');
    let runs = 0;
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    let arrived = 0;
    const lockBoth = (a: string, b: string) =>
      db.transaction(live, async (tx) => {
        runs += 1;
        await tx.query(lock, [a]);
        arrived += 1;
        if (arrived === 2) meet();
        await met;
        await tx.query(lock, [b]);
      });
    await Promise.all([lockBoth(first.id, second.id), lockBoth(second.id, first.id)]);
    expect(runs).toBe(3);
  });

  it('sees only its own environment, and its role cannot see the other', async () => {
    const before = await count('live');
    await db.transaction(systemContext('test'), (tx) => insert(tx, 5n));
    expect(await count('live')).toBe(before);
    expect(await count('test')).toBe(1);
    const spy = statement('test_spy', 'SELECT count(*) FROM platform_live.notes');
    await expect(db.read(systemContext('test')).query(spy)).rejects.toThrow(/permission denied/);
  });
});

describe('an idempotent command', () => {
  it('replays its answer for the same key and request', async () => {
    const first = await command(db, key('same-key-1'), options, 7n, (tx) => insert(tx, 7n));
    const before = await count();
    const ctx = key('same-key-1');
    const again = await command(db, ctx, options, 7n, (tx) => insert(tx, 7n));
    expect(again).toEqual(first);
    expect(ctx.reply_metadata.get('idempotent-replayed')).toBe('true');
    expect(await count()).toBe(before);
  });

  it('refuses the key for another request', async () => {
    await command(db, key('changed-1'), options, 7n, (tx) => insert(tx, 7n));
    await expect(
      command(db, key('changed-1'), options, 8n, (tx) => insert(tx, 8n)),
    ).rejects.toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  });

  it('keeps keys apart by institution, endpoint and environment', async () => {
    const before = await count();
    const run = (tx: Transaction) => insert(tx, 1n);
    await command(db, key('apart-1'), options, 1n, run);
    await command(db, key('apart-1', { institution_id: 'other' }), options, 1n, run);
    await command(db, key('apart-1'), { ...options, name: 'Other' }, 1n, run);
    await command(db, key('apart-1', { environment: 'test' }), options, 1n, run);
    expect(await count()).toBe(before + 3);
  });

  it('leaves the key free after a refusal', async () => {
    const refuse = () => Promise.reject(conflict('not now', { reason: 'CHANGED_MEANWHILE' }));
    await expect(command(db, key('free-1'), options, 3n, refuse)).rejects.toThrow('not now');
    const note = await command(db, key('free-1'), options, 4n, (tx) => insert(tx, 4n));
    expect(note.amount_minor).toBe(4n);
  });

  it('has one effect when twenty twins come at once, over two replicas', async () => {
    const before = await count();
    const other = test.open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        command(index % 2 ? db : other, key('twins-1'), options, 9n, (tx) => insert(tx, 9n)),
      ),
    );
    expect(new Set(answers.map((note) => note.id)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  it('forgets an expired key, and the sweep deletes it', async () => {
    const short = { ...options, retention_s: 0 };
    const first = await command(db, key('expired-1'), short, 1n, (tx) => insert(tx, 1n));
    const second = await command(db, key('expired-1'), short, 2n, (tx) => insert(tx, 2n));
    expect(second.id).not.toBe(first.id);
    expect(await sweepKeys(db.read(live), 100)).toBe(1);
    expect(await sweepKeys(db.read(live), 100)).toBe(0);
  });
});

describe('group commit', () => {
  const group = (
    run?: (tx: Transaction, entries: readonly GroupEntry<bigint>[]) => Promise<void>,
  ) => {
    const batches: number[] = [];
    const commits = groupCommit<bigint, Note>(db, {
      ...options,
      async run(tx, entries) {
        batches.push(entries.length);
        await run?.(tx, entries);
        const notes = entries.map(({ item }) => ({ id: newId(), amount_minor: item }));
        const accepted = notes.filter((note) => note.amount_minor !== 13n);
        await tx.execute(INSERT, [
          accepted.map((note) => note.id),
          accepted.map((note) => note.amount_minor),
        ]);
        return notes.map((note) =>
          note.amount_minor === 13n
            ? { error: conflict('unlucky', { reason: 'CHANGED_MEANWHILE' }) }
            : { value: note },
        );
      },
    });
    return { ...commits, batches };
  };

  it('commits concurrent commands together and answers each with its own', async () => {
    const before = await count();
    const { submit, batches } = group();
    const notes = await Promise.all(
      Array.from({ length: 300 }, (_, index) => submit(live, BigInt(index + 100))),
    );
    expect(notes.map((note) => note.amount_minor)).toEqual(
      Array.from({ length: 300 }, (_, index) => BigInt(index + 100)),
    );
    expect(batches).toEqual([128, 128, 44]);
    expect(await count()).toBe(before + 300);
  });

  it('shows what waits while a batch is held up, and for how long', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { submit, batches } = group(() => gate);
    const own = () => db.waitingWrites().at(-2);
    expect(own()).toEqual({
      command: options.name,
      environment: 'live',
      count: 0,
      oldest_wait_s: 0,
    });
    const notes = [submit(live, 1n)];
    await eventually(() => batches.length === 1);
    // The first is in a transaction, with the connection that the others go by.
    notes.push(submit(live, 2n), submit(live, 13n));
    expect(own()?.count).toBe(3);
    await eventually(() => (own()?.oldest_wait_s ?? 0) > 0.02);
    expect(db.usage().waiting).toBe(0);
    open();
    await Promise.allSettled(notes);
    expect(own()).toMatchObject({ count: 0, oldest_wait_s: 0 });
  });

  it('refuses one command alone and frees its key', async () => {
    const { submit } = group();
    const results = await Promise.allSettled([
      submit(key('group-ok'), 1n),
      submit(key('group-bad'), 13n),
      submit(key('group-ok-2'), 2n),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await submit(key('group-bad'), 14n)).amount_minor).toBe(14n);
  });

  it('replays twins of one batch from the first', async () => {
    const { submit } = group();
    const before = await count();
    const notes = await Promise.all(
      Array.from({ length: 20 }, () => submit(key('group-twin'), 21n)),
    );
    expect(new Set(notes.map((note) => note.id)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  it('asks for a later try when its queue is full, and keeps what it took', async () => {
    const before = await count();
    const { submit } = group();
    const taken = Array.from({ length: 10_000 }, (_, index) => submit(live, BigInt(index + 100)));
    await expect(submit(live, 1n)).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      retry_after_s: 2,
    });
    await Promise.all(taken);
    expect(await count()).toBe(before + 10_000);
  });

  it('fails only the culprit when a batch breaks', async () => {
    const { submit } = group(async (tx, entries) => {
      const broken = entries.find(({ item }) => item === 66n);
      if (broken) await tx.execute(INSERT, [[newId()], [-1n]]);
    });
    const before = await count();
    const results = await Promise.allSettled([
      submit(live, 65n),
      submit(live, 66n),
      submit(live, 67n),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await count()).toBe(before + 2);
  });
});

describe('a database that is away', () => {
  it('is an error that invites a retry and tells nothing', async () => {
    const url = 'postgres://nobody:secret@127.0.0.1:1/none';
    const away = openDatabase({
      service: 'away',
      urls: { live: url, test: url },
      logger: testLogger,
    });
    const error = await away
      .transaction(live, async () => undefined)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', retry_after_s: 1 });
    expect(String(error)).not.toMatch(/secret|127\.0/);
    await away.close();
  });
});

describe('migrations', () => {
  it('apply once', async () => {
    expect(await migrate(test.urls.live, MIGRATIONS)).toEqual([]);
  });
});
