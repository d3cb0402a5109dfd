-- outside a transaction
-- What an institution opened in test and has no outcome.
CREATE INDEX CONCURRENTLY IF NOT EXISTS disputes_of_sandbox ON disputes (sandbox_institution_id, id)
  WHERE sandbox_institution_id IS NOT NULL AND status IN ('OPEN', 'UNDER_REVIEW');
