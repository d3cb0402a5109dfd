-- A file of accounts or events and how far it is. Its progress is written with what it writes.
CREATE TABLE imports (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  kind text NOT NULL,
  format text NOT NULL,
  state text NOT NULL,
  dry_run boolean NOT NULL,
  -- Who ordered it: what it writes is theirs.
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  received_bytes bigint NOT NULL,
  pieces integer NOT NULL,
  sha256 bytea,
  -- The columns of a CSV file.
  columns text[],
  -- Behind the last row that was dealt with in this state; 0 at the beginning.
  place_bytes bigint NOT NULL,
  place_lines integer NOT NULL,
  checked_rows integer NOT NULL,
  row_count integer,
  applied_rows integer NOT NULL,
  reported integer NOT NULL,
  existing integer NOT NULL,
  refused integer NOT NULL,
  faulty_rows integer NOT NULL,
  -- Of faulty rows that are kept.
  kept_rows integer NOT NULL,
  kept_bytes bigint NOT NULL,
  failure text,
  -- In a row that brought nothing.
  attempts integer NOT NULL,
  lease_token uuid,
  due_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  -- The file and the keys of its rows are not needed any more, and are still there.
  content_over boolean NOT NULL
);
CREATE INDEX imports_of_institution ON imports (institution_id, id);
CREATE INDEX imports_at_work ON imports (due_at) WHERE state IN ('CHECKING', 'APPLYING');
CREATE INDEX imports_expiring ON imports (expires_at);
CREATE INDEX imports_content_over ON imports (id) WHERE content_over;

CREATE TABLE import_pieces (
  import_id uuid NOT NULL REFERENCES imports (id),
  -- Bytes of the file before it.
  start_bytes bigint NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (import_id, start_bytes)
);
-- Most of it could be compressed, but it is gone within the hour.
ALTER TABLE import_pieces ALTER COLUMN content SET STORAGE EXTERNAL;

-- What must be in a file once, as a hash, and where it was.
CREATE TABLE import_row_keys (
  import_id uuid NOT NULL REFERENCES imports (id),
  key bytea NOT NULL,
  line integer NOT NULL,
  PRIMARY KEY (import_id, key)
);

CREATE TABLE import_faulty_rows (
  import_id uuid NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  line integer NOT NULL,
  faults json NOT NULL,
  -- The row itself, as JSON text; NULL when it was too much to be kept.
  row_json text,
  PRIMARY KEY (import_id, line)
);
