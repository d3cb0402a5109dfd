import { type ConsumerConfig, DeliverPolicy, type JetStreamManager } from 'nats';
import { type Environment, systemContext } from '../context';
import { type Database, statement } from '../db';
import type { ConsumerDefinition } from './consumer';
import { CONSUMER_NOT_FOUND, consumerConfig } from './consumers';
import { ifFound } from './stream';
import { STREAM } from './subjects';

/** Where a consumer begins again: what was stored from then on, or from that place in the stream on. */
export type ReplayStart = { readonly time: string } | { readonly sequence: number };

/** Between deleting and making anew a running replica may make it, with the beginning as its place. */
const MAX_TRIES = 20;

const FORGET = statement(
  'inbox_forget',
  'DELETE FROM inbox WHERE consumer = $1 AND processed_at >= $2::timestamptz',
);
const COUNT = statement<{ count: number }>(
  'inbox_count_since',
  'SELECT count(*)::integer AS count FROM inbox WHERE consumer = $1 AND processed_at >= $2::timestamptz',
);

/** The oldest and the newest message of the stream, and where the consumer is. */
export async function replayRange(manager: JetStreamManager, definition: ConsumerDefinition) {
  const { state } = await manager.streams.info(STREAM);
  const info = await ifFound(
    manager.consumers.info(STREAM, definition.durable),
    CONSUMER_NOT_FOUND,
  );
  const { first_seq, first_ts, last_seq, last_ts } = state;
  return { first_seq, first_ts, last_seq, last_ts, at_seq: info?.delivered.stream_seq ?? 0 };
}

/**
 * Has the consumer be given again what the stream has from there on. What it took in before is known by its
 * inbox and has no second effect, unless {@link forgetTaken} forgot it. Its replicas go on by themselves.
 */
export async function replayConsumer(
  manager: JetStreamManager,
  definition: ConsumerDefinition,
  start: ReplayStart,
): Promise<void> {
  const { durable } = definition;
  const place: Partial<ConsumerConfig> =
    'time' in start
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: start.time }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start.sequence };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await ifFound(manager.consumers.info(STREAM, durable), CONSUMER_NOT_FOUND);
    // Which losses of the stream it is younger than: made anew, it knows of no fewer.
    const description = before?.config.description ?? '';
    await ifFound(manager.consumers.delete(STREAM, durable), CONSUMER_NOT_FOUND);
    try {
      await manager.consumers.add(STREAM, { ...consumerConfig(definition), ...place, description });
    } catch {
      // A replica was faster, and made one that begins elsewhere.
    }
    const made = await ifFound(manager.consumers.info(STREAM, durable), CONSUMER_NOT_FOUND);
    if (made?.config.deliver_policy === place.deliver_policy) return;
  }
  throw new Error(`${durable} was made anew by a replica each time; try again.`);
}

/** How many events the consumer has taken in since then. */
export async function countTaken(
  db: Pick<Database, 'read'>,
  environment: Environment,
  { durable }: ConsumerDefinition,
  since: string,
): Promise<number> {
  return (await db.read(systemContext(environment)).one(COUNT, [durable, since])).count;
}

/** Forgets that the consumer took them in: given again, they have their effect again. */
export function forgetTaken(
  db: Pick<Database, 'read'>,
  environment: Environment,
  { durable }: ConsumerDefinition,
  since: string,
): Promise<number> {
  return db.read(systemContext(environment)).execute(FORGET, [durable, since]);
}
