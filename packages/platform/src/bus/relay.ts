import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Environment, systemContext } from '../context';
import { Alarm, crashPoint, newId } from '../core';
import { type Database, PARTITION_COUNT, type Queryable, statement } from '../db';
import { backoffMs, sooner } from '../values';
import type { Bus } from './bus';
import { INSERT_DEAD_LETTER } from './dead-letters';
import { FailureLog } from './failure-log';
import { beginCountingLosses, countLoss } from './loss-metrics';
import {
  messageAlone,
  messagesOf,
  type Outgoing,
  type RelayRow,
  type Unsendable,
} from './messages';
import { PublishError, type Receipt } from './publisher';
import { type Incarnation, STREAM_MAX_AGE_MS, sameIncarnation } from './stream';
import { lossSubject } from './subjects';
import { findingOf, KNOWN_FOR_MS } from './tail';
import { tracePublish } from './tracing';

/** What a relay publishes from and to; the rest has defaults for production. */
export interface RelayOptions {
  readonly db: Database;
  readonly bus: Bus;
  readonly logger: Logger;
  /** How long a row of another replica, or of one that died, may go unnoticed. */
  readonly poll_ms?: number;
  /** Passes are at least this far apart: under load each takes several commits' rows. */
  readonly pass_interval_ms?: number;
  /** How long a partition waits for a replica that died while it published. */
  readonly lease_ms?: number;
  /** Rows taken of one partition at a time. */
  readonly batch_rows?: number;
  /** Events of one type that go as one message at most; 1 sends each alone. */
  readonly events_per_message?: number;
}

/** Unpublished rows of one environment. */
export interface RelayLag {
  readonly environment: Environment;
  /** Counted to 100,000 at most. */
  readonly unpublished: number;
  readonly oldest_age_s: number;
}

/** A running relay. */
export interface Relay {
  /** Rows were committed: do not wait for the next poll. */
  wake(environment: Environment): void;
  lag(): Promise<RelayLag[]>;
  /** Finishes the pass in hand and gives its leases back. */
  stop(): Promise<void>;
}

const POLL_MS = 1_000;
const PASS_INTERVAL_MS = 30;
const LEASE_MS = 10_000;
const BATCH_ROWS = 64;
const EVENTS_PER_MESSAGE = 64;
/** Of what is sent in one turn of the event loop. */
const TURN_ROWS = 64;
const RESET_BATCH_ROWS = 5_000;
/** Another replica holds rows of ours back; it is done in a moment. */
const HELD_POLL_MS = 25;
/** Finds a stream that lost its end without this connection's breaking. */
const VERIFY_EVERY_MS = 10_000;
/** Rows are marked some time after they were stored, by the clock of their own database. */
const LOSS_MARGIN_MS = 60_000;
const NOTHING = new Uint8Array();
const FAILURE_BACKOFF = { first_ms: 200, longest_ms: 5_000 };
/** Who sets aside a row that can never be published. */
const RELAY_AS_CONSUMER = 'relay';

/**
 * Moves the outbox into the stream: unpublished rows by id within a partition, one replica at a
 * time for each partition. What counts is each row's own mark and never a high-water mark: a
 * lower id may be committed after a higher one. What is visible at once goes out in the order of
 * ids; only while the stream is being filled anew may a new event come before older ones.
 */
export function startRelay(options: RelayOptions): Relay {
  beginCountingLosses();
  // One loop for each pool: a service with one schema for both environments has one outbox.
  const loops = options.db.environments.map((environment) => new RelayLoop(environment, options));
  const { db } = options;
  const wake = (environment: Environment) => {
    for (const loop of loops) {
      if (db.pool(loop.environment) === db.pool(environment)) loop.wake();
    }
  };
  db.onOutbox(wake);
  const forget = options.bus.onChange(() => {
    for (const loop of loops) loop.wake();
  });
  return {
    wake,
    lag: () => Promise.all(loops.map((loop) => loop.lag())),
    async stop() {
      forget();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** All of the relay's writes may be lost in a crash: the rows would be published again. */
const NOT_DURABLE = `SELECT set_config('synchronous_commit', 'off', true) AS setting`;

const CLAIM = statement<{ partition: number; mine: boolean }>(
  'relay_claim',
  // A lease is taken when there is something to publish, so that replicas share the work and
  // the one that has just committed is mostly the one that publishes.
  `WITH not_durable AS MATERIALIZED (${NOT_DURABLE}),
   waiting AS (
     SELECT p FROM generate_series(0, ${PARTITION_COUNT - 1}) AS p
      WHERE EXISTS (SELECT FROM outbox WHERE partition = p AND published_at IS NULL)
   ),
   claimed AS (
     INSERT INTO outbox_leases AS lease (partition, owner, expires_at)
     SELECT p, $1, now() + $2 * interval '1 millisecond' FROM waiting ORDER BY p
     ON CONFLICT (partition) DO UPDATE
       SET owner = excluded.owner, expires_at = excluded.expires_at
       WHERE lease.owner = excluded.owner OR lease.expires_at < now()
     RETURNING partition
   )
   SELECT p AS partition, claimed.partition IS NOT NULL AS mine
     FROM waiting LEFT JOIN claimed ON claimed.partition = p CROSS JOIN not_durable`,
);

const TAKE = statement<RelayRow>(
  'relay_take',
  // A statement of its own: its snapshot must be younger than the lease.
  `SELECT p AS partition, taken.id, taken.type, taken.payload
     FROM unnest($1::smallint[]) AS p
    CROSS JOIN LATERAL (
      SELECT id, type, payload FROM outbox
       WHERE partition = p AND published_at IS NULL
       ORDER BY id LIMIT $2
    ) AS taken
    ORDER BY p, taken.id`,
);

const MARK = statement<{ id: string }>(
  'relay_mark',
  // The row's lock makes a reset wait for this mark, or this mark see the reset and do nothing.
  // What was stored earlier is as old as its event at most.
  `WITH not_durable AS MATERIALIZED (${NOT_DURABLE}),
   same_stream AS (
     UPDATE outbox_state
        SET (tail_sequence, tail_event_id, tail_message_id, tail_stored_at) = (
          SELECT sequence, event_id, message_id, stored_at
            FROM (VALUES
              (tail_sequence, tail_event_id, tail_message_id, tail_stored_at),
              ($4::bigint, $5::uuid, $6::text, CASE WHEN $7::boolean
                THEN (SELECT created_at FROM outbox WHERE id = $5) ELSE now() END)
            ) AS tail (sequence, event_id, message_id, stored_at)
           ORDER BY sequence DESC NULLS LAST LIMIT 1
        )
      WHERE stream_created_at = $2::timestamptz AND $3::uuid[] <@ losses
     RETURNING singleton
   )
   UPDATE outbox SET published_at = now()
     FROM same_stream, not_durable
    WHERE id = ANY ($1::uuid[])
   RETURNING id`,
);

const RELEASE = statement(
  'relay_release',
  `WITH not_durable AS MATERIALIZED (${NOT_DURABLE})
   UPDATE outbox_leases SET expires_at = '-infinity'
     FROM not_durable
    WHERE owner = $1 AND partition = ANY ($2::smallint[])`,
);

const SAME_STREAM = statement(
  'relay_same_stream',
  'SELECT FROM outbox_state WHERE stream_created_at = $1::timestamptz AND $2::uuid[] <@ losses',
);

const TAIL = statement<{ id: string; message_id: string; sequence: number; age_ms: number }>(
  'relay_tail',
  `SELECT tail_event_id AS id,
          tail_message_id AS message_id, tail_sequence::float8 AS sequence,
          (1000 * extract(epoch FROM now() - tail_stored_at))::float8 AS age_ms
     FROM outbox_state
    WHERE stream_created_at = $1::timestamptz AND $2::uuid[] <@ losses
      AND tail_event_id IS NOT NULL`,
);

const SENT_WITH = statement<RelayRow>(
  'relay_sent_with',
  // One statement marks what one pass has sent, and nothing else has its time.
  `SELECT outbox.partition, outbox.id, outbox.type, outbox.payload
     FROM outbox AS one JOIN outbox ON outbox.published_at = one.published_at
    WHERE one.id = $1::uuid
    ORDER BY outbox.partition, outbox.id`,
);

const MOVE_TAIL = statement(
  'relay_move_tail',
  // Only from where it was: another replica may have moved it further.
  `WITH not_durable AS MATERIALIZED (${NOT_DURABLE})
   UPDATE outbox_state SET tail_sequence = $2, tail_stored_at = now()
     FROM not_durable WHERE tail_sequence = $1`,
);

const OLDEST_KNOWN = statement<{ id: string; published_at_ms: number }>(
  'relay_oldest_known',
  `SELECT id,
          floor(1000 * extract(epoch FROM published_at))::float8 AS published_at_ms
     FROM outbox WHERE published_at > now() - $1 * interval '1 millisecond'
    ORDER BY published_at LIMIT 1`,
);

const BEGIN_RESET = statement<{ reset_from: string }>(
  'relay_begin_reset',
  // Null refuses all marks until the reset is complete, whoever completes it.
  `INSERT INTO outbox_state (singleton, stream_created_at, reset_from)
   VALUES (true, NULL, '-infinity')
   ON CONFLICT (singleton) DO UPDATE
     SET stream_created_at = NULL, tail_sequence = NULL, tail_event_id = NULL,
         tail_message_id = NULL, tail_stored_at = NULL,
         reset_from = CASE
           WHEN outbox_state.stream_created_at = $1::timestamptz THEN (
             SELECT to_timestamp(min(since_ms) / 1000.0)
               FROM unnest($2::uuid[], $3::bigint[]) AS loss (id, since_ms)
              WHERE id <> ALL (outbox_state.losses))
           WHEN outbox_state.stream_created_at IS NULL
             THEN coalesce(outbox_state.reset_from, '-infinity')
           ELSE '-infinity' END
     WHERE outbox_state.stream_created_at IS DISTINCT FROM $1::timestamptz
        OR NOT ($2::uuid[] <@ outbox_state.losses)
   RETURNING reset_from::text AS reset_from`,
);

const RESET = statement<{ last_id: string | null }>(
  'relay_reset',
  `WITH batch AS (
     SELECT id FROM outbox WHERE published_at >= $3::timestamptz AND id > $1
      ORDER BY id LIMIT $2
   ),
   reset AS (
     UPDATE outbox SET published_at = NULL FROM batch WHERE outbox.id = batch.id
   )
   SELECT id AS last_id FROM batch ORDER BY id DESC LIMIT 1`,
);

const END_RESET = statement(
  'relay_end_reset',
  `UPDATE outbox_state
      SET stream_created_at = $1::timestamptz, losses = $2::uuid[], reset_from = NULL
    WHERE stream_created_at IS NULL`,
);

const SWEEP = statement(
  'outbox_sweep',
  `DELETE FROM outbox WHERE id IN (
     SELECT id FROM outbox WHERE published_at < now() - $1 * interval '1 millisecond'
      ORDER BY published_at LIMIT $2 FOR UPDATE SKIP LOCKED
   )`,
);

/** Deletes up to so many rows that were published so long ago that no stream is filled anew with them. */
export function sweepOutbox(on: Queryable, rows: number): Promise<number> {
  return on.execute(SWEEP, [STREAM_MAX_AGE_MS, rows]);
}

const LAG = statement<{ unpublished: number; oldest_age_s: number | null }>(
  'relay_lag',
  `SELECT count(*)::integer AS unpublished,
          extract(epoch FROM now() - min(created_at))::float8 AS oldest_age_s
     FROM (SELECT created_at FROM outbox WHERE published_at IS NULL LIMIT 100000) AS waiting`,
);

/** What an environment's outbox holds back. */
export async function outboxLag(on: Queryable, environment: Environment): Promise<RelayLag> {
  const { unpublished, oldest_age_s } = await on.one(LAG);
  return { environment, unpublished, oldest_age_s: oldest_age_s ?? 0 };
}

/** What a pass found; says how long to wait for the next. */
type Outcome = 'nothing' | 'drained' | 'more' | 'held' | 'no_stream';

class RelayLoop {
  private readonly owner = newId();
  private readonly on: Queryable;
  private readonly alarm = new Alarm();
  private readonly stopAlarm = new Alarm();
  private readonly failureLog: FailureLog;
  private readonly loop: Promise<void>;
  private stopping = false;
  /** The stream that the marks are known to speak of. */
  private marked: Incarnation | undefined;
  /** The stream that was seen to hold what it had acknowledged, until it is to be looked at again. */
  private verified: Incarnation | undefined;
  private verify_at_ms = 0;

  constructor(
    readonly environment: Environment,
    private readonly options: RelayOptions,
  ) {
    this.on = options.db.read(systemContext(environment));
    this.failureLog = new FailureLog(options.logger, `publishing events (${environment})`);
    this.loop = this.run();
  }

  wake(): void {
    this.alarm.ring();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.alarm.ring();
    this.stopAlarm.ring();
    await this.loop;
  }

  private get events_per_message(): number {
    return this.options.events_per_message ?? EVENTS_PER_MESSAGE;
  }

  lag(): Promise<RelayLag> {
    return outboxLag(this.on, this.environment);
  }

  private async run(): Promise<void> {
    const poll_ms = this.options.poll_ms ?? POLL_MS;
    const pass_interval_ms = this.options.pass_interval_ms ?? PASS_INTERVAL_MS;
    let failures = 0;
    while (!this.stopping) {
      const started_ms = performance.now();
      try {
        const outcome = await this.pass();
        if (outcome !== 'no_stream') this.failureLog.succeeded();
        failures = 0;
        if (outcome !== 'more') {
          await this.alarm.wait(outcome === 'held' ? Math.min(HELD_POLL_MS, poll_ms) : poll_ms);
        }
        const early_ms = started_ms + pass_interval_ms - performance.now();
        if (early_ms > 0) await this.stopAlarm.wait(early_ms);
      } catch (error) {
        failures += 1;
        this.verified = undefined;
        this.failureLog.failed(error);
        await this.stopAlarm.wait(sooner(backoffMs(FAILURE_BACKOFF, failures), 0.5));
      }
    }
  }

  private async pass(): Promise<Outcome> {
    const stream = this.options.bus.stream;
    if (stream === undefined) return 'no_stream';
    if (!sameIncarnation(this.marked, stream) && !(await this.reconcile())) return 'no_stream';
    const is_verified = this.verified === stream && performance.now() < this.verify_at_ms;
    // What it is now is not what was looked at.
    if (!is_verified && !(await this.verify(stream))) return 'more';

    const lease_ms = this.options.lease_ms ?? LEASE_MS;
    const stop_at_ms = performance.now() + lease_ms / 2;
    const waiting = await this.on.query(CLAIM, [this.owner, lease_ms]);
    const partitions = waiting.filter((lease) => lease.mine).map((lease) => lease.partition);
    if (partitions.length === 0) return waiting.length > 0 ? 'held' : 'nothing';
    try {
      const full = await this.publishPartitions(partitions, stream, stop_at_ms);
      if (full) return 'more';
      return partitions.length < waiting.length ? 'held' : 'drained';
    } finally {
      await this.on.execute(RELEASE, [this.owner, partitions]);
    }
  }

  /** Publishes and marks one batch of each partition; true when there may be more. */
  private async publishPartitions(
    partitions: readonly number[],
    stream: Incarnation,
    stop_at_ms: number,
  ): Promise<boolean> {
    const batch_rows = this.options.batch_rows ?? BATCH_ROWS;
    const rows = await this.on.query(TAKE, [partitions, batch_rows]);
    // This process was held up so long that the leases may be another's by now. (It would do
    // little harm: both send the same rows in the same order, and the stream drops the second.)
    if (performance.now() > stop_at_ms) return true;

    const sent: Promise<Sent[]>[] = [];
    let in_turn = 0;
    for (const message of messagesOf(rows, this.events_per_message)) {
      sent.push(this.publish(message));
      in_turn += 'rows' in message ? message.rows.length : 1;
      if (in_turn < TURN_ROWS) continue;
      // A backlog must not hold up the service's own requests.
      in_turn = 0;
      await nextTurn();
    }
    const results = untilFailure((await Promise.all(sent)).flat());
    const published = results.flatMap((result) => result.published);
    if (published.length > 0) {
      crashPoint('outbox.published');
      const last = results.flatMap((result) => result.last ?? []).reduce(later, undefined);
      const marked = await this.on.execute(MARK, [
        published,
        stream.created_at,
        idsOf(stream),
        last?.sequence ?? null,
        last?.event_id ?? null,
        last?.message_id ?? null,
        last?.duplicate ?? false,
      ]);
      // Another replica found another stream: look for oneself before the next pass.
      if (marked === 0) this.marked = undefined;
    }
    const failure = results.find((result) => result.failure !== undefined)?.failure;
    if (failure !== undefined) {
      await this.lookAgain(failure);
      throw failure;
    }
    const taken = Map.groupBy(rows, (row) => row.partition);
    return [...taken.values()].some((batch) => batch.length === batch_rows);
  }

  /**
   * Sends a message without waiting for those before it, see {@link Bus.publish}. Never rejects.
   */
  private async publish(message: Outgoing | Unsendable): Promise<Sent[]> {
    const { lane } = message;
    if ('error' in message) return [await this.setAside(lane, message.row, message.error)];
    const { rows, traceparent } = message;
    const [first] = rows;
    try {
      const last = await tracePublish(first.type, traceparent, () => this.send(message));
      return [{ lane, published: rows.map((row) => row.id), last }];
    } catch (failure) {
      const is_for_good = failure instanceof PublishError && failure.reason === 'too_large';
      if (!is_for_good) return [{ lane, published: [], failure }];
      if (rows.length === 1) return [await this.setAside(lane, first, failure)];
      // Only together, perhaps.
      const alone = rows.map((row) => this.publish(messageAlone(row)));
      return (await Promise.all(alone)).flat();
    }
  }

  /** An id of which nobody can say where it is stored is given up: consumers know the events' own. */
  private async send({ id, subject, payload, rows }: Outgoing): Promise<Stored> {
    const publish = async (message_id: string): Promise<Stored> => {
      const receipt = await this.options.bus.publish(subject, payload, message_id);
      return { ...receipt, event_id: rows[0].id, message_id };
    };
    try {
      return await publish(id);
    } catch (error) {
      if (!(error instanceof PublishError) || error.reason !== 'undecided') throw error;
      return await publish(`${id}/${newId()}`);
    }
  }

  private async lookAgain(failure: unknown): Promise<void> {
    if (!(failure instanceof PublishError) || failure.reason !== 'no_stream') return;
    this.marked = undefined;
    await this.options.bus.checkStream();
  }

  /**
   * Whether the stream still holds what it acknowledged: see {@link findingOf}. A stream that does
   * not is made another one for all, by a message that tells of it.
   */
  private async verify(stream: Incarnation): Promise<boolean> {
    const tailNow = () => this.on.maybe(TAIL, [stream.created_at, idsOf(stream)]);
    const tail = await tailNow();
    const receipt = tail && (await this.sendAgain(tail.id, tail.message_id));
    if (tail !== undefined && receipt !== undefined) {
      const finding = findingOf(tail, receipt);
      if (finding === 'stored_again') {
        await this.on.execute(MOVE_TAIL, [tail.sequence, receipt.sequence]);
      }
      if (finding === 'lost') {
        const same = await tailNow();
        // Otherwise another replica has moved it meanwhile, or knows of the loss.
        if (same?.sequence === tail.sequence) await this.tellLoss(stream, tail, receipt);
        return false;
      }
    }
    this.verified = stream;
    this.verify_at_ms = performance.now() + VERIFY_EVERY_MS;
    return true;
  }

  /**
   * Where the stream has the message that an event went with, by the message's own id or another that
   * it was given; undefined when it cannot say. The message is sent whole: what the stream lacks, it
   * takes for what it knows by that id from then on.
   */
  private async sendAgain(event_id: string, message_id?: string): Promise<Receipt | undefined> {
    const rows = await this.on.query(SENT_WITH, [event_id]);
    const message = messageWith(event_id, message_id, rows, this.events_per_message);
    if (message === undefined) return undefined;
    const { id, subject, payload } = message;
    try {
      return await this.options.bus.publish(subject, payload, message_id ?? id);
    } catch (error) {
      if (!(error instanceof PublishError)) throw error;
      if (error.reason === 'too_large' || error.reason === 'undecided') return undefined;
      await this.lookAgain(error);
      throw error;
    }
  }

  private async tellLoss(stream: Incarnation, tail: { sequence: number }, again: Receipt) {
    const { bus, logger } = this.options;
    // Whoever told of it before has told all.
    if (!sameIncarnation(await bus.checkStream(), stream)) return;
    const oldest = await this.on.maybe(OLDEST_KNOWN, [KNOWN_FOR_MS]);
    const found = oldest && (await this.sendAgain(oldest.id));
    // What lies before a message that is still in its place is there, whoever published it.
    const is_there = found?.duplicate && found.sequence < Math.min(tail.sequence, again.sequence);
    const published_at_ms = is_there ? (oldest?.published_at_ms ?? 0) : 0;
    const loss = { id: newId(), since_ms: Math.max(0, published_at_ms - LOSS_MARGIN_MS) };
    await bus.publish(lossSubject(loss), NOTHING, loss.id);
    logger.error(
      { environment: this.environment, sequence: tail.sequence, loss },
      'the stream has lost events that it had acknowledged',
    );
    countLoss();
    await bus.checkStream();
  }

  /** One row that can never be sent must not hold up the others. */
  private async setAside(lane: string, row: RelayRow, error: unknown): Promise<Sent> {
    this.options.logger.error({ err: error, event_id: row.id }, 'an event cannot be published');
    const text = error instanceof Error ? error.message : String(error);
    const { id, type, payload } = row;
    try {
      await this.on.execute(INSERT_DEAD_LETTER, [RELAY_AS_CONSUMER, id, type, payload, text, 0]);
      return { lane, published: [id] };
    } catch (failure) {
      return { lane, published: [], failure };
    }
  }

  /**
   * Makes the marks speak of the stream that is there. After the JetStream store was deleted,
   * nothing that was marked is in the stream: all retained rows are published again, after it lost
   * its end those that may be missing, and consumers know what they had by their inbox. In batches,
   * each harmless to repeat; several replicas may do it at once.
   */
  private async reconcile(): Promise<boolean> {
    // Not the last one seen: it must not undo what a replica did that saw a newer one.
    const stream = await this.options.bus.checkStream();
    if (stream === undefined) return false;
    const { created_at, losses } = stream;
    const ids = idsOf(stream);
    // Nothing to begin when another replica has just completed it.
    const same = (await this.on.maybe(SAME_STREAM, [created_at, ids])) !== undefined;
    const times = losses.map((loss) => loss.since_ms);
    const begun = same ? undefined : await this.on.maybe(BEGIN_RESET, [created_at, ids, times]);
    if (begun !== undefined) {
      let last_id: string | null | undefined = '00000000-0000-0000-0000-000000000000';
      while (last_id) {
        if (this.stopping) return false;
        last_id = (await this.on.maybe(RESET, [last_id, RESET_BATCH_ROWS, begun.reset_from]))
          ?.last_id;
      }
      await this.on.execute(END_RESET, [created_at, ids]);
      this.options.logger.info(
        { environment: this.environment, created_at, losses, published_since: begun.reset_from },
        'the stream is not what it was: publishing retained events again',
      );
    }
    this.marked = stream;
    return true;
  }
}

/** Where a message of an outbox is in the stream. */
interface Stored extends Receipt {
  /** Of its first event. */
  readonly event_id: string;
  readonly message_id: string;
}

/** What became of a message. */
interface Sent {
  readonly lane: string;
  /** Ids of its rows, when they need not be sent again. */
  readonly published: readonly string[];
  readonly last?: Stored;
  readonly failure?: unknown;
}

/**
 * Only what comes before the first failure of its lane counts as published: the rest is sent again
 * after it, and the stream or the consumers know it.
 */
function untilFailure(sent: readonly Sent[]): Sent[] {
  const failed = new Set<string>();
  return sent.filter(({ lane, failure }) => {
    if (failed.has(lane)) return false;
    if (failure !== undefined) failed.add(lane);
    return true;
  });
}

/** The message that an event went with, of all that were sent with it; alone, where that is the id. */
function messageWith(
  event_id: string,
  message_id: string | undefined,
  rows: readonly RelayRow[],
  most_events: number,
): Outgoing | undefined {
  const [base] = message_id?.split('/') ?? [];
  const alone = rows.filter((row) => row.id === event_id && row.id === base).map(messageAlone);
  return [...messagesOf(rows, most_events), ...alone].find(
    (message): message is Outgoing =>
      'rows' in message &&
      (base === undefined || message.id === base) &&
      message.rows.some((row) => row.id === event_id),
  );
}

function later(one: Stored | undefined, other: Stored): Stored {
  return one === undefined || one.sequence < other.sequence ? other : one;
}

function idsOf(stream: Incarnation): string[] {
  return stream.losses.map((loss) => loss.id);
}
