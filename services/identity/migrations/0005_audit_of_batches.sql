-- outside a transaction
-- A batch's entry names its accounts in `changes`: whoever asks for an account finds it by that.
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_events_of_batches
  ON audit_events USING gin ((changes::jsonb -> 'account_ids')) WHERE target_type = 'batch';
