-- outside a transaction
-- An institution lists its own reports of one status, newest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS reports_of_institution_by_status
  ON reports (institution_id, status, id);
