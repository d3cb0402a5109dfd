import { type Queryable, statement } from '@credit/platform/db';

/** An account that does not stand in reporting as its reviews are counted. */
export interface UnsettledAccount {
  readonly account_id: string;
  readonly open_reviews: number;
  /** Names the change that it needs. */
  readonly next_change_id: string;
}

const BEGIN = statement(
  'account_reviews_begin',
  // In the order of the accounts, as two who count the same ones must not wait for each other.
  `WITH begun AS (
     INSERT INTO dispute_reviews (dispute_id, account_id, begun_by)
     SELECT $1, account_id, $2 FROM unnest($3::uuid[]) AS covered (account_id)
     ON CONFLICT (dispute_id, account_id) DO NOTHING
     RETURNING account_id
   )
   INSERT INTO account_reviews (account_id, open_reviews, next_change_id)
   SELECT account_id, 1, change_id
   FROM begun JOIN unnest($3::uuid[], $4::uuid[]) AS covered (account_id, change_id)
     USING (account_id)
   ORDER BY account_id
   ON CONFLICT (account_id) DO UPDATE SET open_reviews = account_reviews.open_reviews + 1`,
);

/** Counts the reviews of accounts that a dispute's move begins. */
export async function beginReviews(
  on: Queryable,
  { dispute_id, move_id }: { readonly dispute_id: string; readonly move_id: string },
  account_ids: readonly string[],
  newId: () => string,
): Promise<void> {
  await on.execute(BEGIN, [dispute_id, move_id, account_ids, account_ids.map(newId)]);
}

// A review that a process of the version before began has no row yet: it is its original's only.
const KEEP_OLD = statement(
  'account_reviews_keep_old',
  `INSERT INTO dispute_reviews (dispute_id, account_id)
   SELECT id, account_id FROM disputes
   WHERE pending_move_id = $1 AND status = 'UNDER_REVIEW' AND duplicate_of IS NULL
     AND credit_event_id IS NOT NULL AND account_id IS NOT NULL
   ON CONFLICT (dispute_id, account_id) DO NOTHING`,
);
const END = statement(
  'account_reviews_end',
  `WITH ended AS (
     UPDATE dispute_reviews SET ended_by = $1
     WHERE ended_by IS NULL
       AND dispute_id IN (SELECT id FROM disputes WHERE pending_move_id = $1)
     RETURNING account_id
   ),
   counted AS (SELECT account_id, count(*)::integer AS ended FROM ended GROUP BY account_id),
   locked AS MATERIALIZED (
     SELECT account_id, ended FROM account_reviews JOIN counted USING (account_id)
     ORDER BY account_id FOR UPDATE OF account_reviews
   )
   UPDATE account_reviews SET open_reviews = open_reviews - ended
   FROM locked WHERE account_reviews.account_id = locked.account_id`,
);

/** Counts the end of all reviews of the disputes that a move decides. */
export async function endReviews(on: Queryable, move_id: string): Promise<void> {
  await on.execute(KEEP_OLD, [move_id]);
  await on.execute(END, [move_id]);
}

const UNSETTLED = statement<UnsettledAccount>(
  'account_reviews_unsettled',
  `SELECT account_id, open_reviews, next_change_id FROM account_reviews
   WHERE (open_reviews > 0) <> (toggles_done % 2 = 1)
     AND account_id IN (
       SELECT account_id FROM dispute_reviews WHERE begun_by = $1
       UNION SELECT account_id FROM dispute_reviews WHERE ended_by = $1)
   ORDER BY account_id LIMIT $2`,
);

/** Accounts whose reviews a move has counted, and that do not stand so yet. */
export function unsettledAccounts(
  on: Queryable,
  move_id: string,
  limit: number,
): Promise<UnsettledAccount[]> {
  return on.query(UNSETTLED, [move_id, limit]);
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

const ENDING = statement<{ account_id: string }>(
  'account_reviews_ending',
  `SELECT account_id FROM account_reviews
   JOIN (
     SELECT account_id, count(*)::integer AS own FROM dispute_reviews
     WHERE ended_by IS NULL AND dispute_id = ANY ($1::uuid[])
     GROUP BY account_id
   ) AS reviews USING (account_id)
   WHERE open_reviews <= own
   ORDER BY account_id LIMIT $2`,
);

/** Accounts under review for these disputes and no other, up to a bound. */
export async function accountsReviewedOnlyFor(
  on: Queryable,
  dispute_ids: readonly string[],
  limit: number,
): Promise<string[]> {
  return (await on.query(ENDING, [dispute_ids, limit])).map(({ account_id }) => account_id);
}
