-- include: platform/0001

-- Members of the network.
CREATE TABLE institutions (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  website text,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'SUSPENDED', 'CLOSED')),
  -- Why the status was last changed.
  status_reason text,
  publicly_listed boolean NOT NULL DEFAULT true,
  -- Counts changes: told to the other services, which ignore an older one.
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX institutions_public ON institutions (lower(name), id)
  WHERE status = 'ACTIVE' AND publicly_listed;

-- People. A user belongs to an institution, to the platform, or to both.
CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  -- The e-mail as it is compared: folded in the service, since a database's lower()
  -- depends on its locale.
  email_key text NOT NULL UNIQUE,
  display_name text NOT NULL,
  password_hash text NOT NULL,
  -- Set for a temporary password only.
  password_expires_at timestamptz,
  must_change_password boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'DISABLED')),
  institution_id uuid REFERENCES institutions,
  role text CHECK (role IN ('OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER')),
  platform_role text CHECK (platform_role IN ('PLATFORM_ADMIN', 'SVC_SUPERADMIN')),
  last_login_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((institution_id IS NULL) = (role IS NULL))
);
CREATE INDEX users_of_institution ON users (institution_id, id);
CREATE INDEX users_of_platform ON users (platform_role) WHERE platform_role IS NOT NULL;

-- One row. Whoever changes who may do what holds it, so that two changes cannot each
-- leave the other as the last owner or the last superadmin.
CREATE TABLE access_lock (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);
INSERT INTO access_lock DEFAULT VALUES;

-- Membership applications.
CREATE TABLE applications (
  id uuid PRIMARY KEY,
  institution_name text NOT NULL,
  contact_name text NOT NULL,
  contact_email text NOT NULL,
  website text,
  description text,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED')),
  review_note text,
  reviewed_by uuid,
  reviewed_at timestamptz,
  institution_id uuid REFERENCES institutions,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX applications_by_status ON applications (status, id);

-- Messages to the network's operators.
CREATE TABLE contact_requests (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  subject text,
  message text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Invitations into an institution; the token itself is never kept.
CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL REFERENCES institutions,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER')),
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  invited_by uuid,
  expires_at timestamptz NOT NULL,
  accepted_by uuid REFERENCES users,
  accepted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- One login: a family of rotating refresh tokens.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  -- No refresh token of the family is taken from here on.
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_of_user ON sessions (user_id) WHERE revoked_at IS NULL;
CREATE INDEX sessions_by_age ON sessions (created_at);

CREATE TABLE access_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX access_tokens_of_session ON access_tokens (session_id);
CREATE INDEX access_tokens_of_user ON access_tokens (user_id) WHERE revoked_at IS NULL;
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);

CREATE TABLE refresh_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  -- The token it was given for; null for a login's first.
  parent_hash bytea,
  expires_at timestamptz NOT NULL,
  -- Kept after use: a second use means that the token was copied.
  used_at timestamptz
);
CREATE INDEX refresh_tokens_of_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_of_parent ON refresh_tokens (parent_hash);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Attempts in a window, such as failed logins into an account or from an address: guessing
-- is slow whichever replica is asked.
CREATE TABLE attempts (
  id uuid PRIMARY KEY,
  window_ends_at timestamptz NOT NULL,
  count integer NOT NULL
);
CREATE INDEX attempts_by_end ON attempts (window_ends_at);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL REFERENCES institutions,
  display_name text NOT NULL,
  prefix text NOT NULL,
  -- SHA-256 of the complete key.
  secret_hash bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  -- Null allows any address.
  allowed_ips cidr[] CHECK (cardinality(allowed_ips) > 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_by uuid NOT NULL,
  -- The key that this one replaced.
  rotated_from uuid REFERENCES api_keys,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_of_institution ON api_keys (institution_id, id);

-- How much of its limits an identity (key, user, session or address) has used. One row
-- each, overwritten in place when a window begins, so the table does not grow with time.
-- Logged although its commits are asynchronous: an unlogged table is emptied by a crash
-- and missing on a standby, which would give every day budget back and lose last_used_at.
CREATE TABLE rate_counters (
  id uuid PRIMARY KEY,
  -- Minutes and days since 1970, UTC.
  minute integer NOT NULL,
  minute_count integer NOT NULL,
  minute_limit integer NOT NULL,
  day integer NOT NULL,
  day_count integer NOT NULL,
  day_limit integer NOT NULL,
  -- How many requests the last statement let pass.
  granted integer NOT NULL,
  -- Last successful authentication; API keys only.
  last_used_at timestamptz
  -- Half of each page stays free, so that updates stay on it and touch no index (HOT).
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- The count so far in the current window. A row may be one window ahead, when another
-- statement began later and got the row's lock first; one further ahead is the trace of
-- a clock that was set back, and starts anew.
CREATE FUNCTION used_in_window(counted_window integer, count integer, current_window integer)
  RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN counted_window BETWEEN current_window AND current_window + 1 THEN count ELSE 0 END $$;

CREATE FUNCTION counting_window(counted_window integer, current_window integer)
  RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN counted_window = current_window + 1 THEN counted_window ELSE current_window END $$;

-- The audit log: a hash chain for each institution, and one (the nil id) for the network.
CREATE TABLE audit_chains (
  chain_id uuid PRIMARY KEY,
  sequence bigint NOT NULL,
  hash bytea NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE audit_events (
  chain_id uuid NOT NULL,
  sequence bigint NOT NULL,
  id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  environment text NOT NULL,
  request_id text NOT NULL,
  ip text NOT NULL,
  -- JSON, byte for byte as it was hashed.
  changes text NOT NULL,
  prev_hash bytea NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (chain_id, sequence)
);
CREATE INDEX audit_events_by_time ON audit_events (chain_id, at, id);
CREATE INDEX audit_events_by_target ON audit_events (chain_id, target_id, at, id);
