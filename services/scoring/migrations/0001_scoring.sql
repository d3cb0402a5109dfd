-- include: platform/0001

-- How far scoring has come with each subject, and the last snapshot it wrote.
CREATE TABLE subject_heads (
  subject_id uuid PRIMARY KEY,
  subject_type text NOT NULL CHECK (subject_type IN ('INDIVIDUAL', 'ORGANISATION')),
  -- Every change of the subject up to this version is in.
  complete_version integer NOT NULL DEFAULT 0,
  -- Versions above it that came early and are in already, ascending.
  early_versions integer[] NOT NULL DEFAULT '{}',
  -- The last snapshot's number, score and codes: what the next one is compared with.
  snapshot_sequence integer NOT NULL DEFAULT 0,
  score smallint,
  reason_codes text NOT NULL DEFAULT 'NF01'
) WITH (fillfactor = 70);

-- One row an account, as reporting last told of it.
CREATE TABLE account_projections (
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  version integer NOT NULL,
  -- The model's facts, read and written whole: json and not jsonb keeps the text as it is.
  facts json NOT NULL,
  PRIMARY KEY (subject_id, account_id)
) WITH (fillfactor = 70);

CREATE TABLE inquiry_projections (
  subject_id uuid NOT NULL,
  inquiry_id uuid NOT NULL,
  purpose text NOT NULL,
  inquiry_type text NOT NULL CHECK (inquiry_type IN ('HARD', 'SOFT')),
  duplicate boolean NOT NULL,
  -- Days since 1970-01-01 UTC.
  day integer NOT NULL,
  PRIMARY KEY (subject_id, inquiry_id)
);
-- Those that can count in a score, by age.
CREATE INDEX inquiry_projections_counted ON inquiry_projections (subject_id, day)
  WHERE inquiry_type = 'HARD' AND NOT duplicate;

-- Scores as they were, one row whenever score or reasons changed.
CREATE TABLE score_snapshots (
  subject_id uuid NOT NULL,
  -- From 1, without a gap.
  sequence integer NOT NULL,
  id uuid NOT NULL,
  -- Null when not rated.
  score smallint,
  grade text,
  model_version text NOT NULL,
  -- The UTC day that the model worked with.
  as_of_day integer NOT NULL,
  calculated_at timestamptz NOT NULL,
  trigger_type text NOT NULL CHECK (trigger_type IN ('EVENT', 'INQUIRY', 'AGEING')),
  trigger_id uuid,
  factors json NOT NULL,
  reasons json NOT NULL,
  previous_score smallint,
  -- SHA-256 over the canonical model input.
  input_hash bytea NOT NULL,
  PRIMARY KEY (subject_id, sequence)
);
