import { type Queryable, statement } from '@credit/platform/db';
import { REQUEST_WINDOW_MS } from '../domain/inquiry';
import type { Look } from './inquiries';
import { toText } from './time';

/** That a subject asked for its own file by an institution's hand. */
export interface SubjectRequest {
  readonly subject_id: string;
  readonly institution_id: string;
  readonly asked_at: string;
}

const KEEP = statement(
  'subject_requests_keep',
  // Events of two links may come in any order.
  `INSERT INTO subject_requests AS known (subject_id, institution_id, asked_at)
   VALUES ($1, $2, $3)
   ON CONFLICT (subject_id, institution_id)
   DO UPDATE SET asked_at = greatest(known.asked_at, excluded.asked_at)`,
);

export async function keepSubjectRequest(on: Queryable, asked: SubjectRequest): Promise<void> {
  await on.execute(KEEP, [asked.subject_id, asked.institution_id, asked.asked_at]);
}

const ASKED = statement<{ subject_id: string; institution_id: string }>(
  'subject_requests_among',
  `SELECT DISTINCT subject_id, institution_id
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, institution_id)
   JOIN subject_requests USING (subject_id, institution_id)
   WHERE asked_at > $3`,
);

/** For which of the lookers their subject asked after a time, as `subject:institution`. */
export async function lookersAskedSince(
  on: Queryable,
  looks: readonly Pick<Look, 'subject_id' | 'institution_id'>[],
  since_ms: number,
): Promise<Set<string>> {
  const rows = await on.query(ASKED, [
    looks.map((look) => look.subject_id),
    looks.map((look) => look.institution_id),
    toText(since_ms),
  ]);
  return new Set(rows.map((row) => `${row.subject_id}:${row.institution_id}`));
}

const SWEEP = statement(
  'subject_requests_sweep',
  `DELETE FROM subject_requests WHERE (subject_id, institution_id) IN (
     SELECT subject_id, institution_id FROM subject_requests
     WHERE asked_at < now() - make_interval(secs => $2)
     ORDER BY asked_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
);

/** Deletes up to `limit` that prove nothing any more. */
export function sweepSubjectRequests(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit, REQUEST_WINDOW_MS / 1_000]);
}
