-- What is on record less what has been counted since the migration before, both of one moment: nobody
-- has to stop writing meanwhile.
INSERT INTO account_totals (institution_id, status, currency, slot, accounts, balance_minor,
  original_principal_minor, credit_limit_minor, updated_at)
SELECT institution_id, shown, currency, -1, sum(accounts), sum(balance_minor),
  sum(original_principal_minor), sum(credit_limit_minor), max(updated_at)
FROM (
  SELECT institution_id, CASE WHEN voided THEN 'VOIDED' ELSE status END AS shown, currency,
    count(*) AS accounts, sum(balance_minor) AS balance_minor,
    sum(original_principal_minor) AS original_principal_minor,
    coalesce(sum((state ->> 'credit_limit_minor')::bigint), 0) AS credit_limit_minor,
    max(updated_at) AS updated_at
  FROM accounts
  GROUP BY institution_id, shown, currency
  UNION ALL
  SELECT institution_id, status, currency, -accounts, -balance_minor,
    -original_principal_minor, -credit_limit_minor, updated_at
  FROM account_totals
) AS found
GROUP BY institution_id, shown, currency;
