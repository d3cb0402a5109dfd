-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS disputes_of_person ON disputes (person_subject_id, id)
  WHERE person_subject_id IS NOT NULL;
