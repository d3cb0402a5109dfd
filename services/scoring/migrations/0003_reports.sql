-- Reports that institutions asked for, and the queue of those to be built. They are no projection:
-- what somebody was told stays told.
CREATE TABLE reports (
  -- The id of the inquiry that it was asked for with.
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  report_type text NOT NULL CHECK (report_type IN ('FULL', 'SUMMARY', 'COMMERCIAL')),
  format text NOT NULL CHECK (format IN ('JSON', 'CSV', 'PDF')),
  purpose text NOT NULL,
  -- READY turns into EXPIRED by time alone.
  status text NOT NULL CHECK (status IN ('PENDING', 'READY', 'FAILED')),
  as_of timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  ready_at timestamptz,
  expires_at timestamptz,
  failure_code text,
  content_sha256 bytea,
  content_bytes integer,
  attempts smallint NOT NULL DEFAULT 0,
  -- While PENDING: when it may be taken next. A builder that dies leaves it to the next one.
  due_at timestamptz NOT NULL,
  lease_token uuid
);
CREATE INDEX reports_due ON reports (due_at) WHERE status = 'PENDING';
CREATE INDEX reports_expiring ON reports (expires_at) WHERE content_bytes IS NOT NULL;

CREATE TABLE report_documents (
  report_id uuid PRIMARY KEY,
  content bytea NOT NULL
);
-- Uncompressed, so that a slice is read without the rest. Documents are compressed or short.
ALTER TABLE report_documents ALTER COLUMN content SET STORAGE EXTERNAL;

-- Each lets its bearer fetch one document once. Only hashes are kept.
CREATE TABLE report_tickets (
  token_hash bytea PRIMARY KEY,
  report_id uuid NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX report_tickets_expiring ON report_tickets (expires_at);
