-- Records that administrators move from one subject to another: files of one party that were two, and
-- files that hold the records of two. Nothing is deleted: what was moved, by whom, why and when stays,
-- and a merge can be taken back.

-- Where the records of a subject are since it was merged; NULL of a subject with a file of its own. It is
-- a column of the head, so that who waits for the head's lock reads it as its last holder left it.
ALTER TABLE subject_heads ADD COLUMN merged_into uuid;
-- The last version with which records went from the subject: what is derived of it has to forget some.
ALTER TABLE subject_heads ADD COLUMN left_version integer NOT NULL DEFAULT 0;

-- The one place that follows merges to their end. No circle can come about: only a subject with a file of
-- its own is merged, and into one with a file of its own, both under their locks.
CREATE FUNCTION surviving_subject(merged_subject_id uuid) RETURNS uuid
LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  RETURN (WITH RECURSIVE way (subject_id, steps) AS (
    SELECT merged_subject_id, 0
    UNION ALL
    SELECT heads.merged_into, way.steps + 1
    FROM way JOIN subject_heads AS heads ON heads.subject_id = way.subject_id
    WHERE heads.merged_into IS NOT NULL AND way.steps < 1000
  )
  SELECT subject_id FROM way ORDER BY steps DESC LIMIT 1);
END
$$;

-- The subject of which an event was recorded, when it was moved since: its log says that one.
ALTER TABLE credit_events ADD COLUMN recorded_of uuid;

CREATE TABLE subject_moves (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('MERGE', 'SPLIT')),
  from_subject_id uuid NOT NULL,
  to_subject_id uuid NOT NULL,
  -- The merge that a split takes back.
  undoes_move_id uuid UNIQUE REFERENCES subject_moves (id),
  reason text NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  -- How many entries of the person's own word the file that took the records had with the move.
  entries_at_move integer NOT NULL,
  moved_at timestamptz NOT NULL
);
CREATE INDEX subject_moves_from ON subject_moves (from_subject_id, moved_at);
CREATE INDEX subject_moves_to ON subject_moves (to_subject_id, moved_at);

-- What went with a move. Events go with their accounts.
CREATE TABLE subject_move_records (
  move_id uuid NOT NULL REFERENCES subject_moves (id),
  kind text NOT NULL CHECK (kind IN ('ACCOUNT', 'INQUIRY', 'REFUSED_INQUIRY', 'DISPUTE')),
  record_id uuid NOT NULL,
  institution_id uuid,
  PRIMARY KEY (move_id, kind, record_id)
);
CREATE INDEX subject_move_records_of_record ON subject_move_records (record_id);

-- Accounts that were opened by what identifies a merged subject: they are its own when it is split off.
CREATE TABLE openings_of_merged (
  account_id uuid PRIMARY KEY,
  subject_id uuid NOT NULL
);

-- A person's word moves too: entries say how a file stands with a move and without it.
ALTER TABLE file_entries DROP CONSTRAINT file_entries_kind_check;
ALTER TABLE file_entries ADD CONSTRAINT file_entries_kind_check CHECK (kind IN (
  'FREEZE_PLACED', 'FREEZE_LIFTED', 'THAW_PLACED', 'THAW_WITHDRAWN',
  'ALERT_PLACED', 'ALERT_REMOVED', 'STATEMENT_SET', 'STATEMENT_REMOVED',
  'FILE_JOINED', 'FILE_PARTED')) NOT VALID;
