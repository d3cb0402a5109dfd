import { type Queryable, statement } from '@credit/platform/db';
import type { Account } from '../domain/ledger';
import type { AccountStatus, UnderlyingStatus } from '../domain/vocabulary';
import { ACCOUNT, type AccountRow, toAccount } from './accounts';
import type { AccountKey } from './events';

/** An account with what listings and receivers ask for, as its row says it. */
export interface StoredAccount {
  readonly account: Account;
  readonly status: AccountStatus;
  readonly underlying_status: UnderlyingStatus;
  readonly balance_minor: bigint;
}

const PAGE = statement<
  AccountRow & {
    status: AccountStatus;
    underlying_status: UnderlyingStatus;
    balance_minor: bigint;
  }
>(
  'accounts_stored_page',
  `SELECT ${ACCOUNT.names('accounts')}, accounts.status, accounts.underlying_status, accounts.balance_minor
   FROM accounts
   WHERE (subject_id, id) > ($1, $2)
   ORDER BY subject_id, id LIMIT $3`,
);

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Every account of the environment by its key, after one of them. */
export async function pageOfStored(
  on: Queryable,
  after: AccountKey | undefined,
  limit: number,
): Promise<StoredAccount[]> {
  const rows = await on.query(PAGE, [
    after?.subject_id ?? FIRST,
    after?.account_id ?? FIRST,
    limit,
  ]);
  return rows.map((row) => ({
    account: toAccount(row),
    status: row.status,
    underlying_status: row.underlying_status,
    balance_minor: row.balance_minor,
  }));
}
