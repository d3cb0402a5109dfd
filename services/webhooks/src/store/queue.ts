import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
  type Written,
} from '@credit/platform/db';
import type { EndpointReport } from '../domain/circuit';
import { TOTALS } from './totals';

/** A claimed delivery with all that sending it takes, as of the claim. */
export interface ClaimedRow {
  id: string;
  subscription_id: string;
  institution_id: string;
  event_id: string;
  /** Attempts before this one. */
  attempts: number;
  url: string;
  secret_sealed: Buffer;
  secret_key_id: string;
  body: string;
  /** The trace of the request that caused the event; empty when not traced. */
  traceparent: string;
  /** How long it had been due. */
  lag_ms: number;
  /** How long ago its event was made; undefined when the event is sent once more by a replay. */
  event_age_ms: number | undefined;
  /** Whether the endpoint is being tried with one delivery at a time. */
  is_failing: boolean;
}

/** The bounds of one claim. */
export interface ClaimBounds {
  /** Deliveries that the sender has room for. */
  readonly slots: number;
  readonly lease_ms: number;
  readonly per_endpoint: number;
  readonly per_institution: number;
  /** Consecutive failures from which an endpoint is tried with one delivery at a time. */
  readonly failures_to_open: number;
  /** The keys that the sender has: it leaves what others seal to whoever can sign for it. */
  readonly key_ids: readonly string[];
}

const DONE = columns({
  id: column('uuid'),
  token: column('uuid'),
  verdict: column<'text', 'DELIVERED' | 'RETRY' | 'EXHAUSTED' | 'GONE'>('text'),
  // Until the next attempt; only with RETRY.
  delay_ms: column('double precision'),
  started_at: column('timestamptz'),
  duration_ms: column('integer'),
  response_status: nullable(column('integer')),
  error_class: nullable(column('text')),
  error: nullable(column('text')),
  // What was sent and what was answered; the answer only when there was one.
  request_signature: column('text'),
  response_headers: nullable(column('text')),
  response_body: nullable(column('text')),
  response_truncated: nullable(column('boolean')),
});

/** An attempt to record: of which delivery, under which lease's token, and what came of it. */
export type CompletedAttempt = Written<RowOf<typeof DONE>>;

const REPORT = columns({
  subscription_id: column('uuid'),
  succeeded: column('boolean'),
  failures: column('integer'),
  open_ms: column('double precision'),
});

// waiting:  hops from one endpoint with work to the next, so that a backlog of
//           thousands costs one index probe, not thousands of rows.
// ready:    those with something due and a closed circuit. A suspended
//           institution's deliveries wait for its return, and those of a secret
//           that this sender cannot open go to one that can.
// loads:    what the institutions of those have in flight.
// locked:   one claimer per endpoint. Whoever claimed it since this statement's
//           snapshot has moved claim_seq on; then the count of free places is
//           stale and the endpoint is left to the next claim.
// turns:    the n-th delivery of an institution comes after everyone's (n-1)-th,
//           what it already has in flight included.
// chosen:   IS TRUE keeps the planner from reading the whole backlog through the
//           queue's index where a few primary keys are all it takes.
const CLAIM = statement<ClaimedRow>(
  'queue_claim',
  `WITH RECURSIVE waiting AS (
     (SELECT subscription_id, due_at FROM deliveries WHERE status = 'PENDING'
      ORDER BY subscription_id, due_at LIMIT 1)
     UNION ALL
     SELECT next.subscription_id, next.due_at
     FROM waiting CROSS JOIN LATERAL (
       SELECT d.subscription_id, d.due_at FROM deliveries d
       WHERE d.status = 'PENDING' AND d.subscription_id > waiting.subscription_id
       ORDER BY d.subscription_id, d.due_at LIMIT 1) AS next
   ),
   ready AS MATERIALIZED (
     SELECT e.subscription_id, e.institution_id, e.claim_seq,
       e.consecutive_failures >= $5 AS is_failing,
       CASE WHEN e.consecutive_failures >= $5 THEN 1 ELSE $3::integer END AS places
     FROM waiting
     JOIN endpoints e ON e.subscription_id = waiting.subscription_id
     JOIN subscriptions s ON s.id = waiting.subscription_id
     LEFT JOIN institutions i ON i.id = e.institution_id
     WHERE waiting.due_at <= now() AND e.open_until <= now() AND s.enabled
       AND coalesce(i.status, 'ACTIVE') = 'ACTIVE' AND s.secret_key_id = ANY ($7::text[])
   ),
   loads AS MATERIALIZED (
     SELECT e.institution_id, e.subscription_id, leased.deliveries
     FROM waiting JOIN endpoints e ON e.subscription_id = waiting.subscription_id
     CROSS JOIN LATERAL (
       SELECT count(*) AS deliveries FROM (
         SELECT FROM deliveries d
         WHERE d.subscription_id = e.subscription_id AND d.lease_token IS NOT NULL
           AND d.due_at > now()
         ORDER BY d.due_at LIMIT $3) AS bounded) AS leased
     WHERE e.institution_id IN (SELECT institution_id FROM ready)
   ),
   locked AS MATERIALIZED (
     SELECT e.subscription_id, e.institution_id, ready.is_failing,
       ready.places - loads.deliveries AS free
     FROM ready
     JOIN loads ON loads.subscription_id = ready.subscription_id
     JOIN endpoints e
       ON e.subscription_id = ready.subscription_id AND e.claim_seq = ready.claim_seq
     WHERE ready.places > loads.deliveries
     FOR UPDATE OF e SKIP LOCKED
   ),
   candidates AS (
     SELECT locked.institution_id, locked.is_failing, d.id, d.due_at,
       row_number() OVER (PARTITION BY locked.subscription_id ORDER BY d.due_at) AS place
     FROM locked CROSS JOIN LATERAL (
       SELECT id, due_at FROM deliveries
       WHERE subscription_id = locked.subscription_id AND status = 'PENDING' AND due_at <= now()
       ORDER BY due_at LIMIT locked.free) AS d
   ),
   turns AS (
     SELECT c.id, c.due_at, c.is_failing,
       row_number() OVER (PARTITION BY c.institution_id ORDER BY c.place, c.due_at)
         + loaded.deliveries AS turn
     FROM candidates c
     JOIN (SELECT institution_id, sum(deliveries) AS deliveries FROM loads
           GROUP BY institution_id) AS loaded ON loaded.institution_id = c.institution_id
   ),
   chosen AS MATERIALIZED (
     SELECT d.id, d.due_at, first.is_failing
     FROM (SELECT id, is_failing FROM turns WHERE turn <= $4 ORDER BY turn, due_at LIMIT $2) AS first
     JOIN deliveries d ON d.id = first.id
     WHERE (d.status = 'PENDING') IS TRUE AND (d.due_at <= now()) IS TRUE
     FOR UPDATE OF d SKIP LOCKED
   ),
   claimed AS (
     UPDATE deliveries d
     SET lease_token = $1, due_at = now() + $6 * interval '1 millisecond'
     FROM chosen WHERE d.id = chosen.id
     RETURNING d.id, d.subscription_id, d.institution_id, d.event_id, d.attempts, d.replay,
       chosen.is_failing,
       extract(epoch FROM now() - chosen.due_at)::float8 * 1000 AS lag_ms
   ),
   counted AS (
     UPDATE endpoints e SET claim_seq = e.claim_seq + 1
     WHERE e.subscription_id IN (SELECT subscription_id FROM claimed)
   )
   SELECT claimed.*, s.url, s.secret_sealed, s.secret_key_id, ev.traceparent,
     CASE WHEN claimed.replay = 0
       THEN extract(epoch FROM now() - ev.created_at)::float8 * 1000 END AS event_age_ms,
     CASE WHEN ev.reporting_institution_id = claimed.institution_id THEN ev.reporter_body
          ELSE ev.body END AS body
   FROM claimed
   JOIN subscriptions s ON s.id = claimed.subscription_id
   JOIN events ev ON ev.id = claimed.event_id`,
);

// Under the token only: a sender that outlived its lease records nothing. An
// attempt that was cancelled while under way and arrived counts as delivered.
// Endpoints are locked in order, so that two senders cannot wait for each other,
// and only where something changes: a healthy one is written every ten seconds at most.
// The counts of the hour are written last, when endpoints and deliveries have been.
const COMPLETE = batchStatement(
  'queue_complete',
  { done: DONE, reports: REPORT, failures_to_open: 'integer' },
  ({ done, failures_to_open, reports }) =>
    `WITH done AS (SELECT * FROM unnest(${done}) AS done (${DONE.names()})),
   reports AS (SELECT * FROM unnest(${reports}) AS reports (${REPORT.names()})),
   touched AS MATERIALIZED (
     SELECT e.subscription_id,
       CASE WHEN r.succeeded THEN 0 ELSE e.consecutive_failures END + r.failures AS failures,
       r.succeeded, r.failures > 0 AS failed, r.open_ms
     FROM endpoints e JOIN reports r ON r.subscription_id = e.subscription_id
     WHERE r.failures > 0 OR e.consecutive_failures > 0
       OR coalesce(e.last_success_at, '-infinity') < now() - interval '10 seconds'
     ORDER BY e.subscription_id
     FOR UPDATE OF e
   ),
   judged AS (
     UPDATE endpoints e
     SET consecutive_failures = t.failures,
       last_success_at = CASE WHEN t.succeeded THEN now() ELSE e.last_success_at END,
       last_failure_at = CASE WHEN t.failed THEN now() ELSE e.last_failure_at END,
       open_until = CASE WHEN t.failures >= ${failures_to_open}
         THEN now() + t.open_ms * interval '1 millisecond' ELSE '-infinity' END
     FROM touched t WHERE e.subscription_id = t.subscription_id
     RETURNING e.subscription_id
   ),
   written AS (
     UPDATE deliveries d
     SET attempts = d.attempts + 1,
       status = CASE done.verdict
         WHEN 'DELIVERED' THEN 'DELIVERED'
         WHEN 'GONE' THEN 'CANCELLED'
         WHEN 'EXHAUSTED' THEN CASE d.status WHEN 'PENDING' THEN 'FAILED' ELSE d.status END
         ELSE d.status END,
       due_at = now() + done.delay_ms * interval '1 millisecond',
       lease_token = NULL,
       last_attempt_at = done.started_at,
       last_response_status = done.response_status,
       last_error = done.error,
       delivered_at = CASE WHEN done.verdict = 'DELIVERED' THEN now() END
     FROM done
     WHERE d.id = done.id AND d.lease_token = done.token
     RETURNING d.id, d.attempts, d.subscription_id, d.status, done.verdict
   ),
   recorded AS (
     INSERT INTO attempts
       (delivery_id, attempt, subscription_id, started_at, duration_ms, response_status,
        error_class, request_signature, response_headers, response_body, response_truncated)
     SELECT written.id, written.attempts, written.subscription_id, done.started_at,
       done.duration_ms, done.response_status, done.error_class, done.request_signature,
       done.response_headers, done.response_body, done.response_truncated
     FROM written JOIN done ON done.id = written.id
   ),
   counted AS (${TOTALS.adding(
     'now()',
     {
       delivered: "count(*) FILTER (WHERE verdict = 'DELIVERED')",
       failed_attempts: "count(*) FILTER (WHERE verdict <> 'DELIVERED')",
       given_up: "count(*) FILTER (WHERE verdict = 'EXHAUSTED' AND status = 'FAILED')",
     },
     'FROM written HAVING count(*) > 0 AND (SELECT count(*) FROM judged) >= 0',
   )})
   SELECT id FROM written`,
).answering<{ id: string }>();

/** Claims due deliveries for sending; each is the caller's until its lease ends. */
export function claimDeliveries(
  on: Queryable,
  lease_token: string,
  bounds: ClaimBounds,
): Promise<ClaimedRow[]> {
  return on.query(CLAIM, [
    lease_token,
    bounds.slots,
    bounds.per_endpoint,
    bounds.per_institution,
    bounds.failures_to_open,
    bounds.lease_ms,
    bounds.key_ids,
  ]);
}

/**
 * Records attempts and what they say about their endpoints. Returns the ids that
 * were recorded; the others' leases had ended.
 */
export async function completeAttempts(
  on: Queryable,
  attempts: readonly CompletedAttempt[],
  reports: ReadonlyMap<string, EndpointReport>,
  failures_to_open: number,
): Promise<Set<string>> {
  const rows = await on.query(
    COMPLETE,
    COMPLETE.values({
      done: attempts,
      reports: [...reports].map(([subscription_id, report]) => ({ subscription_id, ...report })),
      failures_to_open,
    }),
  );
  return new Set(rows.map((row) => row.id));
}
