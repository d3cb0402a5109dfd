import { type Queryable, statement, type Transaction } from '@credit/platform/db';

/** Who was told of a default or delinquency. */
export interface Told {
  readonly credit_event_id: string;
  readonly receiver_institution_ids: readonly string[];
}

const KEEP = statement(
  'told_notices_keep',
  // Lists of different lengths cannot be one array: each comes as text that PostgreSQL reads.
  `INSERT INTO told_notices (credit_event_id, receiver_institution_ids)
   SELECT credit_event_id, receiver_institution_ids::uuid[]
   FROM unnest($1::uuid[], $2::text[]) AS new (credit_event_id, receiver_institution_ids)`,
);

export function keepTold(tx: Transaction, told: readonly Told[]): void {
  tx.write(KEEP, [
    told.map(({ credit_event_id }) => credit_event_id),
    told.map(({ receiver_institution_ids }) => `{${receiver_institution_ids.join(',')}}`),
  ]);
}

const READ = statement<{ credit_event_id: string; receiver_institution_ids: string[] }>(
  'told_notices_read',
  `SELECT credit_event_id, receiver_institution_ids FROM told_notices
   WHERE credit_event_id = ANY ($1::uuid[])`,
);

/** Who was told of these events; those told before it was kept are left out. */
export async function toldOf(
  on: Queryable,
  credit_event_ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const rows = await on.query(READ, [credit_event_ids]);
  return new Map(rows.map((row) => [row.credit_event_id, row.receiver_institution_ids]));
}
