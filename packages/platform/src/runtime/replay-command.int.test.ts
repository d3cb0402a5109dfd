import { testLogger } from '@credit/testing';
import { note, useBus } from '../../test/bus-fixture';
import { consumer, consumersLag, outboxLag, STREAM, startConsumers, startRelay } from '../bus';
import { systemContext } from '../context';
import { systemClock } from '../core';
import { type Database, statement } from '../db';
import { drainCommand } from './drain-command';
import { replayCommand } from './replay-command';

const fixture = useBus();
const taken: string[] = [];
const consumers = [
  consumer({
    name: 'replayed',
    type: 'audit_recorded',
    async handle(_ctx, _event, { action }) {
      taken.push(action);
    },
  }),
];
const DURABLE = 'replayed-audit_recorded';
const TOLD = statement<{ payload: Buffer }>(
  'test_replay_told',
  'SELECT payload FROM outbox ORDER BY id DESC LIMIT 1',
);

/** Held by another replica's lease: published by none here. */
const HOLD = statement(
  'test_replay_hold',
  `WITH lease AS (
     INSERT INTO outbox_leases (partition, owner, expires_at)
     VALUES (0, 'another', now() + interval '1 hour')
   )
   INSERT INTO outbox (id, partition, type, payload)
   VALUES (gen_random_uuid(), 0, 'audit_recorded', '')`,
);

beforeEach(() => {
  taken.length = 0;
  const { db, bus } = fixture;
  const relay = startRelay({ db, bus, logger: testLogger, poll_ms: 50 });
  const running = startConsumers({ db, bus, logger: testLogger, consumers });
  fixture.stops.push(() => relay.stop());
  fixture.stops.push(() => running.stop());
});

async function write(db: Database, ...texts: string[]): Promise<void> {
  await db.transaction(systemContext('live'), async (tx) => {
    for (const text of texts) tx.outbox(note(text), tx.ctx);
  });
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function replay(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const { db, bus } = fixture;
  await replayCommand(
    {
      db,
      clock: systemClock,
      consumers,
      manager: await bus.manager(),
      say: (line) => lines.push(line),
    },
    ['--consumer', DURABLE, ...args],
  );
  return lines.join('\n');
}

async function drain(...args: string[]): Promise<{ left: number; text: string }> {
  const lines: string[] = [];
  const { db, bus } = fixture;
  const manager = await bus.manager();
  const left = await drainCommand(
    {
      unpublished: async () => [
        await outboxLag(db.read(systemContext('live')), 'live'),
        await outboxLag(db.read(systemContext('test')), 'test'),
      ],
      behind: () => consumersLag(manager, consumers),
      now_ms: () => performance.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      say: (line) => lines.push(line),
    },
    args,
  );
  return { left, text: lines.join('\n') };
}

it('gives a consumer again what the stream has, with no second effect unless asked', async () => {
  const { db, bus } = fixture;
  const begun_at = new Date(Date.now() - 60_000).toISOString();
  await write(db, 'a', 'b');
  await until(() => taken.length === 2);

  const tried = await replay('--from', begun_at, '--again', '--dry-run');
  expect(tried).toContain('live: 2 that it took in would have their effect again');
  expect(tried).toContain(`would begin again from ${begun_at}`);

  // Known by the inbox: nothing happens a second time, and what is told of the act is new.
  await replay('--from', '1', '--by', 'Ada', '--reason', 'ticket 7');
  await until(() => taken.length === 3);
  expect(taken).toEqual(['a', 'b', 'consumer.replayed']);
  const [told] = await db.read(systemContext('live')).query(TOLD);
  expect(told?.payload.toString()).toContain('"by":"Ada"');

  const done = await replay('--from', begun_at, '--again', '--by', 'Ada');
  expect(done).toContain(`begins again from ${begun_at}`);
  await until(() => taken.length >= 7);
  expect(taken.slice(3).sort()).toEqual(['a', 'b', 'consumer.replayed', 'consumer.replayed']);
  // Once made anew it begins where it was told, and a replica that finds it leaves that alone.
  const info = await (await bus.manager()).consumers.info(STREAM, DURABLE);
  expect(info.config.deliver_policy).toBe('by_start_time');
  await write(db, 'c');
  await until(() => taken.includes('c'));
}, 60_000);

it('refuses to replay what cannot be, and by nobody', async () => {
  const { db } = fixture;
  await write(db, 'a');
  await until(() => taken.length === 1);
  await expect(replay('--from', '1')).rejects.toThrow('--by');
  await expect(replay('--from', 'yesterday', '--by', 'Ada')).rejects.toThrow('--from is a time');
  await expect(replay('--from', '1', '--again', '--by', 'Ada')).rejects.toThrow('needs a time');
  await expect(replay('--consumer', 'nobody', '--from', '1', '--by', 'Ada')).rejects.toThrow(
    `--consumer is one of ${DURABLE}`,
  );
  expect(taken).toEqual(['a']);
}, 60_000);

it('waits until all that was committed is taken in, and looks once when tried', async () => {
  const { db } = fixture;
  await write(db, 'a');
  await until(() => taken.length === 1);
  expect(await drain('--minutes', '1')).toEqual({ left: 0, text: '0 left' });
  await db.read(systemContext('test')).execute(HOLD);
  const tried = await drain('--dry-run');
  expect(tried.left).toBe(1);
  expect(tried.text).toContain('test: to be published 1');
}, 60_000);
