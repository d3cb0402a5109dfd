-- Disputes that a person opens about its own file, and what they leave out of it for a time.
ALTER TABLE disputes
  -- Whose own file it is about, where that person has opened it.
  ADD COLUMN person_subject_id uuid,
  -- The whole account is contested; credit_event_id is its opening then.
  ADD COLUMN contested_account_id uuid,
  ADD COLUMN contested_inquiry_id uuid,
  -- The event behind the contested one and all its corrections.
  ADD COLUMN fact_event_id uuid,
  -- Why the record is left out, and how far that is.
  ADD COLUMN suppression text CHECK (suppression IN ('BLOCK', 'OVERDUE')),
  ADD COLUMN suppression_state text
    CHECK (suppression_state IN ('WANTED', 'DONE', 'ENDED', 'IMPOSSIBLE')),
  ADD COLUMN suppressed_since timestamptz;

ALTER TABLE dispute_moves DROP CONSTRAINT dispute_moves_step_check;
ALTER TABLE dispute_moves ADD CONSTRAINT dispute_moves_step_check
  CHECK (step IN ('LOCATE', 'CORRECT', 'RELEASE', 'COUNT', 'SETTLE', 'FINISH')) NOT VALID;
