-- outside a transaction
-- The desk's queue.
CREATE INDEX CONCURRENTLY IF NOT EXISTS disputes_by_due_date ON disputes (due_at, id)
  WHERE status IN ('OPEN', 'UNDER_REVIEW');
