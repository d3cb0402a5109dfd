-- Read through by itself, while snapshots go on being written.
ALTER TABLE score_snapshots VALIDATE CONSTRAINT score_snapshots_trigger_type_check;
