import { type Queryable, statement } from '@credit/platform/db';

const INSERT = statement(
  'corrected_dispute_insert',
  `INSERT INTO corrected_disputes (dispute_id, institution_id, resolved_at) VALUES ($1, $2, $3)
   ON CONFLICT (dispute_id) DO NOTHING`,
);

/** Keeps, for reporting health, that a dispute was resolved against what an institution reported. */
export async function insertCorrectedDispute(
  on: Queryable,
  dispute: {
    readonly dispute_id: string;
    readonly institution_id: string;
    readonly resolved_at: string;
  },
): Promise<void> {
  await on.execute(INSERT, [dispute.dispute_id, dispute.institution_id, dispute.resolved_at]);
}

const IS_KNOWN = statement<{ is_known: boolean }>(
  'corrected_dispute_is_known',
  'SELECT EXISTS (SELECT FROM corrected_disputes WHERE dispute_id = $1) AS is_known',
);

/** Whether a dispute of a group counts already. */
export async function isCorrectedDispute(on: Queryable, group_id: string): Promise<boolean> {
  return (await on.one(IS_KNOWN, [group_id])).is_known;
}
