-- Which subjects go by another's id, for as long as they do: who comes in at the one file sees what was opened
-- about each of them.
CREATE TABLE subject_merges (
  from_subject_id uuid PRIMARY KEY,
  -- NULL again when the merge was taken back.
  to_subject_id uuid,
  -- Of the move that says so: others may be heard of later.
  moved_at timestamptz NOT NULL
);
CREATE INDEX subject_merges_into ON subject_merges (to_subject_id) WHERE to_subject_id IS NOT NULL;
