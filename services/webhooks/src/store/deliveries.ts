import { type Queryable, statement } from '@credit/platform/db';
import type { EventName, FeedEventName } from '@credit/platform/values';

/** State of a delivery. */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED';

/** A delivery as an institution sees it. */
export interface DeliveryRow {
  id: string;
  subscription_id: string;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempts: number;
  /** Null while an attempt is under way and when there will be none. */
  next_attempt_at: string | null;
  last_attempt_at: string | null;
  last_response_status: number | null;
  last_error: string | null;
  delivered_at: string | null;
  created_at: string;
  in_flight: boolean;
}

/** One attempt of a delivery. */
export interface AttemptRow {
  attempt: number;
  started_at: string;
  duration_ms: number;
  response_status: number | null;
  error_class: string | null;
}

/** A delivery to be planned. */
export interface NewDelivery {
  readonly id: string;
  readonly subscription_id: string;
  readonly institution_id: string;
  readonly event_id: string;
  readonly event_type: EventName;
}

/** An event with its two texts. */
export interface EventRow {
  id: string;
  type: FeedEventName;
  body: string;
  reporting_institution_id: string;
  reporter_body: string;
  created_at: string;
  /** The trace of the request that caused it; empty when not traced. */
  traceparent: string;
}

// A lease whose time has come no longer counts: its sender died.
const COLUMNS = `id, subscription_id, event_id, event_type, status, attempts,
  CASE WHEN status = 'PENDING' AND (lease_token IS NULL OR due_at <= now()) THEN due_at END
    AS next_attempt_at,
  last_attempt_at, last_response_status, last_error, delivered_at, created_at,
  lease_token IS NOT NULL AND due_at > now() AS in_flight`;

const INSERT_EVENTS = statement(
  'event_insert',
  `INSERT INTO events
     (id, type, body, reporting_institution_id, reporter_body, created_at, traceparent)
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[],
     $6::timestamptz[], $7::text[])
   ON CONFLICT (id) DO NOTHING`,
);

const INSERT = statement(
  'delivery_insert',
  `INSERT INTO deliveries
     (id, subscription_id, institution_id, event_id, event_type, due_at, created_at)
   SELECT planned.*, now(), now()
   FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) AS planned
   ON CONFLICT (subscription_id, event_id, replay) DO NOTHING`,
);

// Under the subscription's lock, which plans and other replays wait for.
const INSERT_REPLAYS = statement(
  'delivery_insert_replays',
  `INSERT INTO deliveries
     (id, subscription_id, institution_id, event_id, event_type, due_at, created_at, replay)
   SELECT again.*, now(), now(),
     coalesce((SELECT max(d.replay) + 1 FROM deliveries d
               WHERE d.subscription_id = again.subscription_id AND d.event_id = again.event_id), 0)
   FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[])
     AS again (id, subscription_id, institution_id, event_id, event_type)`,
);

const LIST = statement<DeliveryRow>(
  'delivery_list',
  `SELECT ${COLUMNS} FROM deliveries WHERE subscription_id = $1 ORDER BY id DESC LIMIT $2`,
);

const LOCK = statement<DeliveryRow>(
  'delivery_lock',
  `SELECT ${COLUMNS} FROM deliveries WHERE id = $1 AND institution_id = $2 FOR UPDATE`,
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
   RETURNING ${COLUMNS}`,
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

const ATTEMPTS = statement<AttemptRow>(
  'delivery_attempts',
  `SELECT attempt, started_at, duration_ms, response_status, error_class
   FROM attempts WHERE delivery_id = $1 ORDER BY attempt`,
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

// Ids begin with the time they were made at, so the primary key finds the latest.
const OUTCOMES = statement<{ status: DeliveryStatus; deliveries: number }>(
  'delivery_outcomes',
  `SELECT status, count(*)::integer AS deliveries FROM deliveries WHERE id >= $1 GROUP BY status`,
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
  await on.execute(INSERT_EVENTS, [
    events.map((event) => event.id),
    events.map((event) => event.type),
    events.map((event) => event.body),
    events.map((event) => event.reporting_institution_id),
    events.map((event) => event.reporter_body),
    events.map((event) => event.created_at),
    events.map((event) => event.traceparent),
  ]);
}

/** Adds deliveries that are due at once; those that exist stay as they are. */
export async function insertDeliveries(
  on: Queryable,
  planned: readonly NewDelivery[],
): Promise<void> {
  await on.execute(INSERT, [
    planned.map((delivery) => delivery.id),
    planned.map((delivery) => delivery.subscription_id),
    planned.map((delivery) => delivery.institution_id),
    planned.map((delivery) => delivery.event_id),
    planned.map((delivery) => delivery.event_type),
  ]);
}

/** Adds deliveries of events that may have been delivered before. */
export async function insertReplays(on: Queryable, planned: readonly NewDelivery[]): Promise<void> {
  await on.execute(INSERT_REPLAYS, [
    planned.map((delivery) => delivery.id),
    planned.map((delivery) => delivery.subscription_id),
    planned.map((delivery) => delivery.institution_id),
    planned.map((delivery) => delivery.event_id),
    planned.map((delivery) => delivery.event_type),
  ]);
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

/** How many deliveries with an id from `from_id` on are in each state. */
export async function countOutcomes(
  on: Queryable,
  from_id: string,
): Promise<Record<DeliveryStatus, number>> {
  const counts = { PENDING: 0, DELIVERED: 0, FAILED: 0, CANCELLED: 0 };
  for (const row of await on.query(OUTCOMES, [from_id])) counts[row.status] = row.deliveries;
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
