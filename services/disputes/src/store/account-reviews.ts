import { type Queryable, statement } from '@credit/platform/db';

/** How an account stands, and how it should. */
export interface AccountReview {
  readonly open_reviews: number;
  /** How often it was put under review and back: under review when this is odd. */
  readonly toggles_done: bigint;
  readonly next_change_id: string;
}

const COUNT = statement(
  'account_review_count',
  // A review that ends has begun, so its row is there; the check looks at the new row even then.
  `INSERT INTO account_reviews (account_id, open_reviews, next_change_id)
   VALUES ($1, greatest($2::integer, 0), $3)
   ON CONFLICT (account_id) DO UPDATE SET open_reviews = account_reviews.open_reviews + $2`,
);

/** Counts a review that begins (1) or ends (-1). */
export async function countReview(
  on: Queryable,
  account_id: string,
  added: 1 | -1,
  new_change_id: string,
): Promise<void> {
  await on.execute(COUNT, [account_id, added, new_change_id]);
}

const READ = statement<AccountReview>(
  'account_review_read',
  `SELECT open_reviews, toggles_done, next_change_id FROM account_reviews WHERE account_id = $1`,
);

/** How an account stands that has been counted. */
export function readReview(on: Queryable, account_id: string): Promise<AccountReview> {
  return on.one(READ, [account_id]);
}

const TOGGLED = statement(
  'account_review_toggled',
  `UPDATE account_reviews SET toggles_done = toggles_done + 1, next_change_id = $3
   WHERE account_id = $1 AND next_change_id = $2`,
);

/** Says that a change was made; it counts once, whoever says it how often. */
export async function reviewToggled(
  on: Queryable,
  account_id: string,
  change_id: string,
  new_change_id: string,
): Promise<void> {
  await on.execute(TOGGLED, [account_id, change_id, new_change_id]);
}
