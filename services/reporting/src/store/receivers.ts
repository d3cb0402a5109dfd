import { type Queryable, statement } from '@credit/platform/db';
import { toText } from './time';

// Institutions with a stake in the subject: they hold an account of it that is not cancelled, or
// have an application of it before them. Ordered, so that the same facts give the same event.
const RECEIVERS = statement<{ subject_id: string; institution_ids: string[] }>(
  'notice_receivers',
  `SELECT subject_id, array_agg(DISTINCT institution_id::text ORDER BY institution_id::text)
     AS institution_ids
   FROM (
     SELECT subject_id, institution_id FROM accounts
     WHERE subject_id = ANY ($1::uuid[]) AND underlying_status <> 'CANCELLED'
     UNION ALL
     SELECT subject_id, institution_id FROM inquiries
     WHERE subject_id = ANY ($1::uuid[]) AND created_at >= $2 AND inquiry_type = 'HARD'
       AND voided_at IS NULL
   ) AS stakes
   GROUP BY subject_id`,
);

/** Who hears of defaults and delinquencies of these subjects, beside who reported them. */
export async function receiversOf(
  on: Queryable,
  subject_ids: readonly string[],
  applications_since_ms: number,
): Promise<Map<string, string[]>> {
  const rows = await on.query(RECEIVERS, [subject_ids, toText(applications_since_ms)]);
  return new Map(rows.map((row) => [row.subject_id, row.institution_ids]));
}

const RECEIVERS_AT = statement<{ institution_id: string }>(
  'notice_receivers_at',
  `SELECT institution_id::text FROM accounts
   WHERE subject_id = $1 AND created_at <= $3 AND underlying_status <> 'CANCELLED'
   UNION
   SELECT institution_id::text FROM inquiries
   WHERE subject_id = $1 AND created_at BETWEEN $2 AND $3 AND inquiry_type = 'HARD'`,
);

/** Who had a stake in a subject at a time, as near as the record still tells. */
export async function receiversAt(
  on: Queryable,
  subject_id: string,
  applications_since_ms: number,
  at_ms: number,
): Promise<string[]> {
  const rows = await on.query(RECEIVERS_AT, [
    subject_id,
    toText(applications_since_ms),
    toText(at_ms),
  ]);
  return rows.map((row) => row.institution_id);
}

const LOOKERS = statement<{ subject_id: string; institution_ids: string[] }>(
  'notice_lookers',
  // What was refused is in another table, and whose look was voided had no right to see anything.
  `SELECT subject_id, array_agg(DISTINCT institution_id::text ORDER BY institution_id::text)
     AS institution_ids
   FROM inquiries
   WHERE subject_id = ANY ($1::uuid[]) AND created_at >= $2 AND voided_at IS NULL
   GROUP BY subject_id`,
);

/** Who was shown these subjects' files since a time. */
export async function lookersOf(
  on: Queryable,
  subject_ids: readonly string[],
  since_ms: number,
): Promise<Map<string, string[]>> {
  const rows = await on.query(LOOKERS, [subject_ids, toText(since_ms)]);
  return new Map(rows.map((row) => [row.subject_id, row.institution_ids]));
}
