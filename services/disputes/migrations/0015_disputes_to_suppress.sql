-- outside a transaction
-- What is to be left out and is not yet.
CREATE INDEX CONCURRENTLY IF NOT EXISTS disputes_to_suppress ON disputes (id)
  WHERE suppression_state = 'WANTED';
