import type { Event } from '@credit/proto/events/v1/events';
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  nanos,
} from 'nats';
import type { Logger } from 'pino';
import { type Environment, systemContext } from '../context';
import { Alarm, crashPoint } from '../core';
import { type Database, type Queryable, statement } from '../db';
import { isAppError } from '../errors';
import { traceIdOf } from '../telemetry';
import type { Bus } from './bus';
import { applyEvents, type ConsumerDefinition, OutOfTurn } from './consumer';
import { ConsumerMetrics } from './consumer-metrics';
import { INSERT_DEAD_LETTER } from './dead-letters';
import { FailureLog } from './failure-log';
import { Lanes } from './lanes';
import { readMessage } from './messages';
import { MAX_DELAY_MS, MAX_TURN_DELAY_MS, MAX_UNAVAILABLE_DELAY_MS, retryDelay } from './retry';
import { apiErrorCode, type Incarnation, ifFound, sameIncarnation } from './stream';
import { parseSubject, STREAM, typeFilter } from './subjects';
import { endConsumeSpan, startConsumeSpan } from './tracing';

/** What the consumers of a service run on; the rest has defaults for production. */
export interface ConsumersOptions {
  readonly db: Database;
  readonly bus: Bus;
  readonly logger: Logger;
  readonly consumers: readonly ConsumerDefinition[];
  /** Transactions at once, per consumer of events one by one. */
  readonly concurrency?: number;
  /** Events fetched and not yet done, per consumer; a message may bring some more. */
  readonly max_in_hand?: number;
  /** An event that failed this often goes to the dead letters. */
  readonly max_deliveries?: number;
  /** Without a sign of life for this long, a message goes to another replica. */
  readonly ack_wait_ms?: number;
  readonly retry_delay_ms?: (deliveries: number, max_ms: number) => number;
}

/** How far behind a consumer is, in messages: of an event, or of a group. */
export interface ConsumerLag {
  readonly consumer: string;
  /** Not delivered yet. */
  readonly pending: number;
  /** Delivered and not done, including those that wait for a retry. */
  readonly unacknowledged: number;
}

/** Running consumers. */
export interface Consumers {
  /** Consumers that JetStream could not be asked about are left out. */
  lag(): Promise<ConsumerLag[]>;
  /** Fetches no more, finishes what is in hand, then returns. */
  stop(): Promise<void>;
}

/** Of events one by one. Of batches one an environment: what a transaction costs is shared by more. */
const CONCURRENCY = 8;
const MAX_IN_HAND = 256;
/** Under load a message brings several events: so many of what there is room for are asked for. */
const ROOM_PER_MESSAGE = 8;
const ACK_WAIT_MS = 30_000;
const MAX_DELIVERIES = 8;
/** Failures that are not the event's fault: about half an hour of them. */
const MAX_UNAVAILABLE_DELIVERIES = 120;
/** Events that wait for others, at most 2 s each time: about an hour. */
const MAX_TURN_DELIVERIES = 2_000;
/** Over all replicas, and more than all of them have in hand: failing messages that wait for
 * their retry count as well and must not keep the others out. */
const MAX_ACK_PENDING = 4_096;
const FETCH_EXPIRES_MS = 5_000;
/** Then the rest of a failed batch is not tried: it would only wait for the same time-out. */
const GIVE_UP_AFTER_UNAVAILABLE = 2;
const RETRY_MS = 500;
const DRAIN_TIMEOUT_MS = 10_000;
/**
 * An event can come once more for as long as its outbox row is kept (14 days after it was last
 * published) plus the time the stream then keeps it (14 days again).
 */
const INBOX_RETENTION_DAYS = 30;
const MAX_ERROR_LENGTH = 4_000;
export const CONSUMER_NOT_FOUND = 10_014;

/**
 * Takes a service's events in, at least once and with one effect each. In one process the
 * events of a partition run one after another, except that one that fails is overtaken while it
 * waits for its retry; between replicas there is no order. Handlers therefore compare versions.
 */
export function startConsumers(options: ConsumersOptions): Consumers {
  const names = options.consumers.map((definition) => definition.durable);
  if (new Set(names).size < names.length) {
    throw new Error(`A consumer is defined twice: ${names.join(', ')}.`);
  }
  const runners = options.consumers.map((definition) => new ConsumerRunner(definition, options));
  return {
    async lag() {
      const lags = await Promise.all(runners.map((runner) => runner.lag()));
      return lags.filter((lag) => lag !== undefined);
    },
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
  };
}

/** A consumer of JetStream as it is made; where it begins is for who makes it anew to say. */
export function consumerConfig(
  { durable, type }: ConsumerDefinition,
  ack_wait_ms = ACK_WAIT_MS,
): Partial<ConsumerConfig> & { durable_name: string } {
  return {
    durable_name: durable,
    filter_subject: typeFilter(type),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ack_wait_ms),
    // No limit here: JetStream would forget the event at its last delivery even when the
    // dead letter could not be written. This side counts.
    max_deliver: -1,
    max_ack_pending: MAX_ACK_PENDING,
  };
}

async function lagOf(
  manager: JetStreamManager,
  { durable: consumer }: ConsumerDefinition,
): Promise<ConsumerLag> {
  const info = await manager.consumers.info(STREAM, consumer);
  return { consumer, pending: info.num_pending, unacknowledged: info.num_ack_pending };
}

/** How far behind they are, for who does not run them; throws where JetStream knows one not. */
export function consumersLag(
  manager: JetStreamManager,
  consumers: readonly ConsumerDefinition[],
): Promise<ConsumerLag[]> {
  return Promise.all(consumers.map((definition) => lagOf(manager, definition)));
}

interface InHand {
  readonly delivery: Delivery;
  readonly environment: Environment;
  readonly event: Event;
  readonly payload: Uint8Array;
}

/** How an event, or a message, is done with. */
type Verdict = 'taken' | 'given_up' | { readonly again_in_ms: number };

/**
 * A message until all of its events are done with. One that is to come again brings the others with it:
 * those that were taken in are known by the inbox.
 */
class Delivery {
  private readonly verdicts: Verdict[] = [];

  constructor(
    readonly message: JsMsg,
    private readonly events: number,
  ) {}

  /** The verdict of the message, once the last of its events has one. */
  settle(verdict: Verdict): Verdict | undefined {
    this.verdicts.push(verdict);
    if (this.verdicts.length < this.events) return undefined;
    const delays = this.verdicts.flatMap((one) => (typeof one === 'object' ? one.again_in_ms : []));
    if (delays.length > 0) return { again_in_ms: Math.max(...delays) };
    return this.verdicts.includes('given_up') ? 'given_up' : 'taken';
  }
}

class ConsumerRunner {
  private readonly lanes: Lanes<InHand>;
  private readonly inHand = new Set<JsMsg>();
  private readonly max_in_hand: number;
  private readonly ack_wait_ms: number;
  private readonly alarm = new Alarm();
  private readonly metrics = new ConsumerMetrics();
  private readonly failureLog: FailureLog;
  private readonly signsOfLife: NodeJS.Timeout;
  private readonly forgetBus: () => void;
  private readonly loop: Promise<void>;
  private fetching: ConsumerMessages | undefined;
  private consumed: Incarnation | undefined;
  private stopping = false;

  constructor(
    private readonly definition: ConsumerDefinition,
    private readonly options: ConsumersOptions,
  ) {
    this.max_in_hand = options.max_in_hand ?? Math.max(MAX_IN_HAND, 4 * definition.max_batch);
    this.ack_wait_ms = options.ack_wait_ms ?? ACK_WAIT_MS;
    this.failureLog = new FailureLog(options.logger, `consuming as ${definition.durable}`);
    this.lanes = new Lanes({
      concurrency: definition.batched
        ? options.db.environments.length
        : (options.concurrency ?? CONCURRENCY),
      max_batch: definition.max_batch,
      run: (_lane, items) => this.take(items),
    });
    // What waits in its lane is not lost: JetStream must not deliver it elsewhere meanwhile.
    this.signsOfLife = setInterval(() => {
      for (const message of this.inHand) this.answer(() => message.working());
    }, this.ack_wait_ms / 3);
    // A fetch does not notice by itself that its consumer went with its stream.
    this.forgetBus = options.bus.onChange(() => {
      void this.fetching?.close();
      this.alarm.ring();
    });
    this.loop = this.run();
  }

  async lag(): Promise<ConsumerLag | undefined> {
    try {
      return await lagOf(await this.options.bus.manager(), this.definition);
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.forgetBus();
    this.alarm.ring();
    void this.fetching?.close();
    await this.loop;
    const timer = setTimeout(() => {
      // Delivered again, here or elsewhere, when their time is over.
      for (const { delivery } of this.lanes.clear()) this.inHand.delete(delivery.message);
    }, DRAIN_TIMEOUT_MS);
    await this.lanes.whenAtMost(0);
    clearTimeout(timer);
    clearInterval(this.signsOfLife);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      if (this.options.bus.stream === undefined) {
        await this.alarm.wait(RETRY_MS);
        continue;
      }
      try {
        await this.consume();
      } catch (error) {
        if (!this.stopping) this.failureLog.failed(error);
        await this.alarm.wait(RETRY_MS);
      }
    }
  }

  /** Until the stream changes or something fails; then the consumer is looked for again. */
  private async consume(): Promise<void> {
    const { bus } = this.options;
    const stream = bus.stream;
    if (stream === undefined) return;
    // What was given of another stream is another message's place in this one.
    if (!sameIncarnation(this.consumed, stream)) this.inHand.clear();
    this.consumed = stream;
    const manager = await bus.manager();
    await ensureConsumer(manager, consumerConfig(this.definition, this.ack_wait_ms), stream);
    const consumer = await manager.jetstream().consumers.get(STREAM, this.definition.durable);
    this.failureLog.succeeded();
    while (!this.stopping && bus.stream === stream) {
      // Asks for no more than there is room for: what was fetched waits here, on its ack_wait.
      await this.lanes.whenAtMost(Math.floor(this.max_in_hand / 2));
      if (this.stopping) return;
      const room = this.max_in_hand - this.lanes.size;
      const max_messages = Math.ceil(room / ROOM_PER_MESSAGE);
      const messages = await consumer.fetch({ max_messages, expires: FETCH_EXPIRES_MS });
      this.fetching = messages;
      if (this.stopping || bus.stream !== stream) void messages.close();
      for await (const message of messages) await this.accept(message);
      this.fetching = undefined;
    }
  }

  private async accept(message: JsMsg): Promise<void> {
    this.inHand.add(message);
    const message_id = message.headers?.get('Nats-Msg-Id') ?? '';
    const incoming = readMessage(message.subject, message_id, message.data);
    const delivery = new Delivery(message, incoming.length);
    for (const one of incoming) {
      if ('error' in one) {
        const { error, ...letter } = one;
        const environment = this.environmentOf(message);
        await this.bury(delivery, { ...letter, environment }, error);
        continue;
      }
      const { partition, ...item } = one;
      const { environment, event } = item;
      if (!this.definition.concerns(environment, event)) {
        this.settle(delivery, 'taken');
        continue;
      }
      // A batch gathers all partitions of its environment.
      const lane = this.definition.batched ? environment : `${environment}/${partition}`;
      this.lanes.push(lane, { delivery, ...item });
    }
  }

  /** Events of one lane, and so of one environment. Never rejects. */
  private async take(items: readonly InHand[]): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    const error = await this.apply(first.environment, items);
    if (error === undefined) {
      for (const { delivery } of items) this.settle(delivery, 'taken');
    } else if (items.length > 1) {
      await this.takeOneByOne(items);
    } else {
      await this.failed(first, error);
    }
  }

  /** After a batch failed: one of its events is at fault, and the others must not suffer. */
  private async takeOneByOne(items: readonly InHand[]): Promise<void> {
    let unavailable_in_a_row = 0;
    for (const item of items) {
      if (unavailable_in_a_row >= GIVE_UP_AFTER_UNAVAILABLE) {
        this.delay(item.delivery, MAX_UNAVAILABLE_DELAY_MS);
        continue;
      }
      const error = await this.apply(item.environment, [item]);
      unavailable_in_a_row = isUnavailable(error) ? unavailable_in_a_row + 1 : 0;
      if (error === undefined) this.settle(item.delivery, 'taken');
      else await this.failed(item, error);
    }
  }

  /** The error, or undefined when inbox and effect are committed. */
  private async apply(environment: Environment, items: readonly InHand[]): Promise<unknown> {
    const { definition, options } = this;
    const events = items.map((item) => item.event);
    const request_traceparent = events[0]?.traceparent ?? '';
    const { span, traceparent } = startConsumeSpan(
      definition.durable,
      request_traceparent,
      events.length,
    );
    let failure: unknown;
    try {
      const fresh = await options.db.transaction(
        systemContext(environment, { traceparent }),
        (tx) => applyEvents(definition, environment, events, tx),
      );
      crashPoint('event.applied');
      this.metrics.taken(definition.durable, environment, fresh);
    } catch (error) {
      failure = error ?? new Error('The handler threw nothing.');
    }
    endConsumeSpan(span, failure);
    return failure;
  }

  private async failed(item: InHand, error: unknown): Promise<void> {
    const { delivery, environment, event, payload } = item;
    const deliveries = delivery.message.info.deliveryCount;
    if (error instanceof OutOfTurn && deliveries < MAX_TURN_DELIVERIES) {
      this.delay(delivery, MAX_TURN_DELAY_MS);
      return;
    }
    const unavailable = isUnavailable(error);
    const max_deliveries = unavailable
      ? MAX_UNAVAILABLE_DELIVERIES
      : (this.options.max_deliveries ?? MAX_DELIVERIES);
    const log = {
      err: error,
      event_id: event.id,
      request_id: event.request_id,
      trace_id: traceIdOf(event.traceparent),
      deliveries,
    };
    if (deliveries >= max_deliveries) {
      await this.bury(delivery, { id: event.id, payload, environment }, error);
      return;
    }
    this.options.logger.warn(log, `${this.definition.durable} failed; trying again`);
    this.delay(delivery, unavailable ? MAX_UNAVAILABLE_DELAY_MS : MAX_DELAY_MS);
  }

  private delay(delivery: Delivery, longest_ms: number): void {
    const delay = this.options.retry_delay_ms ?? retryDelay;
    const delay_ms = delay(delivery.message.info.deliveryCount, longest_ms);
    // Never without a delay: that would burn all deliveries within milliseconds.
    this.settle(delivery, { again_in_ms: Math.max(1, delay_ms) });
  }

  /** Keeps the event for an operator, and only then lets JetStream forget it. Never rejects. */
  private async bury(
    delivery: Delivery,
    letter: { id: string; payload: Uint8Array; environment: Environment },
    error: unknown,
  ): Promise<void> {
    const { durable, type } = this.definition;
    const { id: event_id, environment } = letter;
    const { deliveryCount } = delivery.message.info;
    const payload = Buffer.from(letter.payload);
    try {
      await this.options.db
        .read(systemContext(environment))
        .execute(INSERT_DEAD_LETTER, [
          durable,
          event_id,
          type,
          payload,
          describe(error),
          deliveryCount,
        ]);
      this.options.logger.error({ err: error, event_id }, `${durable} gave an event up`);
      this.settle(delivery, 'given_up');
    } catch (failure) {
      this.options.logger.warn(
        { err: failure, event_id },
        `${durable} could not keep a dead letter`,
      );
      this.delay(delivery, MAX_UNAVAILABLE_DELAY_MS);
    }
  }

  private settle(delivery: Delivery, verdict: Verdict): void {
    const whole = delivery.settle(verdict);
    const { message } = delivery;
    if (whole === undefined || !this.inHand.delete(message)) return;
    this.answer(() => {
      if (whole === 'taken') message.ack();
      else if (whole === 'given_up') message.term();
      else message.nak(whole.again_in_ms);
    });
  }

  /** A lost answer is no harm: the message comes again and the inbox knows it. */
  private answer(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.options.logger.debug({ err: error }, 'JetStream could not be answered');
    }
  }

  private environmentOf(message: JsMsg): Environment {
    const [fallback = 'test'] = this.options.db.environments;
    return parseSubject(message.subject)?.environment ?? fallback;
  }
}

/**
 * When the stream lost its end, a consumer may be further than it, and would not be given what takes
 * the lost messages' places: it is made anew and begins at the beginning. Its description says which
 * losses it is younger than, so that this happens once, whichever replica does it.
 */
async function ensureConsumer(
  manager: JetStreamManager,
  config: Partial<ConsumerConfig> & { durable_name: string },
  stream: Incarnation,
): Promise<void> {
  const { durable_name } = config;
  const ids = stream.losses.map((loss) => loss.id);
  let description = await ifFound(
    manager.consumers.info(STREAM, durable_name).then((info) => info.config.description ?? ''),
    CONSUMER_NOT_FOUND,
  );
  if (description !== undefined && !ids.every((id) => description?.includes(id))) {
    await ifFound(manager.consumers.delete(STREAM, durable_name), CONSUMER_NOT_FOUND);
    description = undefined;
  }
  const wanted = { ...config, description: description ?? ids.join(' ') };
  try {
    // The same settings again are no error.
    await manager.consumers.add(STREAM, wanted);
  } catch (error) {
    // Other settings are, in some versions of the server.
    if (apiErrorCode(error) === 0) throw error;
    const { filter_subject, ack_wait, max_deliver, max_ack_pending } = wanted;
    const changeable = { filter_subject, ack_wait, max_deliver, max_ack_pending };
    await manager.consumers.update(STREAM, durable_name, changeable);
  }
}

/** Not the event's fault: the database or a peer is away or overloaded. */
function isUnavailable(error: unknown): boolean {
  return isAppError(error) && error.retry_after_s !== undefined;
}

function describe(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // PostgreSQL's text holds no NUL.
  return text.replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH);
}

const SWEEP = statement(
  'inbox_sweep',
  `DELETE FROM inbox WHERE (consumer, event_id) IN (
     SELECT consumer, event_id FROM inbox WHERE processed_at < now() - $1 * interval '1 day'
      ORDER BY processed_at LIMIT $2 FOR UPDATE SKIP LOCKED
   )`,
);

/** Deletes up to so many marks of events that cannot come again. */
export function sweepInbox(on: Queryable, rows: number): Promise<number> {
  return on.execute(SWEEP, [INBOX_RETENTION_DAYS, rows]);
}
