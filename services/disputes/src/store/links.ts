import { type Queryable, statement } from '@credit/platform/db';

const KEEP = statement(
  'dispute_link_keep',
  // Told of a dispute that there is not, there is nothing to open.
  `INSERT INTO dispute_links (token_sha256, dispute_id)
   SELECT $1, id FROM disputes WHERE id = $2
   ON CONFLICT (token_sha256) DO NOTHING`,
);

/** Opens a dispute to whoever has the token of this hash, which was mailed to its opener. */
export async function keepLink(
  on: Queryable,
  dispute_id: string,
  token_sha256: Buffer,
): Promise<void> {
  await on.execute(KEEP, [token_sha256, dispute_id]);
}

const FIND = statement<{ is_mailed: boolean }>(
  'dispute_link_find',
  `SELECT EXISTS (
     SELECT FROM dispute_links WHERE token_sha256 = $1 AND dispute_id = $2) AS is_mailed`,
);

/** Whether the token of this hash was mailed to the opener of the dispute. */
export async function isMailedLink(
  on: Queryable,
  dispute_id: string,
  token_sha256: Buffer,
): Promise<boolean> {
  return (await on.one(FIND, [token_sha256, dispute_id])).is_mailed;
}
