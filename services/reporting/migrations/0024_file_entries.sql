-- What people put on their own files, act by act. A file's entries are numbered from 1 without a gap and
-- their times never go back, so that those of up to a time are how the file read then.
CREATE TABLE file_entries (
  subject_id uuid NOT NULL,
  sequence integer NOT NULL,
  id uuid NOT NULL,
  recorded_at timestamptz NOT NULL,
  -- By whose hand.
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN (
    'FREEZE_PLACED', 'FREEZE_LIFTED', 'THAW_PLACED', 'THAW_WITHDRAWN',
    'ALERT_PLACED', 'ALERT_REMOVED', 'STATEMENT_SET', 'STATEMENT_REMOVED')),
  -- What the kind needs beside, as JSON.
  act json NOT NULL,
  PRIMARY KEY (subject_id, sequence)
);
-- What past profiles show: freezes and thaws come and go without number, and are no business of readers.
CREATE INDEX file_entries_shown ON file_entries (subject_id, sequence)
  WHERE kind IN ('ALERT_PLACED', 'ALERT_REMOVED', 'STATEMENT_SET', 'STATEMENT_REMOVED');

-- The fold of the subject's entries: who holds the lock of the head reads with it how the file stands.
-- NULL until the first entry, as it stays for nearly everybody.
ALTER TABLE subject_heads ADD COLUMN rights json;

-- Looks that were refused. They are of no effect on anything, and so are kept apart from what counts.
CREATE TABLE refused_inquiries (
  subject_id uuid NOT NULL,
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  purpose text NOT NULL,
  inquiry_type text NOT NULL,
  refusal text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (subject_id, id)
);
CREATE INDEX refused_inquiries_of_institution ON refused_inquiries (institution_id, id);
