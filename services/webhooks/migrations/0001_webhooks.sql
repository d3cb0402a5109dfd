-- include: platform/0001

-- Copies of identity's institutions, carried by institution_changed.
CREATE TABLE institutions (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  status text NOT NULL,
  version integer NOT NULL
);

-- Enabled subscriptions per institution; the row is the lock of the bound.
CREATE TABLE subscription_counts (
  institution_id uuid PRIMARY KEY,
  enabled_count integer NOT NULL CHECK (enabled_count >= 0)
);

CREATE TABLE subscriptions (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  disabled_at timestamptz,
  -- REQUESTED by the institution, or GONE: the receiver answered 410.
  disabled_reason text CHECK (disabled_reason IN ('REQUESTED', 'GONE')),
  -- AES-256-GCM: nonce, tag and ciphertext; the id says which key sealed it.
  secret_sealed bytea NOT NULL,
  secret_key_id text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX subscriptions_of_institution ON subscriptions (institution_id, id DESC);
-- Secrets that a retired key still seals.
CREATE INDEX subscriptions_by_key ON subscriptions (secret_key_id, id);

-- The sender's state of each subscription's receiver. Apart from subscriptions,
-- because claims lock these rows while planning holds share locks on those.
CREATE TABLE endpoints (
  subscription_id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  -- Grows with every claim: a claim that read an older value lost the race.
  claim_seq bigint NOT NULL DEFAULT 0,
  consecutive_failures integer NOT NULL DEFAULT 0,
  open_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 70);

-- What is sent for an event: one text for everyone, one for its reporter.
CREATE TABLE events (
  id uuid PRIMARY KEY,
  type text NOT NULL,
  body text NOT NULL,
  reporting_institution_id uuid NOT NULL,
  reporter_body text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  subscription_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  status text NOT NULL DEFAULT 'PENDING'
    CHECK (status IN ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
  attempts integer NOT NULL DEFAULT 0,
  -- When it may be claimed. A claim pushes it to the end of its lease, so a
  -- sender that died is succeeded by whoever comes next.
  due_at timestamptz NOT NULL,
  -- Whose attempt may be recorded; null between attempts.
  lease_token uuid,
  last_attempt_at timestamptz,
  last_response_status integer,
  last_error text,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL,
  UNIQUE (subscription_id, event_id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
-- The queue: per endpoint, so that one endpoint's backlog hides no other.
CREATE INDEX deliveries_pending ON deliveries (subscription_id, due_at) WHERE status = 'PENDING';
-- What is in flight, for the bounds per endpoint and institution.
CREATE INDEX deliveries_leased ON deliveries (subscription_id, due_at)
  WHERE lease_token IS NOT NULL;
CREATE INDEX deliveries_of_subscription ON deliveries (subscription_id, id DESC);

CREATE TABLE attempts (
  delivery_id uuid NOT NULL,
  attempt integer NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  -- Null when no complete answer came.
  response_status integer,
  -- Null when the attempt delivered.
  error_class text,
  PRIMARY KEY (delivery_id, attempt)
);
