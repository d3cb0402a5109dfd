import { type Queryable, statement } from '@credit/platform/db';

const TAKE_DISPUTE = statement(
  'sandboxes_take_dispute',
  // The row is locked until the commit: an institution's disputes are opened one after another.
  `INSERT INTO sandboxes AS known (institution_id, day, disputes)
   VALUES ($1, $2::timestamptz AT TIME ZONE 'UTC', 1)
   ON CONFLICT (institution_id) DO UPDATE
     SET day = excluded.day,
         disputes = CASE WHEN known.day = excluded.day THEN known.disputes + 1 ELSE 1 END
     WHERE known.day <> excluded.day OR known.disputes < $3`,
);

/** Counts one more dispute of the day; false when there have been as many as may be. */
export async function takeSandboxDispute(
  on: Queryable,
  institution_id: string,
  now: string,
  most: number,
): Promise<boolean> {
  return (await on.execute(TAKE_DISPUTE, [institution_id, now, most])) === 1;
}

const UNDECIDED = statement<{ id: string }>(
  'sandboxes_undecided',
  // One on its way to a decision has it soon.
  `SELECT id FROM disputes
   WHERE sandbox_institution_id = $1 AND status IN ('OPEN', 'UNDER_REVIEW')
     AND pending_move_id IS NULL
   ORDER BY id LIMIT $2`,
);

/** The oldest disputes that an institution opened in test and nobody has decided. */
export async function undecidedOfSandbox(
  on: Queryable,
  institution_id: string,
  limit: number,
): Promise<readonly string[]> {
  return (await on.query(UNDECIDED, [institution_id, limit])).map(({ id }) => id);
}
