-- outside a transaction
-- Other disputes about the same, beside the one that is decided.
CREATE INDEX CONCURRENTLY IF NOT EXISTS disputes_of_subject ON disputes (located_subject_id, id)
  WHERE located_subject_id IS NOT NULL;
