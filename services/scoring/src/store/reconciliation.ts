import { type Queryable, statement } from '@credit/platform/db';

/** What a comparison with reporting came to. */
export interface ReconciliationResult {
  readonly subjects: number;
  readonly mismatches: number;
  readonly unmended: number;
  readonly deep: boolean;
}

const KEEP = statement(
  'reconciliation_keep',
  `INSERT INTO reconciliation (finished_at, subjects, mismatches, unmended, deep)
   VALUES (now(), $1, $2, $3, $4)
   ON CONFLICT (singleton) DO UPDATE
     SET finished_at = excluded.finished_at, subjects = excluded.subjects,
         mismatches = excluded.mismatches, unmended = excluded.unmended, deep = excluded.deep`,
);

const LAST = statement<{ age_s: number; mismatches: number; unmended: number }>(
  'reconciliation_last',
  `SELECT extract(epoch FROM now() - finished_at)::float8 AS age_s, mismatches, unmended
     FROM reconciliation`,
);

/** Remembers the result in place of the one before. */
export async function keepReconciliation(
  on: Queryable,
  { subjects, mismatches, unmended, deep }: ReconciliationResult,
): Promise<void> {
  await on.execute(KEEP, [subjects, mismatches, unmended, deep]);
}

/** The last result and its age; undefined before the first. */
export function lastReconciliation(
  on: Queryable,
): Promise<{ age_s: number; mismatches: number; unmended: number } | undefined> {
  return on.maybe(LAST);
}
