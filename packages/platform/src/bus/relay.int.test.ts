import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { testLogger } from '@credit/testing';
import { note, useBus } from '../../test/bus-fixture';
import { type Environment, systemContext } from '../context';
import { type Database, openDatabase, partitionOf, statement } from '../db';
import { isUuid } from '../values';
import {
  type Bus,
  connectBus,
  PublishError,
  type Relay,
  type RelayOptions,
  STREAM,
  startRelay,
  sweepOutbox,
} from '.';
import { readMessage } from './messages';
import { parseLoss } from './subjects';

const UNPUBLISHED = statement<{ count: number }>(
  'test_unpublished',
  'SELECT count(*)::int AS count FROM outbox WHERE published_at IS NULL',
);
const ROWS = statement<{ count: number }>('test_rows', 'SELECT count(*)::int AS count FROM outbox');
const AGE = statement(
  'test_age',
  `UPDATE outbox SET published_at = published_at - interval '15 days'`,
);
const DEAD = statement<{ consumer: string; error: string }>(
  'test_dead',
  'SELECT consumer, error FROM dead_letters',
);

const fixture = useBus();
let db: Database;
let bus: Bus;

beforeEach(() => {
  ({ db, bus } = fixture);
});

function relay(options: Partial<RelayOptions> = {}): Relay {
  const started = startRelay({ db, bus, logger: testLogger, poll_ms: 50, ...options });
  fixture.stops.push(() => started.stop());
  return started;
}

/** Commits one event per text, in one transaction each. */
async function write(
  texts: readonly string[],
  options: { key?: string; environment?: Environment; on?: Database } = {},
): Promise<void> {
  const { key = 'bank', environment = 'live', on = db } = options;
  const ctx = systemContext(environment, { request_id: 'req-1' });
  for (const text of texts) {
    await on.transaction(ctx, async (tx) => tx.outbox(note(text, key)));
  }
}

/** Commits one event per text in one transaction. */
async function atOnce(texts: readonly string[]): Promise<void> {
  await db.transaction(systemContext('live'), async (tx) => {
    for (const text of texts) tx.outbox(note(text));
  });
}

interface Stored {
  subject: string;
  message_id: string;
  text: string;
  key: string;
}

/** Every event in the stream, in its order. */
async function stored(): Promise<Stored[]> {
  const manager = await bus.manager();
  const { state } = await manager.streams.info(STREAM);
  const messages: Stored[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(STREAM, { seq });
    if (parseLoss(message.subject) !== undefined) continue;
    const message_id = message.header.get('Nats-Msg-Id');
    for (const one of readMessage(message.subject, message_id, message.data)) {
      if ('error' in one) throw one.error;
      const { payload } = one.event;
      if (payload?.$case !== 'audit_recorded') throw new Error('Not one of ours.');
      const { action: text, institution_id: key } = payload.value;
      messages.push({ subject: message.subject, message_id, text, key });
    }
  }
  return messages;
}

const texts = async () => (await stored()).map((message) => message.text);

const unpublished = async (environment: Environment = 'live') =>
  (await db.read(systemContext(environment)).one(UNPUBLISHED)).count;

async function eventually(check: () => Promise<void> | void, timeout_ms = 10_000): Promise<void> {
  const until_ms = Date.now() + timeout_ms;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > until_ms) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the relay', () => {
  it('publishes what was committed under the subject of its environment, partition and type', async () => {
    relay();
    await write(['live one']);
    await write(['test one'], { environment: 'test' });
    await eventually(async () => expect(await texts()).toHaveLength(2));

    const partition = `p${String(partitionOf('bank')).padStart(2, '0')}`;
    const messages = await stored();
    expect(messages.map(({ subject, text }) => ({ subject, text }))).toEqual(
      expect.arrayContaining([
        { subject: `credit.v1.live.${partition}.audit_recorded`, text: 'live one' },
        { subject: `credit.v1.test.${partition}.audit_recorded`, text: 'test one' },
      ]),
    );
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(await unpublished('test')).toBe(0);
  });

  it('publishes within moments of the commit, without waiting for a poll', async () => {
    relay({ poll_ms: 60_000 });
    await eventually(() => expect(bus.stream).toBeDefined());
    await write(['first']);
    await eventually(async () => expect(await unpublished()).toBe(0));

    const started_ms = performance.now();
    await write(['second']);
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(performance.now() - started_ms).toBeLessThan(30_000);
  });

  it('publishes nothing of a transaction that was rolled back', async () => {
    relay();
    const failing = db.transaction(systemContext('live'), async (tx) => {
      tx.outbox(note('never'));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await write(['after']);
    await eventually(async () => expect(await texts()).toEqual(['after']));
  });

  it('publishes a lower id that is committed after a higher one', async () => {
    relay();
    let commit = () => {};
    const gate = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let slow = Promise.resolve();
    // Only once it has its id may the other one get the next.
    await new Promise<void>((resolve) => {
      slow = db.transaction(systemContext('live'), async (tx) => {
        tx.outbox(note('lower id'));
        resolve();
        await gate;
      });
    });
    await write(['higher id']);
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(await texts()).toEqual(['higher id']);

    commit();
    await slow;
    await eventually(async () => expect(await texts()).toEqual(['higher id', 'lower id']));
    const ids = (await stored()).map((message) => message.message_id);
    expect(ids).not.toEqual([...ids].sort());
  });

  it('keeps the order of a partition over several batches', async () => {
    const expected = numbered('event ', 150);
    await write(expected);
    relay({ batch_rows: 16 });
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(await texts()).toEqual(expected);
  });

  it('sends what waits in few messages, and one by one when it is told to', async () => {
    const expected = numbered('event ', 150);
    await atOnce(expected);
    const publish = jest.spyOn(bus, 'publish');
    const first = relay();
    await eventually(async () => expect(await unpublished()).toBe(0));
    await first.stop();
    expect(await texts()).toEqual(expected);
    expect(publish).toHaveBeenCalledTimes(3);

    await atOnce(numbered('alone ', 20));
    relay({ events_per_message: 1 });
    await eventually(async () => expect(await unpublished()).toBe(0));
    const ids = (await stored()).slice(150).map(({ message_id }) => message_id);
    expect(new Set(ids).size).toBe(20);
  });

  it('sends each alone where the server finds them too large together', async () => {
    const publish = bus.publish.bind(bus);
    jest.spyOn(bus, 'publish').mockImplementation(async (subject, payload, id) => {
      if (payload.length > 500) throw new PublishError('too_large', 'too large together');
      return publish(subject, payload, id);
    });
    const expected = numbered('event ', 30);
    await atOnce(expected);
    relay();
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(await texts()).toEqual(expected);
    expect(await db.read(systemContext('live')).query(DEAD)).toEqual([]);
  });

  it('sends again what follows a failure, and of what came before it the last, to see it', async () => {
    const publish = bus.publish.bind(bus);
    let failures = 0;
    const sent: string[] = [];
    jest.spyOn(bus, 'publish').mockImplementation(async (subject, payload, id) => {
      const [one] = readMessage(subject, id, payload);
      const { payload: said } = one && 'event' in one ? one.event : {};
      const text = said?.$case === 'audit_recorded' ? said.value.action : '';
      sent.push(text);
      if (text === 'event 2' && failures < 1) {
        failures += 1;
        throw new PublishError('refused', 'not now');
      }
      return publish(subject, payload, id);
    });
    await write(numbered('event ', 6));
    relay({ events_per_message: 1 });
    await eventually(async () => expect(await unpublished()).toBe(0));
    // What was stored before its turn is known by its id.
    expect(failures).toBe(1);
    expect((await texts()).filter((text) => text !== 'event 2')).toEqual(
      [0, 1, 3, 4, 5].map((number) => `event ${number}`),
    );
    expect(await texts()).toContain('event 2');
    const again = ['event 1', 'event 2', 'event 3', 'event 4', 'event 5'];
    expect(sent).toEqual([...numbered('event ', 6), ...again]);
  });

  it('shares the work between replicas: everything once, in order within its partition', async () => {
    const other_db = fixture.database.open();
    const other_bus = await fixture.openBus();
    const published = [jest.spyOn(bus, 'publish'), jest.spyOn(other_bus, 'publish')];
    relay({ batch_rows: 4 });
    relay({ batch_rows: 4, db: other_db, bus: other_bus });

    const keys = numbered('bank ', 8);
    await Promise.all(
      keys.map((key, index) =>
        write(numbered('event ', 25), { key, on: index % 2 === 0 ? db : other_db }),
      ),
    );
    await eventually(async () => expect(await unpublished()).toBe(0));

    const messages = await stored();
    expect(messages).toHaveLength(200);
    for (const key of keys) {
      const of_key = messages.filter((message) => message.key === key).map(({ text }) => text);
      expect(of_key).toEqual(numbered('event ', 25));
    }
    // Who is woken first may have taken all of it: there is more until each has had its share.
    const idle = () => published.some((spy) => spy.mock.calls.length === 0);
    for (let round = 0; round < 50 && idle(); round += 1) {
      await write([`more ${round}`], { key: 'bank 1', on: db });
      await write([`more ${round}`], { key: 'bank 2', on: other_db });
      await eventually(async () => expect(await unpublished()).toBe(0));
    }
    expect(idle()).toBe(false);
  });

  it('takes over from a replica that hangs while it publishes, once its lease is over', async () => {
    const other_db = fixture.database.open();
    const hanging_bus = await fixture.openBus();
    const hanging: Array<(error: Error) => void> = [];
    jest
      .spyOn(hanging_bus, 'publish')
      .mockImplementation(() => new Promise((_resolve, reject) => hanging.push(reject)));
    relay({ db: other_db, bus: hanging_bus, poll_ms: 60_000, lease_ms: 1_500 });
    // So that it can be stopped in the end.
    fixture.stops.push(async () => {
      for (const reject of hanging) reject(new Error('over'));
    });
    await eventually(() => expect(hanging_bus.stream).toBeDefined());
    await write(['one', 'two'], { on: other_db });
    await eventually(() => expect(hanging.length).toBeGreaterThan(0));

    const started_ms = performance.now();
    relay();
    await write(['elsewhere'], { key: 'another partition' });
    await eventually(async () => expect(await texts()).toContain('elsewhere'), 1_000);
    expect(partitionOf('another partition')).not.toBe(partitionOf('bank'));
    expect(await texts()).toEqual(['elsewhere']);

    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(performance.now() - started_ms).toBeGreaterThan(500);
    expect(await texts()).toEqual(['elsewhere', 'one', 'two']);
  });

  it('names the environment of the event when one schema holds both', async () => {
    const shared = openDatabase({
      service: 'platform',
      urls: { live: fixture.database.urls.live, test: fixture.database.urls.live },
      logger: testLogger,
    });
    fixture.stops.push(() => shared.close());
    relay({ db: shared });
    await write(['of test'], { environment: 'test', on: shared });
    await write(['of live'], { environment: 'live', on: shared });
    await eventually(async () => expect(await texts()).toHaveLength(2));
    expect((await stored()).map(({ subject, text }) => [subject.split('.')[2], text])).toEqual([
      ['test', 'of test'],
      ['live', 'of live'],
    ]);
  });

  it('sets aside an event that the server will never take, and goes on', async () => {
    relay();
    const too_large = 'x'.repeat(1_100_000);
    await db.transaction(systemContext('live'), async (tx) => {
      tx.outbox(note('before'));
      tx.outbox(note('too large', 'bank', { too_large }));
      tx.outbox(note('after'));
    });
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(await texts()).toEqual(['before', 'after']);
    expect(await db.read(systemContext('live')).query(DEAD)).toEqual([
      { consumer: 'relay', error: 'The message is larger than the NATS server allows.' },
    ]);
  });

  it('does not take a message for stored of which the server only knows the id', async () => {
    const publish = bus.publish.bind(bus);
    const undecided = new PublishError('undecided', 'staged by a leader that died');
    jest.spyOn(bus, 'publish').mockImplementation(async (subject, payload, id) => {
      // The id is known for ten minutes, whatever became of the message.
      if (isUuid(id)) throw undecided;
      return publish(subject, payload, id);
    });
    relay();
    await write(['one', 'two']);
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(await texts()).toEqual(['one', 'two']);
  });

  it('sweeps rows published long ago, and keeps the others', async () => {
    const first = relay();
    await write(['old', 'old too']);
    await eventually(async () => expect(await unpublished()).toBe(0));
    await first.stop();
    await db.read(systemContext('live')).execute(AGE);
    await write(['not published']);

    const on = db.read(systemContext('live'));
    expect(await sweepOutbox(on, 1)).toBe(1);
    expect(await sweepOutbox(on, 100)).toBe(1);
    expect((await on.one(ROWS)).count).toBe(1);
    expect(await unpublished()).toBe(1);
  });

  it('tells how far behind it is', async () => {
    const away = await connectBus({ url: 'nats://127.0.0.1:9', name: 'away', logger: testLogger });
    fixture.stops.push(() => away.close());
    const waiting = relay({ bus: away });
    await write(['one', 'two']);
    const [live, other] = await waiting.lag();
    expect(live).toEqual({ environment: 'live', unpublished: 2, oldest_age_s: expect.any(Number) });
    expect(other).toEqual({ environment: 'test', unpublished: 0, oldest_age_s: 0 });
  });
});

describe('when NATS goes away', () => {
  it('starts without it and publishes once it is there', async () => {
    await fixture.nats.stop();
    const late = await fixture.openBus();
    bus = late;
    expect(late.status()).toMatchObject({ connected: false, usable: false });
    relay();
    await write(['committed while NATS was away']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await unpublished()).toBe(1);

    await fixture.restartNats();
    await eventually(async () => expect(await unpublished()).toBe(0));
    expect(late.status()).toMatchObject({ connected: true, usable: true });
    expect(await texts()).toEqual(['committed while NATS was away']);
  });

  it('loses nothing and keeps the order while it restarts in the middle', async () => {
    relay({ batch_rows: 8 });
    const expected = numbered('event ', 300);
    const writing = write(expected);
    await eventually(async () => expect((await texts()).length).toBeGreaterThan(20));
    process.kill(fixture.nats.pid, 'SIGKILL');
    await fixture.nats.exited;
    await fixture.restartNats();
    await writing;
    await eventually(async () => expect(await unpublished()).toBe(0), 20_000);
    expect(await texts()).toEqual(expected);
  }, 40_000);

  it('fills the stream anew after the whole store was deleted', async () => {
    relay();
    const before = numbered('before ', 40);
    await write(before);
    await eventually(async () => expect(await unpublished()).toBe(0));

    await fixture.nats.stop();
    await write(['meanwhile']);
    await rm(path.join(fixture.directory, 'jetstream'), { recursive: true });
    await fixture.restartNats();
    await write(['after']);
    await eventually(async () => expect(await unpublished()).toBe(0), 20_000);
    expect(await texts()).toEqual([...before, 'meanwhile', 'after']);
  }, 40_000);

  it('publishes again what the stream has lost, and no more than may be missing', async () => {
    relay();
    await write(['long ago']);
    await eventually(async () => expect(await unpublished()).toBe(0));
    await db.read(systemContext('live')).execute(AGE);
    const before = numbered('before ', 5);
    await write(before);
    await eventually(async () => expect(await unpublished()).toBe(0));
    const store = path.join(fixture.directory, 'jetstream');
    const copy = path.join(fixture.directory, 'copy');
    await fixture.nats.stop();
    await cp(store, copy, { recursive: true });
    await fixture.restartNats();
    const lost = numbered('lost ', 5);
    await write(lost);
    await eventually(async () => expect(await unpublished()).toBe(0), 20_000);

    await fixture.nats.stop();
    await rm(store, { recursive: true });
    await cp(copy, store, { recursive: true });
    const publish = jest.spyOn(bus, 'publish');
    await fixture.restartNats();
    await write(['after']);
    await eventually(async () => expect(await texts()).toEqual(expect.arrayContaining(lost)));
    await eventually(async () => expect(await unpublished()).toBe(0), 20_000);
    const [first] = await stored();
    // Some of them twice, in other messages than before: consumers know each by its own id.
    const once = [...new Set(await texts())];
    expect(once.sort()).toEqual(['long ago', ...before, ...lost, 'after'].sort());
    expect(first?.text).toBe('long ago');
    // It lies before what is still in its place.
    expect(publish.mock.calls.map(([, , id]) => id)).not.toContain(first?.message_id);
    expect(bus.stream?.losses).toHaveLength(1);
  }, 60_000);

  it.each([
    ['', (texts: readonly string[]) => write(texts)],
    [', with several events in its last message', atOnce],
  ])(
    'takes a stream for whole that only went away%s',
    async (_last, begin) => {
      relay();
      await begin(numbered('before ', 5));
      await eventually(async () => expect(await unpublished()).toBe(0));
      const publish = jest.spyOn(bus, 'publish');
      await fixture.nats.stop();
      await fixture.restartNats();
      await write(['after']);
      await eventually(async () => expect(await unpublished()).toBe(0), 20_000);
      expect(await texts()).toEqual([...numbered('before ', 5), 'after']);
      // The last of them again, to see it, and the new one.
      expect(publish).toHaveBeenCalledTimes(2);
      expect(bus.stream?.losses).toEqual([]);
    },
    40_000,
  );

  it('notices that the stream was deleted on a living server', async () => {
    relay();
    const before = numbered('before ', 10);
    await write(before);
    await eventually(async () => expect(await unpublished()).toBe(0));
    await (await bus.manager()).streams.delete(STREAM);

    await write(['after']);
    await eventually(async () => expect(await texts()).toEqual([...before, 'after']));
    await eventually(async () => expect(await unpublished()).toBe(0));
  });

  it('fills it anew once, however many replicas notice', async () => {
    const other_db = fixture.database.open();
    const other_bus = await fixture.openBus();
    relay();
    relay({ db: other_db, bus: other_bus });
    await write(numbered('before ', 20));
    await eventually(async () => expect(await unpublished()).toBe(0));
    await (await bus.manager()).streams.delete(STREAM);

    await write(['after']);
    await write(['after too'], { on: other_db });
    const distinct = async () => [...new Set(await texts())];
    await eventually(async () => expect(await distinct()).toHaveLength(22));
    await eventually(async () => expect(await unpublished()).toBe(0));
    // The replica that notices last may have published into the new stream before; what it sent then
    // is there once more, in another message.
    const again = await distinct();
    // Nor is there an order before it is full: who asks for the last message stores it by asking.
    const before = again.filter((text) => text.startsWith('before'));
    expect(before.sort()).toEqual(numbered('before ', 20).sort());
    expect(again.filter((text) => text.startsWith('after'))).toEqual(['after', 'after too']);
    expect((await texts()).length).toBeLessThan(22 + 22);
  });
});
