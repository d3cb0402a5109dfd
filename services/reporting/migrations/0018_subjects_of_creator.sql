-- outside a transaction
-- What an institution made and may clear.
CREATE INDEX CONCURRENTLY IF NOT EXISTS subjects_of_creator ON subjects (created_by_institution_id, id)
  WHERE cleared_at IS NULL;
