-- When the records that a dispute is about were last moved to another subject: moves are told in no order,
-- and an older one must not have the last word.
ALTER TABLE disputes ADD COLUMN records_moved_at timestamptz;
