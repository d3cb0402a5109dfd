-- outside a transaction
-- Those whose document is still there, among which all READY ones are.
CREATE INDEX CONCURRENTLY IF NOT EXISTS reports_of_institution_with_document
  ON reports (institution_id, id) WHERE content_bytes IS NOT NULL;
