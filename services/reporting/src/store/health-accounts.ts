// Which accounts pull an institution's health down most.

import { batchStatement, column, columns, type Queryable, statement } from '@credit/platform/db';
import type { AccountMetric } from '../domain/reporting-health';

/** An account that lowers a metric. */
export interface LowAccount {
  readonly metric: AccountMetric;
  readonly subject_id: string;
  readonly account_id: string;
  readonly external_account_id: string;
  /** When it was first reported or had its last event, whichever is later. */
  readonly news_at: string;
  /** Terms that were never reported, by their names in the API. */
  readonly missing: readonly string[];
}

/** Which accounts to look for. */
export interface LowAccountQuery {
  readonly metrics: readonly AccountMetric[];
  /** An open account without news since then lowers FRESHNESS. */
  readonly fresh_from: string;
  /** Of each metric. */
  readonly limit: number;
}

/** The rules are those of the book's figures; of a metric that is not asked for nothing is read. */
const lowAccountsAmong = (accounts: string) => `WITH own AS NOT MATERIALIZED (
     SELECT accounts.subject_id, accounts.id AS account_id, external_account_id,
       underlying_status NOT IN ('PAID', 'CANCELLED') AS is_open,
       greatest(
         created_at, to_timestamp((state -> 'head' ->> 'occurred_at_ms')::numeric / 1000)
       ) AS news_at,
       array_remove(ARRAY[
         CASE WHEN maturity_at IS NULL THEN 'maturity_at' END,
         CASE WHEN interest_rate_bps IS NULL THEN 'interest_rate_bps' END,
         CASE WHEN payment_frequency IS NULL THEN 'payment_frequency' END
       ], NULL) AS missing
     FROM ${accounts} AND NOT voided
   ), low AS (
     (SELECT 'FRESHNESS' AS metric, own.* FROM own
      WHERE 'FRESHNESS' = ANY ($2::text[]) AND is_open AND news_at < $3
      ORDER BY news_at, account_id LIMIT $4)
     UNION ALL
     (SELECT 'COVERAGE', own.* FROM own
      WHERE 'COVERAGE' = ANY ($2::text[]) AND missing <> '{}'
      ORDER BY is_open DESC, cardinality(missing) DESC, account_id LIMIT $4)
   )
   SELECT metric, subject_id, account_id, external_account_id, news_at, missing FROM low`;

// Reads every account of the institution.
const FIND = statement<LowAccount>(
  'health_accounts_find',
  lowAccountsAmong('accounts WHERE institution_id = $1'),
);
const LIST = statement<LowAccount>(
  'health_accounts_list',
  lowAccountsAmong(`health_accounts AS kept
     JOIN accounts ON accounts.subject_id = kept.subject_id AND accounts.id = kept.account_id
     WHERE kept.institution_id = $1`),
);

/** The lowest accounts of a book, the worst of each metric first. Reads all its accounts. */
export function findLowAccounts(
  on: Queryable,
  institution_id: string,
  { metrics, fresh_from, limit }: LowAccountQuery,
): Promise<LowAccount[]> {
  return on.query(FIND, [institution_id, metrics, fresh_from, limit]);
}

/** The same of those that were kept; one that is as it should be by now is left out. */
export function listKeptLowAccounts(
  on: Queryable,
  institution_id: string,
  { metrics, fresh_from, limit }: LowAccountQuery,
): Promise<LowAccount[]> {
  return on.query(LIST, [institution_id, metrics, fresh_from, limit]);
}

const KEY = columns({ subject_id: column('uuid'), account_id: column('uuid') });

const FORGET = statement(
  'health_accounts_forget',
  'DELETE FROM health_accounts WHERE institution_id = $1',
);
const KEEP = batchStatement(
  'health_accounts_keep',
  { institution_id: 'uuid', accounts: KEY },
  (sql) => `INSERT INTO health_accounts (institution_id, ${KEY.names()})
   SELECT ${sql.institution_id}, ${KEY.names()} FROM unnest(${sql.accounts}) AS new (${KEY.names()})
   ON CONFLICT DO NOTHING`,
);

/** Keeps which accounts a look at a book found, in place of those of the look before. */
export async function keepLowAccounts(
  on: Queryable,
  institution_id: string,
  accounts: readonly LowAccount[],
): Promise<void> {
  await on.execute(FORGET, [institution_id]);
  await on.execute(KEEP, KEEP.values({ institution_id, accounts }));
}
