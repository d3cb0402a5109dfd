import { batchStatement, column, columns, type Queryable, statement } from '@credit/platform/db';
import type { FindingCode, HealthFigures } from '../domain/reporting-health';
import type { BookFigures } from './health-days';

/** The times that a window is made of. */
export interface HealthWindow {
  readonly from: string;
  readonly fresh_from: string;
}

const RATES = statement<Omit<HealthFigures, keyof BookFigures>>(
  'reporting_health_rates',
  `SELECT reported.*, handed_in.*, lost.*
   FROM (
     SELECT coalesce(sum(events), 0)::bigint AS events,
       coalesce(sum(timely_events), 0)::bigint AS timely_events,
       coalesce(sum(correction_halves), 0)::bigint AS correction_halves
     FROM reporting_days
     WHERE institution_id = $1 AND day > ($2::timestamptz AT TIME ZONE 'UTC')::date
   ) AS reported, (
     SELECT coalesce(sum(submitted), 0)::bigint AS submitted,
       coalesce(sum(rejected), 0)::bigint AS rejected
     FROM submission_days
     WHERE institution_id = $1 AND day > ($2::timestamptz AT TIME ZONE 'UTC')::date
   ) AS handed_in, (
     SELECT count(*) AS corrected_disputes FROM corrected_disputes
     WHERE institution_id = $1 AND resolved_at >= $2
   ) AS lost`,
);

// Reads every account of the institution.
const BOOK = statement<BookFigures>(
  'reporting_health_book',
  `SELECT count(*) AS accounts,
     count(*) FILTER (
       WHERE maturity_at IS NOT NULL AND interest_rate_bps IS NOT NULL
         AND payment_frequency IS NOT NULL
     ) AS covered_accounts,
     count(*) FILTER (WHERE is_open) AS open_accounts,
     count(*) FILTER (
       WHERE is_open AND (
         created_at >= $2
         -- The last event to have occurred: one from before the account was reported is older.
         OR to_timestamp((state -> 'head' ->> 'occurred_at_ms')::numeric / 1000) >= $2
       )
     ) AS fresh_accounts
   FROM (
     SELECT *, underlying_status NOT IN ('PAID', 'CANCELLED') AS is_open
     FROM accounts WHERE institution_id = $1 AND NOT voided
   ) AS own`,
);

/** All figures; those of the accounts counted anew, unless they are known. */
export async function healthFigures(
  on: Queryable,
  institution_id: string,
  { from, fresh_from }: HealthWindow,
  known?: BookFigures,
): Promise<HealthFigures> {
  const book = known ?? (await on.one(BOOK, [institution_id, fresh_from]));
  return { ...(await on.one(RATES, [institution_id, from])), ...book };
}

/** An account that something was found on. */
export interface FoundAccount {
  readonly code: FindingCode;
  readonly account_id: string;
  readonly external_account_id: string;
  /** Of all that the same was found on. */
  readonly account_count: bigint;
}

// Ranked and counted in one pass; events are looked up for accounts in trouble or doubt only. A
// flag's own last word is taken from its events: reviews of the network show the same status.
const FINDINGS = statement<FoundAccount>(
  'reporting_health_findings',
  `WITH found AS (
     SELECT id, external_account_id, code
     FROM (
       SELECT *, state -> 'episodes' AS episodes FROM accounts
       WHERE institution_id = $1 AND NOT voided
         AND (underlying_status IN ('DELINQUENT', 'WRITTEN_OFF', 'PAST_DUE') OR status = 'DISPUTED')
     ) AS accounts
     CROSS JOIN LATERAL (
       SELECT 'DELINQUENT_WITHOUT_BALANCE' AS code
       WHERE underlying_status = 'DELINQUENT' AND balance_minor = 0
       UNION ALL
       SELECT 'WRITTEN_OFF_WITHOUT_DELINQUENCY'
       WHERE underlying_status = 'WRITTEN_OFF' AND NOT EXISTS (
         SELECT FROM json_array_elements(episodes) AS episode
         WHERE episode ->> 'past_due_since_ms' IS NOT NULL
       )
       UNION ALL
       SELECT 'PAST_DUE_AFTER_PAYMENT'
       WHERE underlying_status = 'PAST_DUE' AND EXISTS (
         SELECT FROM credit_events AS events
         WHERE events.subject_id = accounts.subject_id AND events.account_id = accounts.id
           AND events.event_type = 'PAYMENT_MADE' AND events.effect = 'EFFECTIVE'
           AND events.occurred_at < $2
           AND extract(epoch FROM events.occurred_at) * 1000
             >= (episodes -> -1 ->> 'past_due_since_ms')::numeric
       )
       UNION ALL
       SELECT 'DISPUTE_FLAG_TOO_OLD'
       FROM (
         SELECT event_type, occurred_at FROM credit_events AS events
         WHERE events.subject_id = accounts.subject_id AND events.account_id = accounts.id
           AND events.event_type IN ('DISPUTE_OPENED', 'DISPUTE_RESOLVED')
           AND NOT events.by_network AND events.effect = 'EFFECTIVE'
         ORDER BY events.occurred_at DESC, events.sequence DESC LIMIT 1
       ) AS flag
       WHERE status = 'DISPUTED' AND flag.event_type = 'DISPUTE_OPENED' AND flag.occurred_at < $4
     ) AS codes
   )
   SELECT code, id AS account_id, external_account_id, account_count
   FROM (
     SELECT *, row_number() OVER (PARTITION BY code ORDER BY id) AS place,
       count(*) OVER (PARTITION BY code) AS account_count
     FROM found
   ) AS ranked
   WHERE place <= $3
   ORDER BY code, id`,
);

/** From when on something should have been followed by something else. */
export interface StaleBefore {
  readonly payment: string;
  readonly flag: string;
}

/** The first accounts of each finding. */
export function healthFindings(
  on: Queryable,
  institution_id: string,
  stale_before: StaleBefore,
  limit: number,
): Promise<FoundAccount[]> {
  const { payment, flag } = stale_before;
  return on.query(FINDINGS, [institution_id, payment, limit, flag]);
}

const SUBMITTED = columns({
  institution_id: column('uuid'),
  submitted: column('integer'),
  rejected: column('integer'),
});

const COUNT = batchStatement(
  'submission_days_count',
  { now: 'timestamptz', counts: SUBMITTED },
  (sql) => `INSERT INTO submission_days AS known (day, slot, ${SUBMITTED.names()})
   SELECT ${sql.now} AT TIME ZONE 'UTC', pg_backend_pid() % 16, ${SUBMITTED.names()}
   FROM unnest(${sql.counts}) AS new (${SUBMITTED.names()})
   ORDER BY institution_id
   ON CONFLICT (institution_id, day, slot) DO UPDATE
     SET submitted = known.submitted + excluded.submitted,
         rejected = known.rejected + excluded.rejected`,
);

/** Items of one institution that came in, and those of them that were refused. */
export interface Submissions {
  readonly institution_id: string;
  readonly submitted: number;
  readonly rejected: number;
}

export async function countSubmissions(
  on: Queryable,
  now: string,
  counts: readonly Submissions[],
): Promise<void> {
  await on.execute(COUNT, COUNT.values({ now, counts }));
}
