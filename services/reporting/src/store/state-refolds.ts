import { type Queryable, statement, type Transaction } from '@credit/platform/db';
import type { Account } from '../domain/ledger';
import type { OwnAccount } from './accounts';
import type { AccountKey } from './events';
import { STATE_VERSION } from './state-codec';
import { toText } from './time';

/** Before every key. */
const FIRST: AccountKey = {
  subject_id: '00000000-0000-0000-0000-000000000000',
  account_id: '00000000-0000-0000-0000-000000000000',
};

const BEGIN = statement(
  'state_refolds_begin',
  `INSERT INTO state_refolds (state_version, after_subject_id, after_account_id)
   VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
);

const TAKE = statement<AccountKey & { done: boolean }>(
  'state_refolds_take',
  // Who finds it locked leaves the work to another replica.
  `SELECT after_subject_id AS subject_id, after_account_id AS account_id,
     done_at IS NOT NULL AS done
   FROM state_refolds WHERE state_version = $1 FOR UPDATE SKIP LOCKED`,
);

/** How far it has come, for this transaction's own; undefined when there is nothing to do here. */
export async function takeRefold(tx: Transaction): Promise<AccountKey | undefined> {
  await tx.execute(BEGIN, [STATE_VERSION, FIRST.subject_id, FIRST.account_id]);
  const row = await tx.maybe(TAKE, [STATE_VERSION]);
  return row === undefined || row.done ? undefined : row;
}

const PAGE = statement<AccountKey & OwnAccount & { is_stale: boolean }>(
  'state_refolds_page',
  // By key, so that each round reads on where the last one ended.
  `SELECT subject_id, id AS account_id, institution_id,
     (state ->> 'v') IS DISTINCT FROM $3 AS is_stale
   FROM accounts WHERE (subject_id, id) > ($1, $2)
   ORDER BY subject_id, id LIMIT $4`,
);

/** The next accounts by key, and which of them are of earlier rules. */
export function pageToRefold(
  on: Queryable,
  after: AccountKey,
  limit: number,
): Promise<(AccountKey & OwnAccount & { is_stale: boolean })[]> {
  return on.query(PAGE, [after.subject_id, after.account_id, String(STATE_VERSION), limit]);
}

const MOVE = statement(
  'state_refolds_move',
  `UPDATE state_refolds SET after_subject_id = $2, after_account_id = $3, done_at = $4
   WHERE state_version = $1`,
);

export async function moveRefold(
  tx: Transaction,
  after: AccountKey,
  done_at_ms: number | undefined,
): Promise<void> {
  await tx.execute(MOVE, [STATE_VERSION, after.subject_id, after.account_id, toText(done_at_ms)]);
}

/** The key of an account. */
export function keyOf({ facts }: Account): AccountKey {
  return { subject_id: facts.subject_id, account_id: facts.id };
}
