-- outside a transaction
-- What has been decided about a dispute, for its time line.
CREATE INDEX CONCURRENTLY IF NOT EXISTS dispute_moves_of_dispute ON dispute_moves (dispute_id);
