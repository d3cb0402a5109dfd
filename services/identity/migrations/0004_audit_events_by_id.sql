-- outside a transaction
-- Where an entry stands, for its proof.
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_events_by_id ON audit_events (chain_id, id);
