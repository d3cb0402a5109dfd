import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { Event, EventGroup } from '@credit/proto/events/v1/events';
import { startNatsServer } from '@credit/servers';
import { testLogger } from '@credit/testing';
import { connect, headers } from 'nats';
import { note, useBus } from '../../test/bus-fixture';
import { type CallContext, type Environment, systemContext } from '../context';
import { newId } from '../core';
import { type Database, partitionOf, statement, type Transaction } from '../db';
import { unavailable } from '../errors';
import {
  type Bus,
  type ConsumerDefinition,
  type Consumers,
  type ConsumersOptions,
  connectBus,
  connectionOptions,
  consumer,
  listDeadLetters,
  OutOfTurn,
  retryDeadLetter,
  STREAM,
  startConsumers,
  startRelay,
  sweepInbox,
} from '.';

const CREATE_EFFECTS = statement(
  'test_create_effects',
  // Not unique: a second effect must show.
  'CREATE TABLE effects (position bigserial, key text, text text)',
);
const ADD_EFFECT = statement(
  'test_add_effect',
  'INSERT INTO effects (key, text) SELECT * FROM unnest($1::text[], $2::text[])',
);
const EFFECTS = statement<{ key: string; text: string }>(
  'test_effects',
  'SELECT key, text FROM effects ORDER BY position',
);
const UNPUBLISHED = statement<{ count: number }>(
  'test_unpublished',
  'SELECT count(*)::int AS count FROM outbox WHERE published_at IS NULL',
);
const INBOX = statement<{ count: number }>(
  'test_inbox',
  'SELECT count(*)::int AS count FROM inbox',
);

const AGE_INBOX = statement(
  'test_age_inbox',
  `UPDATE inbox SET processed_at = now() - (n * interval '10 days')
     FROM (SELECT event_id, row_number() OVER (ORDER BY event_id) AS n FROM inbox) AS numbered
    WHERE inbox.event_id = numbered.event_id`,
);

const fixture = useBus({ table: 'effects', create: CREATE_EFFECTS });
let db: Database;
let bus: Bus;

beforeEach(() => {
  ({ db, bus } = fixture);
  const relay = startRelay({ db, bus, logger: testLogger, poll_ms: 50 });
  fixture.stops.push(() => relay.stop());
});

function start(
  consumers: ConsumerDefinition[],
  options: Partial<ConsumersOptions> = {},
): Consumers {
  const started = startConsumers({
    db,
    bus,
    logger: testLogger,
    consumers,
    retry_delay_ms: () => 20,
    ...options,
  });
  fixture.stops.push(() => started.stop());
  return started;
}

/** Commits one event per text. */
async function write(
  texts: readonly string[],
  options: { key?: string; environment?: Environment } = {},
): Promise<void> {
  const { key = 'bank', environment = 'live' } = options;
  const ctx = systemContext(environment, { request_id: 'req-1', traceparent: TRACEPARENT });
  for (const text of texts) {
    await db.transaction(ctx, async (tx) => tx.outbox(note(text, key)));
  }
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Writes down what it is given, or does what the test says. */
function recorder(
  before?: (text: string, ctx: CallContext, tx: Transaction) => Promise<void> | void,
  name = 'probe',
) {
  return consumer({
    name,
    type: 'audit_recorded',
    async handle(ctx, _event, payload, tx) {
      await tx.execute(ADD_EFFECT, [[payload.institution_id], [payload.action]]);
      await before?.(payload.action, ctx, tx);
    },
  });
}

async function effects(environment: Environment = 'live', key?: string): Promise<string[]> {
  const rows = await db.read(systemContext(environment)).query(EFFECTS);
  return rows.filter((row) => key === undefined || row.key === key).map((row) => row.text);
}

const deadLetters = (environment: Environment = 'live') => listDeadLetters(db, { environment });

async function eventually(check: () => Promise<void> | void, timeout_ms = 10_000): Promise<void> {
  const until_ms = Date.now() + timeout_ms;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > until_ms) throw error;
      await pause(25);
    }
  }
}

const unpublished = async () => (await db.read(systemContext('live')).one(UNPUBLISHED)).count;

const pause = (delay_ms: number) => new Promise((resolve) => setTimeout(resolve, delay_ms));

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Publishes past the outbox, as somebody else might. */
async function publishRaw(subject: string, payload: Uint8Array, message_id = newId()) {
  await eventually(() => expect(bus.stream).toBeDefined());
  const head = headers();
  head.set('Nats-Msg-Id', message_id);
  await bus.connection?.jetstream().publish(subject, payload, { headers: head });
}

/** Publishes events as one message, as a relay does. */
async function publishGroup(events: readonly Event[]): Promise<void> {
  const group = events.map((event) => ({
    partition: 3,
    event: Buffer.from(Event.encode(event).finish()),
  }));
  const payload = EventGroup.encode({ events: group }).finish();
  await publishRaw('credit.v1.live.p03.audit_recorded', payload);
}

function rawEvent(text: string, overrides: Partial<Event> = {}): Event {
  const { payload } = note(text, 'bank');
  return {
    id: newId(),
    environment: 'live',
    created_at: '2026-01-01T00:00:00.000Z',
    request_id: '',
    traceparent: '',
    payload,
    ...overrides,
  };
}

describe('a consumer', () => {
  it('gets an event with the environment, request and trace of its cause', async () => {
    const seen: CallContext[] = [];
    start([recorder((_text, ctx) => void seen.push(ctx))]);
    await write(['hello'], { environment: 'test' });
    await eventually(async () => expect(await effects('test')).toEqual(['hello']));
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      environment: 'test',
      request_id: 'req-1',
      traceparent: TRACEPARENT,
      actor: { type: 'system', id: '' },
      idempotency_key: '',
    });
    expect(seen[0]?.deadline_at_ms).toBeLessThan(Date.now() + 60_000);
    expect(await effects('live')).toEqual([]);
  });

  it('gets what was published before it existed', async () => {
    await write(numbered('event ', 5));
    await eventually(async () => expect(await unpublished()).toBe(0));
    start([recorder()]);
    await eventually(async () => expect(await effects()).toEqual(numbered('event ', 5)));
  });

  it('has one effect however often an event comes', async () => {
    start([recorder()]);
    const event = rawEvent('once');
    for (let copy = 0; copy < 5; copy += 1) {
      await publishRaw('credit.v1.live.p03.audit_recorded', Event.encode(event).finish());
    }
    await publishRaw(
      'credit.v1.live.p03.audit_recorded',
      Event.encode(rawEvent('another')).finish(),
    );
    await eventually(async () => expect(await effects()).toEqual(['once', 'another']));
    const consumers = start([]);
    await eventually(async () => {
      const info = await (await bus.manager()).consumers.info(STREAM, 'probe-audit_recorded');
      expect(info.num_ack_pending + info.num_pending).toBe(0);
    });
    expect(await consumers.lag()).toEqual([]);
    expect(await effects()).toEqual(['once', 'another']);
  });

  it('keeps the order of a partition and works on partitions side by side', async () => {
    let running = 0;
    let most = 0;
    const busy = new Set<string>();
    let overlap = false;
    start([
      consumer({
        name: 'probe',
        type: 'audit_recorded',
        async handle(_ctx, _event, payload, tx) {
          const key = payload.institution_id;
          overlap ||= busy.has(key);
          busy.add(key);
          running += 1;
          most = Math.max(most, running);
          await pause(5);
          await tx.execute(ADD_EFFECT, [[key], [payload.action]]);
          running -= 1;
          busy.delete(key);
        },
      }),
    ]);
    const keys = numbered('bank ', 6);
    await Promise.all(keys.map((key) => write(numbered('event ', 20), { key })));
    await eventually(async () => expect(await effects()).toHaveLength(120));
    for (const key of keys) expect(await effects('live', key)).toEqual(numbered('event ', 20));
    expect(overlap).toBe(false);
    expect(most).toBeGreaterThan(1);
  });

  it('forgets after a month what it has had, and not earlier', async () => {
    const started = start([recorder()]);
    await write(numbered('event ', 4));
    await eventually(async () => expect(await effects()).toHaveLength(4));
    await started.stop();
    const on = db.read(systemContext('live'));
    await on.execute(AGE_INBOX);
    expect(await sweepInbox(on, 100)).toBe(2);
    expect(await sweepInbox(on, 100)).toBe(0);
    expect((await on.one(INBOX)).count).toBe(2);
  });

  it('is acknowledged and leaves no mark where it means nothing', async () => {
    const consumers = start([
      consumer({
        name: 'probe',
        type: 'audit_recorded',
        concerns: (environment, { action }) => environment === 'live' && action.startsWith('told'),
        handle: async (_ctx, _event, { institution_id, action }, tx) => {
          await tx.execute(ADD_EFFECT, [[institution_id], [action]]);
        },
      }),
    ]);
    await write(['told of the first', 'nothing', 'told of the third', 'nothing']);
    await write(['told in test'], { environment: 'test' });
    await eventually(async () =>
      expect(await effects()).toEqual(['told of the first', 'told of the third']),
    );
    await eventually(async () =>
      expect(await consumers.lag()).toMatchObject([{ pending: 0, unacknowledged: 0 }]),
    );
    expect(await effects('test')).toEqual([]);
    expect((await db.read(systemContext('live')).one(INBOX)).count).toBe(2);
  });

  it('shares its events with its replicas', async () => {
    const handled = [0, 0];
    const other_bus = await fixture.openBus();
    const slow = (replica: number) =>
      recorder(async () => {
        handled[replica] = (handled[replica] ?? 0) + 1;
        await pause(2);
      });
    const bounded = { max_in_hand: 4 };
    start([slow(0)], bounded);
    start([slow(1)], { ...bounded, db: fixture.database.open(), bus: other_bus });
    await Promise.all(numbered('bank ', 8).map((key) => write(numbered('event ', 20), { key })));
    await eventually(async () => expect(await effects()).toHaveLength(160));
    expect(handled.reduce((sum, count) => sum + count)).toBe(160);
    for (const count of handled) expect(count).toBeGreaterThan(0);
  });
});

describe('a handler that fails', () => {
  it('is tried again until it succeeds, and leaves nothing of its failures', async () => {
    let attempts = 0;
    start([
      recorder(() => {
        attempts += 1;
        if (attempts < 3) throw new Error('not yet');
      }),
    ]);
    await write(['stubborn']);
    await eventually(async () => expect(await effects()).toEqual(['stubborn']));
    expect(attempts).toBe(3);
    expect(await deadLetters()).toEqual([]);
  });

  it('is given an event again that came before its turn, and never gives that up', async () => {
    let attempts = 0;
    start(
      [
        recorder((text) => {
          if (text === 'early') attempts += 1;
          if (text === 'early' && attempts < 12) throw new OutOfTurn('Others come before.');
        }),
      ],
      { max_deliveries: 3 },
    );
    await write(['early', 'another']);
    await eventually(async () => expect((await effects()).sort()).toEqual(['another', 'early']));
    expect(attempts).toBe(12);
    expect(await deadLetters()).toEqual([]);
  });

  it('sends a poisonous event to the dead letters while the others flow', async () => {
    const attempts: string[] = [];
    start(
      [
        recorder((text) => {
          attempts.push(text);
          if (text === 'poison') throw new Error('cannot stomach this');
        }),
      ],
      { max_deliveries: 3 },
    );
    await write(['before', 'poison', 'after']);
    await write(['elsewhere'], { key: 'another bank' });
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    expect(partitionOf('bank')).not.toBe(partitionOf('another bank'));
    await eventually(async () =>
      expect((await effects()).sort()).toEqual(['after', 'before', 'elsewhere']),
    );
    expect(attempts.filter((text) => text === 'poison')).toHaveLength(3);
    const [letter] = await deadLetters();
    expect(letter).toMatchObject({
      consumer: 'probe-audit_recorded',
      type: 'audit_recorded',
      deliveries: 3,
      error: expect.stringContaining('cannot stomach this'),
    });
    // It does not come again.
    await pause(200);
    expect(attempts.filter((text) => text === 'poison')).toHaveLength(3);
    expect(await deadLetters('test')).toEqual([]);
  });

  it('comes again with those that it was sent with, which are done once', async () => {
    const attempts: string[] = [];
    start(
      [
        recorder((text) => {
          attempts.push(text);
          if (text === 'poison') throw new Error('cannot stomach this');
        }),
      ],
      { max_deliveries: 3 },
    );
    const texts = ['before', 'poison', 'after'];
    const events = texts.map((text) => rawEvent(text));
    await publishGroup(events);
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    await eventually(async () => expect(await effects()).toEqual(['before', 'after']));
    expect(attempts).toEqual(['before', 'poison', 'after', 'poison', 'poison']);
    const [letter] = await deadLetters();
    const poison = events[1];
    expect(letter).toMatchObject({ event_id: poison?.id, deliveries: 3 });
    expect(letter?.payload).toEqual(Buffer.from(Event.encode(poison as Event).finish()));
    const manager = await bus.manager();
    await eventually(async () => {
      const info = await manager.consumers.info(STREAM, 'probe-audit_recorded');
      expect(info.num_ack_pending + info.num_pending).toBe(0);
    });
  });

  it('goes on for longer when a peer is away, which is not the fault of the event', async () => {
    let attempts = 0;
    start(
      [
        recorder(() => {
          attempts += 1;
          if (attempts < 8) throw unavailable('reporting is away');
        }),
      ],
      { max_deliveries: 3 },
    );
    await write(['patient']);
    await eventually(async () => expect(await effects()).toEqual(['patient']));
    expect(await deadLetters()).toEqual([]);
  });

  it('does not lose an event whose dead letter cannot be written', async () => {
    let attempts = 0;
    const block = fixture.database.open();
    start(
      [
        recorder(() => {
          attempts += 1;
          if (attempts < 5) throw new Error('no');
        }),
      ],
      { max_deliveries: 2 },
    );
    const locked = statement('test_lock_letters', 'ALTER TABLE dead_letters RENAME TO away');
    const unlocked = statement('test_unlock_letters', 'ALTER TABLE away RENAME TO dead_letters');
    await block.read(systemContext('live')).execute(locked);
    await write(['held on to']);
    await eventually(async () => expect(await effects()).toEqual(['held on to']));
    await block.read(systemContext('live')).execute(unlocked);
    expect(attempts).toBe(5);
    expect(await deadLetters()).toEqual([]);
  });
});

describe('an event that is none', () => {
  it.each([
    ['cannot be decoded', Buffer.from([0x0a, 0xff, 0xff])],
    ['has no id', Event.encode(rawEvent('x', { id: '' })).finish()],
    ['is no audit_recorded', Event.encode(rawEvent('x', { payload: undefined })).finish()],
    ['of test came as one of live', Event.encode(rawEvent('x', { environment: 'test' })).finish()],
  ])('goes to the dead letters at once: it %s', async (reason, payload) => {
    start([recorder()]);
    const message_id = newId();
    await publishRaw('credit.v1.live.p03.audit_recorded', payload, message_id);
    await write(['good']);
    await eventually(async () => expect(await effects()).toEqual(['good']));
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    const [letter] = await deadLetters();
    expect(letter).toMatchObject({
      event_id: message_id,
      deliveries: 1,
      error: expect.stringContaining(reason),
    });
    expect(letter?.payload).toEqual(Buffer.from(payload));
    expect(await effects('test')).toEqual([]);
  });

  it('does not take those with it that came in the same message', async () => {
    start([recorder()]);
    const foreign = rawEvent('foreign', { environment: 'test' });
    await publishGroup([rawEvent('one'), foreign, rawEvent('two')]);
    await eventually(async () => expect(await effects()).toEqual(['one', 'two']));
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    const [letter] = await deadLetters();
    expect(letter?.payload).toEqual(Buffer.from(Event.encode(foreign).finish()));
    expect(await effects('test')).toEqual([]);
  });
});

describe('a dead letter', () => {
  async function bury(definition: ConsumerDefinition): Promise<string> {
    start([definition], { max_deliveries: 1 });
    await write(['poison']);
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    const [letter] = await deadLetters();
    return letter?.event_id ?? '';
  }

  it('is taken in by a retry once its cause is gone', async () => {
    let broken = true;
    const definition = recorder(() => {
      if (broken) throw new Error('broken');
    });
    const event_id = await bury(definition);
    const options = {
      environment: 'live',
      consumer: definition.durable,
      event_id,
      consumers: [definition],
    } as const;

    await expect(retryDeadLetter(db, options)).rejects.toThrow('broken');
    expect(await deadLetters()).toHaveLength(1);
    expect(await effects()).toEqual([]);

    broken = false;
    expect(await retryDeadLetter(db, options)).toBe('processed');
    expect(await effects()).toEqual(['poison']);
    expect(await deadLetters()).toEqual([]);
    expect(await retryDeadLetter(db, options)).toBe('not_found');
    expect(await effects()).toEqual(['poison']);
  });

  it('is listed a page at a time', async () => {
    const definition = recorder(() => {
      throw new Error('broken');
    });
    start([definition], { max_deliveries: 1 });
    await write(['one', 'two', 'three']);
    await eventually(async () => expect(await deadLetters()).toHaveLength(3));

    const first = await listDeadLetters(db, { environment: 'live', limit: 2 });
    expect(first).toHaveLength(2);
    const after = first[1];
    const second = await listDeadLetters(db, {
      environment: 'live',
      limit: 2,
      ...(after && { after }),
    });
    expect(second).toHaveLength(1);
    const ids = [...first, ...second].map((letter) => letter.event_id);
    expect(ids).toEqual([...ids].sort());
    expect(await listDeadLetters(db, { environment: 'live', consumer: 'somebody-else' })).toEqual(
      [],
    );
  });
});

describe('a batch consumer', () => {
  function batches(fail: (texts: string[]) => void = () => {}) {
    const sizes: number[] = [];
    const definition = consumer({
      name: 'probe',
      type: 'audit_recorded',
      max_batch: 50,
      async handleBatch(ctx, entries, tx) {
        sizes.push(entries.length);
        const texts = entries.map((entry) => entry.payload.action);
        const keys = entries.map((entry) => entry.payload.institution_id);
        await tx.execute(ADD_EFFECT, [keys, texts]);
        for (const entry of entries) expect(entry.ctx.environment).toBe(ctx.environment);
        fail(texts);
      },
    });
    return { definition, sizes };
  }

  it('takes many events in one transaction, in order and each once', async () => {
    const { definition, sizes } = batches();
    await Promise.all(numbered('bank ', 4).map((key) => write(numbered('event ', 50), { key })));
    await write(['of test'], { environment: 'test' });
    start([definition]);
    await eventually(async () => expect(await effects()).toHaveLength(200));
    await eventually(async () => expect(await effects('test')).toEqual(['of test']));
    for (const key of numbered('bank ', 4)) {
      expect(await effects('live', key)).toEqual(numbered('event ', 50));
    }
    expect(Math.max(...sizes)).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
    expect((await db.read(systemContext('live')).one(INBOX)).count).toBe(200);
  });

  it('takes events one by one after a failure, so that only the one at fault is held back', async () => {
    const { definition, sizes } = batches((texts) => {
      if (texts.includes('event 7')) throw new Error('not this one');
    });
    await write(numbered('event ', 20));
    start([definition], { max_deliveries: 2 });
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    await eventually(async () => expect(await effects()).toHaveLength(19));
    expect(await effects()).toEqual(numbered('event ', 20).filter((text) => text !== 'event 7'));
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  it('waits as a whole when a peer is away, and gives nothing up', async () => {
    let calls = 0;
    const { definition } = batches(() => {
      calls += 1;
      if (calls < 10) throw unavailable('reporting is away');
    });
    await write(numbered('event ', 20));
    start([definition], { max_deliveries: 2 });
    await eventually(async () => expect(await effects()).toHaveLength(20));
    expect((await effects()).sort()).toEqual(numbered('event ', 20).sort());
    expect(await deadLetters()).toEqual([]);
  });

  it('does not give the handler what it has had', async () => {
    const { definition } = batches();
    const event = rawEvent('once');
    const payload = Event.encode(event).finish();
    for (let copy = 0; copy < 10; copy += 1) {
      await publishRaw('credit.v1.live.p03.audit_recorded', payload);
    }
    start([definition]);
    await eventually(async () => expect(await effects()).toEqual(['once']));
    await write(['next']);
    await eventually(async () => expect(await effects()).toEqual(['once', 'next']));
  });
});

describe('stopping', () => {
  it('finishes what is in hand and fetches no more', async () => {
    const handled: string[] = [];
    const consumers = start([
      recorder(async (text) => {
        await pause(50);
        handled.push(text);
      }),
    ]);
    await write(['first', 'second']);
    await eventually(async () => expect((await effects()).length).toBeGreaterThan(0));
    await consumers.stop();
    expect(await effects()).toEqual(handled);
    await write(['later']);
    await pause(200);
    expect(await effects()).toEqual(handled);

    start([recorder()]);
    await eventually(async () => expect(await effects()).toEqual(['first', 'second', 'later']));
  });

  it('returns at once when NATS is away', async () => {
    const away = await connectBus({ url: 'nats://127.0.0.1:9', name: 'away', logger: testLogger });
    const consumers = startConsumers({
      db,
      bus: away,
      logger: testLogger,
      consumers: [recorder()],
    });
    await pause(50);
    const started_ms = performance.now();
    expect(await consumers.lag()).toEqual([]);
    await consumers.stop();
    await away.close();
    expect(performance.now() - started_ms).toBeLessThan(5_000);
  });
});

describe('when NATS goes away', () => {
  it('goes on where it was after a restart', async () => {
    start([recorder()]);
    await write(numbered('before ', 10));
    await eventually(async () => expect(await effects()).toHaveLength(10));
    process.kill(fixture.nats.pid, 'SIGKILL');
    await fixture.nats.exited;
    await write(numbered('meanwhile ', 10));
    await fixture.restartNats();
    await write(numbered('after ', 10));
    await eventually(async () => expect(await effects()).toHaveLength(30), 20_000);
    expect(await effects()).toEqual([
      ...numbered('before ', 10),
      ...numbered('meanwhile ', 10),
      ...numbered('after ', 10),
    ]);
  }, 40_000);

  it('loses nothing and repeats nothing after the whole store was deleted', async () => {
    const consumers = start([recorder()]);
    await write(numbered('before ', 30));
    await eventually(async () => expect(await effects()).toHaveLength(30));
    await consumers.stop();
    await write(numbered('not consumed ', 10));
    await fixture.nats.stop();
    await write(numbered('not published ', 10));
    await rm(path.join(fixture.directory, 'jetstream'), { recursive: true });
    await fixture.restartNats();

    const again = start([recorder()]);
    await write(numbered('after ', 10));
    await eventually(async () => expect(await effects()).toHaveLength(60), 20_000);
    await eventually(async () =>
      expect(await again.lag()).toEqual([
        { consumer: 'probe-audit_recorded', pending: 0, unacknowledged: 0 },
      ]),
    );
    expect(await effects()).toEqual([
      ...numbered('before ', 30),
      ...numbered('not consumed ', 10),
      ...numbered('not published ', 10),
      ...numbered('after ', 10),
    ]);
    expect(await deadLetters()).toEqual([]);
  }, 40_000);

  // Of a cluster, positions of consumers may have outlived the end of the stream.
  it.each([
    ['everything in it is older', ''],
    ['consumers are further than the stream', 'jetstream/$G/streams/CREDIT/msgs'],
  ])(
    'gets once each what a store of an older copy has lost: %s',
    async (_what, part) => {
      start([recorder()]);
      await write(numbered('before ', 10));
      await eventually(async () => expect(await effects()).toHaveLength(10));
      const store = path.join(fixture.directory, 'jetstream', part);
      const copy = path.join(fixture.directory, 'copy');
      await fixture.nats.stop();
      await cp(store, copy, { recursive: true });
      await fixture.restartNats();
      const consumed = start([recorder(undefined, 'other')]);
      await write(numbered('lost ', 3));
      await eventually(async () => expect(await effects()).toHaveLength(26), 20_000);
      await consumed.stop();
      await write(numbered('consumed by one ', 3));
      await eventually(async () => expect(await effects()).toHaveLength(29));
      await eventually(async () => expect(await unpublished()).toBe(0));
      await fixture.nats.stop();
      await rm(store, { recursive: true });
      await cp(copy, store, { recursive: true });

      // Others are faster, and take the places of what was lost.
      const elsewhere = await startNatsServer({ data_directory: fixture.directory });
      const connection = await connect(connectionOptions({ url: elsewhere.url, name: 'test' }));
      for (const text of numbered('of others ', 10)) {
        const event = rawEvent(text);
        const subject = 'credit.v1.live.p07.audit_recorded';
        await connection.jetstream().publish(subject, Event.encode(event).finish());
      }
      await connection.close();
      await elsewhere.stop();
      await write(numbered('meanwhile ', 3));
      await fixture.restartNats();

      start([recorder(undefined, 'other')]);
      const all = [
        ...numbered('before ', 10),
        ...numbered('lost ', 3),
        ...numbered('consumed by one ', 3),
        ...numbered('of others ', 10),
        ...numbered('meanwhile ', 3),
      ];
      await eventually(
        async () => expect((await effects()).sort()).toEqual([...all, ...all].sort()),
        60_000,
      );
      const { losses } = bus.stream ?? {};
      expect(losses?.length).toBeGreaterThan(0);
      expect(await deadLetters()).toEqual([]);
    },
    120_000,
  );

  it('makes its consumer anew when that was deleted under it', async () => {
    start([recorder()]);
    await write(['before']);
    await eventually(async () => expect(await effects()).toEqual(['before']));
    await (await bus.manager()).consumers.delete(STREAM, 'probe-audit_recorded');
    await write(['after']);
    await eventually(async () => expect(await effects()).toEqual(['before', 'after']));
  });
});
