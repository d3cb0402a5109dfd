-- include: platform/0002

-- What was signed of each log: the institutions' audit logs and the network's, and the logs of
-- credit events that reporting keeps and tells of. Never changed, never deleted.
CREATE TABLE audit_checkpoints (
  -- Which log, as the signed text names it.
  origin text NOT NULL,
  -- How many entries it covers.
  size bigint NOT NULL CHECK (size > 0),
  root_hash bytea NOT NULL CHECK (octet_length(root_hash) = 32),
  signed_at timestamptz(3) NOT NULL,
  key_id text NOT NULL,
  signature bytea NOT NULL,
  PRIMARY KEY (origin, size)
);
