-- outside a transaction
-- Carries what is counted of an institution's looks, so that of millions the index alone is read.
CREATE INDEX CONCURRENTLY IF NOT EXISTS inquiries_of_institution_counted
  ON inquiries (institution_id, id) INCLUDE (purpose, inquiry_type, created_at, consent_reference);
