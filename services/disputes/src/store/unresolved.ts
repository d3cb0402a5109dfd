import { type Queryable, statement } from '@credit/platform/db';

const COUNT_UNRESOLVED = statement<{ unresolved: number; overdue: number }>(
  'dispute_count_unresolved',
  // By the index on the status: those with an outcome, the many, are not read.
  `SELECT count(*)::integer AS unresolved,
          (count(*) FILTER (WHERE due_at < now()))::integer AS overdue
     FROM disputes WHERE status IN ('OPEN', 'UNDER_REVIEW')`,
);

/** Disputes without an outcome, and those past their due date. */
export function countUnresolved(on: Queryable): Promise<{ unresolved: number; overdue: number }> {
  return on.one(COUNT_UNRESOLVED);
}
