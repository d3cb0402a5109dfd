-- The model that a subject's score was last worked out with: another one's is told apart from what
-- time or an event did.
ALTER TABLE subject_heads ADD COLUMN model_version text NOT NULL DEFAULT 'svc-score-1.0.0';

-- Checked of new rows at once and of old ones in the next migration: reading through them all must
-- not stop who writes.
ALTER TABLE score_snapshots DROP CONSTRAINT score_snapshots_trigger_type_check;
ALTER TABLE score_snapshots ADD CONSTRAINT score_snapshots_trigger_type_check
  CHECK (trigger_type IN ('EVENT', 'INQUIRY', 'AGEING', 'MODEL')) NOT VALID;

-- Nobody had authorised it: kept, and without effect.
ALTER TABLE inquiry_projections ADD COLUMN voided boolean NOT NULL DEFAULT false;
