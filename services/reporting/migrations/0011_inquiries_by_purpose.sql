-- outside a transaction
-- Of a purpose that is rare, a walk of all the institution's inquiries would find nothing for long.
CREATE INDEX CONCURRENTLY IF NOT EXISTS inquiries_of_institution_by_purpose
  ON inquiries (institution_id, purpose, id);
