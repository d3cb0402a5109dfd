import type { Harness } from '../harness';

/** What a summary says, counted from the accounts themselves. */
export async function countedOf(harness: Harness, institution_id: string) {
  const rows = await harness.rows<Record<string, string | null>>(
    'live',
    `SELECT CASE WHEN voided THEN 'VOIDED' ELSE status END AS status, currency,
       count(*) AS account_count, sum(balance_minor) AS balance_minor,
       sum(original_principal_minor) AS original_principal_minor,
       coalesce(sum((state ->> 'credit_limit_minor')::bigint), 0) AS credit_limit_minor
     FROM accounts WHERE institution_id = $1
     GROUP BY 1, 2 ORDER BY 2, 1`,
    [institution_id],
  );
  const [{ at } = { at: null }] = await harness.rows<{ at: Date | null }>(
    'live',
    'SELECT max(updated_at) AS at FROM accounts WHERE institution_id = $1',
    [institution_id],
  );
  const groups = rows.map(({ status, currency, ...sums }) => ({
    status,
    currency,
    account_count: BigInt(sums.account_count ?? 0),
    balance_minor: BigInt(sums.balance_minor ?? 0),
    original_principal_minor: BigInt(sums.original_principal_minor ?? 0),
    credit_limit_minor: BigInt(sums.credit_limit_minor ?? 0),
  }));
  const count = (isCounted: (status: unknown) => boolean) =>
    groups.reduce((sum, { status, account_count }) => {
      return isCounted(status) ? sum + account_count : sum;
    }, 0n);
  return {
    account_count: count((status) => status !== 'VOIDED'),
    voided_count: count((status) => status === 'VOIDED'),
    disputed_count: count((status) => status === 'DISPUTED'),
    last_reported_at: at?.toISOString(),
    groups: groups.filter(({ status }) => status !== 'VOIDED'),
    groups_left_off: 0,
  };
}
