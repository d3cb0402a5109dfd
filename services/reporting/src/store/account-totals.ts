// What an institution's accounts come to. Triggers on `accounts` keep it: see the migration.

import { type Queryable, statement } from '@credit/platform/db';
import type { AccountStatus } from '../domain/vocabulary';

/** Accounts of one status and currency. */
export interface AccountGroup {
  readonly status: AccountStatus;
  readonly currency: string;
  readonly accounts: bigint;
  readonly balance_minor: bigint;
  readonly original_principal_minor: bigint;
  readonly credit_limit_minor: bigint;
}

/** All of an institution's accounts. */
export interface AccountTotals {
  readonly accounts: bigint;
  readonly voided: bigint;
  readonly disputed: bigint;
  readonly updated_at: string | undefined;
  /** Of those on file: combinations of status and currency. */
  readonly groups: number;
}

// Rows are folded, a few for each combination: their number does not grow with that of the accounts.
const FOLDED = `SELECT status, currency, sum(accounts) AS accounts,
     sum(balance_minor) AS balance_minor,
     sum(original_principal_minor) AS original_principal_minor,
     sum(credit_limit_minor) AS credit_limit_minor, max(updated_at) AS updated_at
   FROM account_totals WHERE institution_id = $1
   GROUP BY currency, status`;

const TOTALS = statement<AccountTotals>(
  'account_totals_sum',
  `SELECT coalesce(sum(accounts) FILTER (WHERE status <> 'VOIDED'), 0)::bigint AS accounts,
     coalesce(sum(accounts) FILTER (WHERE status = 'VOIDED'), 0)::bigint AS voided,
     coalesce(sum(accounts) FILTER (WHERE status = 'DISPUTED'), 0)::bigint AS disputed,
     max(updated_at) AS updated_at,
     (count(*) FILTER (WHERE status <> 'VOIDED' AND accounts > 0))::integer AS groups
   FROM (${FOLDED}) AS folded`,
);

const atMost = (sum: string) => `least(${sum}, 9223372036854775807)::bigint AS ${sum}`;

const GROUPS = statement<AccountGroup>(
  'account_totals_groups',
  `SELECT * FROM (
     SELECT status, currency, accounts::bigint AS accounts, ${atMost('balance_minor')},
       ${atMost('original_principal_minor')}, ${atMost('credit_limit_minor')}
     FROM (${FOLDED}) AS folded
     WHERE status <> 'VOIDED' AND accounts > 0
     ORDER BY accounts DESC, currency, status LIMIT $2
   ) AS most
   ORDER BY currency, status`,
);

export function accountTotals(on: Queryable, institution_id: string): Promise<AccountTotals> {
  return on.one(TOTALS, [institution_id]);
}

/** The groups with the most accounts, by currency and status. */
export function accountGroups(
  on: Queryable,
  institution_id: string,
  limit: number,
): Promise<AccountGroup[]> {
  return on.query(GROUPS, [institution_id, limit]);
}

/** How many accounts have a status. */
export interface AccountCount {
  readonly status: AccountStatus;
  readonly count: bigint;
}

const BY_STATUS = statement<AccountCount>(
  'account_totals_by_status',
  `SELECT status, sum(accounts)::bigint AS count FROM account_totals
   WHERE status <> 'VOIDED'
   GROUP BY status HAVING sum(accounts) > 0 ORDER BY status`,
);

/** All accounts on file in the environment. */
export function countAccountsByStatus(on: Queryable): Promise<AccountCount[]> {
  return on.query(BY_STATUS);
}
