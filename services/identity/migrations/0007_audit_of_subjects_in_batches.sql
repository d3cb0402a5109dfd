-- outside a transaction
-- A batch's entry names its subjects in `changes`: whoever asks for a subject finds it by that.
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_events_of_batches_of_subjects
  ON audit_events USING gin ((changes::jsonb -> 'subject_ids')) WHERE target_type = 'batch';
