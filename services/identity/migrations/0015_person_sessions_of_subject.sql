-- outside a transaction
-- Sessions end when their subject's records are moved.
CREATE INDEX CONCURRENTLY IF NOT EXISTS person_sessions_open ON person_sessions (subject_id)
  WHERE revoked_at IS NULL;
