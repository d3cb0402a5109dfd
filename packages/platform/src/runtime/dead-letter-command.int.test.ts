import path from 'node:path';
import { Event } from '@credit/proto/events/v1/events';
import { type TestDatabase, testDatabase } from '@credit/testing';
import { consumer } from '../bus';
import { systemContext } from '../context';
import { newId, systemClock } from '../core';
import { auditEvent, statement } from '../db';
import { deadLetterCommand } from './dead-letter-command';

const PUT_ASIDE = statement(
  'test_put_aside',
  `INSERT INTO dead_letters (consumer, event_id, type, payload, error, deliveries)
   VALUES ('tested-audit_recorded', $1, 'audit_recorded', $2, E'Error: it was full\n  at there', 8)`,
);

let database: TestDatabase;
const refused = new Set<string>();
const taken: string[] = [];
const consumers = [
  consumer({
    name: 'tested',
    type: 'audit_recorded',
    async handle(_ctx, event) {
      if (refused.has(event.id)) throw new Error('still full');
      taken.push(event.id);
    },
  }),
];

beforeAll(async () => {
  database = await testDatabase('platform', path.join(__dirname, '../db/test-migrations'));
}, 60_000);
afterAll(() => database.stop());

async function putAside(environment: 'live' | 'test'): Promise<string> {
  const id = newId();
  const ctx = systemContext(environment);
  const { payload } = auditEvent(
    {
      institution_id: newId(),
      action: 'key.created',
      target_type: 'api_key',
      target_id: newId(),
      at: '2026-01-02T03:04:05.678Z',
    },
    ctx,
  );
  const event = { id, environment, created_at: undefined, request_id: '', traceparent: '' };
  const bytes = Buffer.from(Event.encode({ ...event, payload }).finish());
  await database.db.read(ctx).execute(PUT_ASIDE, [id, bytes]);
  return id;
}

async function run(...args: string[]) {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const left = await deadLetterCommand(
    { db: database.db, clock: systemClock, consumers, say },
    args,
  );
  return { left, text: lines.join('\n') };
}

it('lists what was given up, takes it in again when asked, and keeps what still fails', async () => {
  const [full, mended, test] = [
    await putAside('live'),
    await putAside('live'),
    await putAside('test'),
  ];
  refused.add(full);

  const listed = await run();
  expect(listed.left).toBe(3);
  for (const id of [full, mended, test]) expect(listed.text).toContain(id);
  expect(listed.text).toContain('Error: it was full');
  expect(listed.text).not.toContain('at there');
  expect(taken).toEqual([]);

  const retried = await run('--environment', 'live', '--retry');
  expect(retried.left).toBe(1);
  expect(retried.text).toContain('failed again: still full');
  expect(taken).toEqual([mended]);

  // The other environment was left alone.
  expect((await run()).left).toBe(2);
  refused.clear();
  expect((await run('--retry')).left).toBe(0);
  expect([...taken].sort()).toEqual([full, mended, test].sort());
  expect((await run('--consumer', 'another')).left).toBe(0);
  await expect(run('--environment', 'both')).rejects.toThrow('live or test');
}, 30_000);

const TOLD = statement<{ payload: Buffer }>(
  'test_dead_letters_told',
  'SELECT payload FROM outbox ORDER BY id DESC LIMIT 1',
);

it('forgets only what is named, by somebody, and tells the audit log', async () => {
  const [forgotten, kept] = [await putAside('live'), await putAside('live')];
  await expect(run('--discard', '--by', 'Ada')).rejects.toThrow('--consumer or --event');
  await expect(run('--discard', '--event', forgotten)).rejects.toThrow('--by');
  await expect(run('--discard', '--retry', '--by', 'Ada')).rejects.toThrow('--retry');
  const tried = await run('--discard', '--event', forgotten, '--dry-run');
  expect(tried.text).toContain('would be forgotten');
  expect((await run()).left).toBe(2);

  const done = await run('--discard', '--event', forgotten, '--by', 'Ada', '--reason', 'ticket 7');
  expect(done.text).toContain('  forgotten');
  expect(done.text).not.toContain(kept);
  const left = await run();
  expect(left.left).toBe(1);
  expect(left.text).toContain(kept);
  const [told] = await database.db.read(systemContext('live')).query(TOLD);
  for (const part of ['dead_letter.discarded', forgotten, '"by":"Ada"', '"reason":"ticket 7"']) {
    expect(told?.payload.toString()).toContain(part);
  }
  expect(taken).not.toContain(forgotten);
  // Tried and not done.
  expect((await run('--retry', '--dry-run')).text).toContain('would be taken in again');
  expect((await run('--retry')).left).toBe(0);
}, 30_000);
