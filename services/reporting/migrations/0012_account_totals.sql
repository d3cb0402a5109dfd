-- How many accounts an institution has and what they come to: kept, because a book of a million is too
-- many to count for each look at it. A slot per connection, so that connections need not wait for each
-- other; a trigger, so that whatever changes an account counts it, of any version that runs meanwhile.
CREATE TABLE account_totals (
  institution_id uuid NOT NULL,
  -- VOIDED for what is off the file.
  status text NOT NULL,
  currency text NOT NULL,
  -- -1 for what was there before this table.
  slot smallint NOT NULL,
  accounts bigint NOT NULL,
  -- Sums may outgrow a bigint.
  balance_minor numeric NOT NULL,
  original_principal_minor numeric NOT NULL,
  credit_limit_minor numeric NOT NULL,
  -- The latest change of an account that was counted here.
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (institution_id, currency, status, slot)
) WITH (fillfactor = 50);

-- What came or went, by the trigger's argument.
CREATE FUNCTION count_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_totals AS known (institution_id, status, currency, slot, accounts, balance_minor,
    original_principal_minor, credit_limit_minor, updated_at)
  SELECT institution_id, CASE WHEN voided THEN 'VOIDED' ELSE status END AS shown, currency,
    pg_backend_pid() % 16, TG_ARGV[0]::integer * count(*),
    TG_ARGV[0]::integer * sum(balance_minor),
    TG_ARGV[0]::integer * sum(original_principal_minor),
    TG_ARGV[0]::integer * coalesce(sum((state ->> 'credit_limit_minor')::bigint), 0),
    max(updated_at)
  FROM counted
  GROUP BY institution_id, currency, shown
  ORDER BY institution_id, currency, shown
  ON CONFLICT (institution_id, currency, status, slot) DO UPDATE
    SET accounts = known.accounts + excluded.accounts,
        balance_minor = known.balance_minor + excluded.balance_minor,
        original_principal_minor
          = known.original_principal_minor + excluded.original_principal_minor,
        credit_limit_minor = known.credit_limit_minor + excluded.credit_limit_minor,
        updated_at = greatest(known.updated_at, excluded.updated_at);
  RETURN NULL;
END
$$;

-- What came and what went, together: mostly they are of one row.
CREATE FUNCTION count_changed_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_totals AS known (institution_id, status, currency, slot, accounts, balance_minor,
    original_principal_minor, credit_limit_minor, updated_at)
  SELECT institution_id, CASE WHEN voided THEN 'VOIDED' ELSE status END AS shown, currency,
    pg_backend_pid() % 16, sum(sign), sum(sign * balance_minor),
    sum(sign * original_principal_minor),
    coalesce(sum(sign * (state ->> 'credit_limit_minor')::bigint), 0),
    max(updated_at)
  FROM (
    SELECT 1 AS sign, institution_id, voided, status, currency, balance_minor,
      original_principal_minor, state, updated_at
    FROM come
    UNION ALL
    SELECT -1, institution_id, voided, status, currency, balance_minor,
      original_principal_minor, state, updated_at
    FROM gone
  ) AS counted
  GROUP BY institution_id, currency, shown
  ORDER BY institution_id, currency, shown
  ON CONFLICT (institution_id, currency, status, slot) DO UPDATE
    SET accounts = known.accounts + excluded.accounts,
        balance_minor = known.balance_minor + excluded.balance_minor,
        original_principal_minor
          = known.original_principal_minor + excluded.original_principal_minor,
        credit_limit_minor = known.credit_limit_minor + excluded.credit_limit_minor,
        updated_at = greatest(known.updated_at, excluded.updated_at);
  RETURN NULL;
END
$$;

CREATE TRIGGER count_new_accounts AFTER INSERT ON accounts
  REFERENCING NEW TABLE AS counted
  FOR EACH STATEMENT EXECUTE FUNCTION count_accounts('1');
CREATE TRIGGER count_removed_accounts AFTER DELETE ON accounts
  REFERENCING OLD TABLE AS counted
  FOR EACH STATEMENT EXECUTE FUNCTION count_accounts('-1');
CREATE TRIGGER count_changed_accounts AFTER UPDATE ON accounts
  REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_accounts();
