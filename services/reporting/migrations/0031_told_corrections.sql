-- Which corrections were told to those who had looked at the file, and to whom: each correction once,
-- however often it is found that it has to be told. The person reads who was told.
CREATE TABLE told_corrections (
  correction_event_id uuid PRIMARY KEY,
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  credit_event_id uuid NOT NULL,
  event_type text NOT NULL,
  change text NOT NULL CHECK (change IN ('REPLACED', 'REMOVED', 'ACCOUNT_REMOVED')),
  told_at timestamptz NOT NULL,
  institution_ids uuid[] NOT NULL
);
CREATE INDEX told_corrections_of_subject ON told_corrections (subject_id, told_at);
