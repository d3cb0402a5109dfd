-- outside a transaction
-- The addresses that are to be deleted.
CREATE INDEX CONCURRENTLY IF NOT EXISTS disputes_contact_to_delete ON disputes (resolved_at)
  WHERE contact_email IS NOT NULL;
