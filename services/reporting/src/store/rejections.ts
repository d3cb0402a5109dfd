import {
  batchStatement,
  column,
  columns,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';

const REJECTED = columns({
  institution_id: column('uuid'),
  operation: column('text'),
  reason: column('text'),
  field: column('text'),
  count: column('bigint'),
  request_id: column('text'),
});
/** Items that were refused for one cause, and the last request that had one. */
export type Rejection = RowOf<typeof REJECTED>;

/** Rows of an institution's day; what goes beyond is counted together. */
export const MAX_ROWS_A_DAY = 200;
/** Kept and shown. */
export const REJECTION_DAYS = 7;

// Who sends ever other fields fills the day's rows and nothing more. In one order whoever counts, so
// that two cannot wait for each other.
const COUNT = batchStatement(
  'rejections_count',
  { now: 'timestamptz', rejections: REJECTED },
  (sql) => `WITH sent AS (
     SELECT new.*, known.institution_id IS NOT NULL AS is_known,
       row_number() OVER (PARTITION BY new.institution_id, known.institution_id IS NULL) AS place
     FROM unnest(${sql.rejections}) AS new (${REJECTED.names()})
     LEFT JOIN rejections AS known
       ON known.institution_id = new.institution_id
      AND known.day = (${sql.now} AT TIME ZONE 'UTC')::date
      AND known.operation = new.operation AND known.reason = new.reason
      AND known.field = new.field
   ), placed AS (
     SELECT sent.*, is_known OR place + (
         SELECT count(*) FROM rejections AS held
         WHERE held.institution_id = sent.institution_id
           AND held.day = (${sql.now} AT TIME ZONE 'UTC')::date
       ) <= ${MAX_ROWS_A_DAY} AS has_room
     FROM sent
   )
   INSERT INTO rejections AS known (day, ${REJECTED.names()}, last_at)
   SELECT (${sql.now} AT TIME ZONE 'UTC')::date, institution_id,
     CASE WHEN has_room THEN operation ELSE '' END,
     CASE WHEN has_room THEN reason ELSE '' END,
     CASE WHEN has_room THEN field ELSE '' END,
     sum(count), max(request_id), ${sql.now}
   FROM placed GROUP BY 2, 3, 4, 5 ORDER BY 2, 3, 4, 5
   ON CONFLICT (institution_id, day, operation, reason, field) DO UPDATE
     SET count = known.count + excluded.count, request_id = excluded.request_id,
         last_at = excluded.last_at`,
);

/** Adds to the day's counts; no two of them have one key. */
export async function countRejections(
  on: Queryable,
  now: string,
  rejections: readonly Rejection[],
): Promise<void> {
  if (rejections.length > 0) await on.execute(COUNT, COUNT.values({ now, rejections }));
}

/** The same, as it is read. */
export interface RejectionOfDay extends Omit<Rejection, 'institution_id'> {
  readonly day: string;
  readonly last_at: string;
}

const LIST = statement<RejectionOfDay>(
  'rejections_list',
  `SELECT to_char(day, 'YYYY-MM-DD') AS day, operation, reason, field, count, request_id,
     last_at
   FROM rejections
   WHERE institution_id = $1 AND day > ($2::timestamptz AT TIME ZONE 'UTC')::date - ${REJECTION_DAYS}
   ORDER BY rejections.day DESC, count DESC, operation, reason, field LIMIT $3`,
);

/** An institution's last days, the latest first and of each day the most frequent. */
export function listRejections(
  on: Queryable,
  institution_id: string,
  now: string,
  limit: number,
): Promise<RejectionOfDay[]> {
  return on.query(LIST, [institution_id, now, limit]);
}

const SWEEP = statement(
  'rejections_sweep',
  `DELETE FROM rejections WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM rejections
     WHERE day <= (now() AT TIME ZONE 'UTC')::date - ${REJECTION_DAYS} LIMIT $1))`,
);

/** Deletes up to `limit` that are shown no more. */
export function sweepRejections(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
