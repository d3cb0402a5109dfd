-- outside a transaction
-- An institution asks what has changed since it asked last, in the order of the changes.
CREATE INDEX CONCURRENTLY IF NOT EXISTS accounts_of_institution_by_change
  ON accounts (institution_id, updated_at, id);
