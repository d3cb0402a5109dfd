import type { Event } from '@credit/proto/events/v1/events';
import { type CallContext, type Environment, systemContext } from '../context';
import { type EventPayload, statement, type Transaction } from '../db';
import { durableName } from './subjects';

/** Name of a payload of credit.events.v1.Event. */
export type EventType = EventPayload['$case'];

/** The payload of that name. */
export type PayloadOf<Type extends EventType> = Extract<EventPayload, { $case: Type }>['value'];

/** One event with the context of the request that caused it. */
export interface EventEntry<Type extends EventType = EventType> {
  readonly ctx: CallContext;
  readonly event: Event;
  readonly payload: PayloadOf<Type>;
}

interface Consumer<Type extends EventType> {
  /** The service: replicas share the work, services each get every event. */
  readonly name: string;
  readonly type: Type;
  /** Whether an event means anything here; one that does not is acknowledged, and nothing else. */
  readonly concerns?: (environment: Environment, payload: PayloadOf<Type>) => boolean;
}

/**
 * Takes events one by one. Effect and inbox mark are one transaction: a redelivered event has no
 * second effect.
 */
export interface SingleConsumer<Type extends EventType> extends Consumer<Type> {
  readonly handle: (
    ctx: CallContext,
    event: Event,
    payload: PayloadOf<Type>,
    tx: Transaction,
  ) => Promise<void>;
}

/**
 * Takes many events of one environment in one transaction. When it throws, the same events are
 * given again one by one, so that only the one at fault is held back.
 */
export interface BatchConsumer<Type extends EventType> extends Consumer<Type> {
  readonly handleBatch: (
    ctx: CallContext,
    entries: readonly EventEntry<Type>[],
    tx: Transaction,
  ) => Promise<void>;
  readonly max_batch?: number;
}

/** A consumer as {@link startConsumers} runs it; made by {@link consumer}. */
export interface ConsumerDefinition {
  /** Name of the durable consumer, and its name in inbox and dead letters. */
  readonly durable: string;
  readonly type: EventType;
  readonly max_batch: number;
  readonly batched: boolean;
  /** Where it says no, `run` does nothing: it need not be called. */
  concerns(environment: Environment, event: Event): boolean;
  run(ctx: CallContext, entries: readonly Received[], tx: Transaction): Promise<void>;
}

/** An event and its context, of whatever type. */
export interface Received {
  readonly ctx: CallContext;
  readonly event: Event;
}

const MAX_BATCH = 256;
const HANDLER_TIMEOUT_MS = 30_000;

/** Declares what a service does with one type of event. */
export function consumer<Type extends EventType>(
  definition: SingleConsumer<Type> | BatchConsumer<Type>,
): ConsumerDefinition {
  const { name, type } = definition;
  const durable = durableName(name, type);
  const concerns = (environment: Environment, event: Event) =>
    definition.concerns?.(environment, payloadOf(event, type)) ?? true;
  if ('handleBatch' in definition) {
    return {
      durable,
      type,
      max_batch: definition.max_batch ?? MAX_BATCH,
      batched: true,
      concerns,
      async run(ctx, received, tx) {
        const entries = received
          .filter(({ event }) => concerns(ctx.environment, event))
          .map((one) => ({ ...one, payload: payloadOf(one.event, type) }));
        if (entries.length > 0) await definition.handleBatch(ctx, entries, tx);
      },
    };
  }
  return {
    durable,
    type,
    max_batch: 1,
    batched: false,
    concerns,
    async run(_ctx, received, tx) {
      for (const { ctx, event } of received) {
        if (!concerns(ctx.environment, event)) continue;
        await definition.handle(ctx, event, payloadOf(event, type), tx);
      }
    },
  };
}

function payloadOf<Type extends EventType>(event: Event, type: Type): PayloadOf<Type> {
  if (event.payload?.$case !== type) throw new Error(`The event ${event.id} is no ${type}.`);
  // The compiler does not follow a comparison with a type parameter.
  return event.payload.value as PayloadOf<Type>;
}

const REMEMBER = statement<{ event_id: string }>(
  'inbox_remember',
  // In the order of ids: two replicas with the same events wait for each other, never both.
  `INSERT INTO inbox (consumer, event_id)
   SELECT $1, id FROM unnest($2::uuid[]) AS id ORDER BY id
   ON CONFLICT DO NOTHING
   RETURNING event_id`,
);

const REFRESH = statement(
  'inbox_refresh',
  // Seen again, so it may be seen yet again: the mark must outlive the outbox row.
  'UPDATE inbox SET processed_at = now() WHERE consumer = $1 AND event_id = ANY ($2::uuid[])',
);

/**
 * Thrown by a handler whose event has to follow on others that were not here yet: after a stream was taken
 * in anew, by several replicas, they come in any order. It is given again soon, and for as long as that
 * takes; that is nobody's fault.
 */
export class OutOfTurn extends Error {}

/**
 * Marks events as taken in and runs the handler for those that were not before; returns these.
 * Each goes on with the request that caused it: its id and trace, acted on by the system.
 */
export async function applyEvents(
  definition: ConsumerDefinition,
  environment: Environment,
  events: readonly Event[],
  tx: Transaction,
): Promise<Event[]> {
  const unique = new Map(events.map((event) => [event.id, event]));
  const remembered = await tx.query(REMEMBER, [definition.durable, [...unique.keys()]]);
  const fresh = new Set(remembered.map((row) => row.event_id));
  if (fresh.size < unique.size) {
    const known = [...unique.keys()].filter((id) => !fresh.has(id));
    await tx.execute(REFRESH, [definition.durable, known]);
  }
  const bound = {
    deadline_at_ms: Date.now() + HANDLER_TIMEOUT_MS,
    signal: AbortSignal.timeout(HANDLER_TIMEOUT_MS),
  };
  const received = [...unique.values()]
    .filter((event) => fresh.has(event.id))
    .map((event) => {
      // In a batch of one the transaction's span is the event's own.
      const own = events.length === 1 ? tx.ctx.traceparent : '';
      const traceparent = own || event.traceparent;
      const { request_id } = event;
      return { event, ctx: systemContext(environment, { request_id, traceparent, ...bound }) };
    });
  const [first] = received;
  if (first !== undefined) await definition.run(first.ctx, received, tx);
  return received.map(({ event }) => event);
}
