import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';
import type { EventName, FeedEventName } from '@credit/platform/values';

/** State of a delivery. */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED';

const PLANNED = columns({
  id: column('uuid'),
  subscription_id: column('uuid'),
  institution_id: column('uuid'),
  event_id: column('uuid'),
  event_type: column<'text', EventName>('text'),
});

/** A delivery to be planned. */
export type NewDelivery = RowOf<typeof PLANNED>;

const EVENT = columns({
  id: column('uuid'),
  type: column<'text', FeedEventName>('text'),
  body: column('text'),
  reporting_institution_id: column('uuid'),
  reporter_body: column('text'),
  created_at: column('timestamptz'),
  // The trace of the request that caused it; empty when not traced.
  traceparent: column('text'),
});

/** An event with its two texts. */
export type EventRow = RowOf<typeof EVENT>;

const ATTEMPT = columns({
  attempt: column('integer'),
  started_at: column('timestamptz'),
  duration_ms: column('integer'),
  response_status: nullable(column('integer')),
  error_class: nullable(column('text')),
  request_signature: nullable(column('text')),
  response_headers: nullable(column('text')),
  response_body: nullable(column('text')),
  response_truncated: nullable(column('boolean')),
});

/** One attempt of a delivery. */
export type AttemptRow = RowOf<typeof ATTEMPT>;

const DELIVERY = columns({
  id: column('uuid'),
  subscription_id: column('uuid'),
  event_id: column('uuid'),
  event_type: column('text'),
  status: column<'text', DeliveryStatus>('text'),
  attempts: column('integer'),
  last_attempt_at: nullable(column('timestamptz')),
  last_response_status: nullable(column('integer')),
  last_error: nullable(column('text')),
  delivered_at: nullable(column('timestamptz')),
  created_at: column('timestamptz'),
});

/** A delivery as an institution sees it. */
export type DeliveryRow = RowOf<typeof DELIVERY> & {
  /** Undefined while an attempt is under way and when there will be none. */
  readonly next_attempt_at: string | undefined;
  readonly in_flight: boolean;
};

// A lease whose time has come no longer counts: its sender died.
const SHOWN = `${DELIVERY.names()},
  CASE WHEN status = 'PENDING' AND (lease_token IS NULL OR due_at <= now()) THEN due_at END
    AS next_attempt_at,
  lease_token IS NOT NULL AND due_at > now() AS in_flight`;

const INSERT_EVENTS = batchStatement(
  'event_insert',
  { events: EVENT },
  ({ events }) =>
    `INSERT INTO events (${EVENT.names()}) SELECT * FROM unnest(${events})
   ON CONFLICT (id) DO NOTHING`,
);

const INSERT = batchStatement(
  'delivery_insert',
  { planned: PLANNED },
  ({ planned }) =>
    `INSERT INTO deliveries (${PLANNED.names()}, due_at, created_at)
   SELECT planned.*, now(), now() FROM unnest(${planned}) AS planned
   ON CONFLICT (subscription_id, event_id, replay) DO NOTHING`,
);

// Under the subscription's lock, which plans and other replays wait for.
const INSERT_REPLAYS = batchStatement(
  'delivery_insert_replays',
  { planned: PLANNED },
  ({ planned }) =>
    `INSERT INTO deliveries (${PLANNED.names()}, due_at, created_at, replay)
   SELECT again.*, now(), now(),
     coalesce((SELECT max(d.replay) + 1 FROM deliveries d
               WHERE d.subscription_id = again.subscription_id AND d.event_id = again.event_id), 0)
   FROM unnest(${planned}) AS again (${PLANNED.names()})`,
);

const LIST = statement<DeliveryRow>(
  'delivery_list',
  `SELECT ${SHOWN} FROM deliveries WHERE subscription_id = $1 ORDER BY id DESC LIMIT $2`,
);

const LOCK = statement<DeliveryRow>(
  'delivery_lock',
  `SELECT ${SHOWN} FROM deliveries WHERE id = $1 AND institution_id = $2 FOR UPDATE`,
);

// The endpoint's row first, in the order of the statement that completes attempts.
const LOCK_ENDPOINT = statement(
  'delivery_lock_endpoint',
  `SELECT subscription_id FROM endpoints
   WHERE subscription_id = (SELECT subscription_id FROM deliveries
                            WHERE id = $1 AND institution_id = $2)
   FOR UPDATE`,
);

const REQUEUE = statement<DeliveryRow>(
  'delivery_requeue',
  `WITH closed AS (
     UPDATE endpoints SET open_until = '-infinity'
     WHERE subscription_id = (SELECT subscription_id FROM deliveries WHERE id = $1))
   UPDATE deliveries SET due_at = now(), lease_token = NULL WHERE id = $1
   RETURNING ${SHOWN}`,
);

// A delivery in flight keeps its lease: if it arrives after all, that is recorded.
const CANCEL = statement(
  'delivery_cancel',
  `UPDATE deliveries SET status = 'CANCELLED'
   WHERE subscription_id = $1 AND status = 'PENDING'`,
);

const CANCEL_OF_INSTITUTION = statement(
  'delivery_cancel_of_institution',
  `UPDATE deliveries SET status = 'CANCELLED'
   WHERE subscription_id IN (SELECT id FROM subscriptions WHERE institution_id = $1)
     AND status = 'PENDING'`,
);

/** What a delivery sends. */
export interface DeliveredMessage {
  readonly event_id: string;
  readonly body: string;
}

const FIND_MESSAGE = statement<DeliveredMessage>(
  'delivery_find_message',
  `SELECT d.event_id,
     CASE WHEN ev.reporting_institution_id = d.institution_id THEN ev.reporter_body
          ELSE ev.body END AS body
   FROM deliveries d JOIN events ev ON ev.id = d.event_id
   WHERE d.id = $1 AND d.institution_id = $2`,
);

const ATTEMPTS = statement<AttemptRow>(
  'delivery_attempts',
  `SELECT ${ATTEMPT.names()} FROM attempts WHERE delivery_id = $1 ORDER BY attempt`,
);

// Counts up to a bound: the figure is for an alarm, not for the books.
const FIGURES = statement<{ due: number; oldest_due_ms: number; in_flight: number }>(
  'delivery_figures',
  `SELECT
     (SELECT count(*)::integer FROM (
        SELECT FROM deliveries WHERE status = 'PENDING' AND due_at <= now() LIMIT $1) AS bounded
     ) AS due,
     coalesce((SELECT extract(epoch FROM now() - min(due_at)) * 1000 FROM deliveries
               WHERE status = 'PENDING' AND due_at <= now()), 0)::integer AS oldest_due_ms,
     (SELECT count(*)::integer FROM deliveries
      WHERE lease_token IS NOT NULL AND due_at > now()) AS in_flight`,
);

// Ids begin with the time they were made at, so the primary key finds the latest. Their states change,
// so they are counted when asked for, up to a bound; what came of them by the hour is kept.
const OUTCOMES = statement<{ status: DeliveryStatus; deliveries: number }>(
  'delivery_outcomes',
  `SELECT status, count(*)::integer AS deliveries
   FROM (SELECT status FROM deliveries WHERE id >= $1 ORDER BY id DESC LIMIT $2) AS latest
   GROUP BY status`,
);

// What is being sent stays for the next sweep.
const SWEEP = statement(
  'delivery_sweep',
  `WITH old AS MATERIALIZED (
     SELECT id FROM deliveries
     WHERE id < $1 AND (lease_token IS NULL OR due_at <= now())
     ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
   ),
   gone AS (
     DELETE FROM attempts USING old WHERE attempts.delivery_id = old.id
   )
   DELETE FROM deliveries USING old WHERE deliveries.id = old.id`,
);

const SWEEP_EVENTS = statement(
  'event_sweep',
  `DELETE FROM events WHERE id IN (
     SELECT id FROM events WHERE recorded_at < $1
     ORDER BY recorded_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
);

/** Keeps events' texts; a second time has no effect. */
export async function insertEvents(on: Queryable, events: readonly EventRow[]): Promise<void> {
  await on.execute(INSERT_EVENTS, INSERT_EVENTS.values({ events }));
}

/** Adds deliveries that are due at once; those that exist stay as they are. */
export async function insertDeliveries(
  on: Queryable,
  planned: readonly NewDelivery[],
): Promise<void> {
  await on.execute(INSERT, INSERT.values({ planned }));
}

/** Adds deliveries of events that may have been delivered before. */
export async function insertReplays(on: Queryable, planned: readonly NewDelivery[]): Promise<void> {
  await on.execute(INSERT_REPLAYS, INSERT_REPLAYS.values({ planned }));
}

/** The latest deliveries of a subscription, newest first. */
export function listDeliveryRows(
  on: Queryable,
  subscription_id: string,
  limit: number,
): Promise<DeliveryRow[]> {
  return on.query(LIST, [subscription_id, limit]);
}

/** An institution's delivery and its endpoint, locked. */
export async function lockDelivery(
  on: Queryable,
  id: string,
  institution_id: string,
): Promise<DeliveryRow | undefined> {
  await on.execute(LOCK_ENDPOINT, [id, institution_id]);
  return on.maybe(LOCK, [id, institution_id]);
}

/** Makes a locked delivery due now, and its endpoint's circuit passable. */
export function requeueDelivery(on: Queryable, id: string): Promise<DeliveryRow> {
  return on.one(REQUEUE, [id]);
}

/** Cancels what a subscription still had to deliver; returns how many. */
export function cancelDeliveries(on: Queryable, subscription_id: string): Promise<number> {
  return on.execute(CANCEL, [subscription_id]);
}

/** Cancels what all subscriptions of an institution still had to deliver. */
export function cancelDeliveriesOfInstitution(
  on: Queryable,
  institution_id: string,
): Promise<number> {
  return on.execute(CANCEL_OF_INSTITUTION, [institution_id]);
}

/** What an institution's delivery sends; undefined for another's. Events outlast their deliveries. */
export function findMessage(
  on: Queryable,
  delivery_id: string,
  institution_id: string,
): Promise<DeliveredMessage | undefined> {
  return on.maybe(FIND_MESSAGE, [delivery_id, institution_id]);
}

/** The attempts of a delivery, in order. */
export function listAttempts(on: Queryable, delivery_id: string): Promise<AttemptRow[]> {
  return on.query(ATTEMPTS, [delivery_id]);
}

/** How the queue stands. */
export function readFigures(
  on: Queryable,
  count_limit: number,
): Promise<{ due: number; oldest_due_ms: number; in_flight: number }> {
  return on.one(FIGURES, [count_limit]);
}

/** How many of the latest deliveries, with an id from `from_id` on and up to `limit`, are in each state. */
export async function countOutcomes(
  on: Queryable,
  from_id: string,
  limit: number,
): Promise<Record<DeliveryStatus, number>> {
  const counts = { PENDING: 0, DELIVERED: 0, FAILED: 0, CANCELLED: 0 };
  for (const row of await on.query(OUTCOMES, [from_id, limit])) counts[row.status] = row.deliveries;
  return counts;
}

/** Removes up to `limit` deliveries with an id below `before_id`, and their attempts. */
export function sweepDeliveries(on: Queryable, before_id: string, limit: number): Promise<number> {
  return on.execute(SWEEP, [before_id, limit]);
}

/** Removes up to `limit` events' texts recorded before a time. */
export function sweepEvents(on: Queryable, before: string, limit: number): Promise<number> {
  return on.execute(SWEEP_EVENTS, [before, limit]);
}
