-- outside a transaction
-- What moves with an account.
CREATE INDEX CONCURRENTLY IF NOT EXISTS disputes_of_account ON disputes (account_id)
  WHERE account_id IS NOT NULL;
