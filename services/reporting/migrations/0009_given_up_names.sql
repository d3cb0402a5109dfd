-- A name that was given up stays with its subject for a while; null while it is borne.
ALTER TABLE subject_identities ADD COLUMN reserved_until timestamptz;

-- Records that turned out to have the name or identifier of another once these were compared by a
-- newer rule. Both are kept as they are; `list-collisions` shows them.
CREATE TABLE identifier_collisions (
  kind text NOT NULL,
  -- A subject, an account or an event.
  record_id uuid NOT NULL,
  -- As it stands there.
  value text NOT NULL,
  -- Who has the same; null when it is the network that keeps such values to itself.
  existing_id uuid,
  found_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, record_id)
);

-- How far subjects are compared by which version of the rule.
CREATE TABLE name_normalisation (
  version integer PRIMARY KEY,
  after_subject_id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz
);
