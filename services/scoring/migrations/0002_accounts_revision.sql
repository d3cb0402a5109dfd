-- Another one whenever a row of the subject's accounts changes: what was worked out from them
-- holds as long as it stays. Random, so that a rebuilt schema never repeats one.
ALTER TABLE subject_heads
  ADD COLUMN accounts_revision uuid NOT NULL DEFAULT gen_random_uuid();

-- For the sweep of those that nothing looks at any more.
CREATE INDEX inquiry_projections_by_day ON inquiry_projections (day);
