-- What all three rivals keep. The monolith reaches all of it; of the others each service its own schema.

CREATE SCHEMA identity;

CREATE TABLE identity.institutions (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('ACTIVE', 'SUSPENDED'))
);

CREATE TABLE identity.api_keys (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL REFERENCES identity.institutions,
  secret_hash bytea NOT NULL UNIQUE,
  scopes text[] NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);

-- One row a key, updated in place: room on the page keeps its index out of it.
CREATE TABLE identity.request_counts (
  key_id uuid PRIMARY KEY REFERENCES identity.api_keys,
  minute integer NOT NULL,
  count integer NOT NULL
) WITH (fillfactor = 20);

CREATE SCHEMA reporting;

CREATE TABLE reporting.subjects (
  id uuid PRIMARY KEY,
  type text NOT NULL,
  current_username text NOT NULL,
  is_frozen boolean NOT NULL DEFAULT false
);

CREATE TABLE reporting.accounts (
  id uuid PRIMARY KEY,
  subject_id uuid NOT NULL REFERENCES reporting.subjects,
  institution_id uuid NOT NULL,
  external_account_id text NOT NULL,
  account_type text NOT NULL,
  status text NOT NULL,
  original_principal_minor bigint NOT NULL,
  balance_minor bigint NOT NULL,
  payments integer NOT NULL DEFAULT 0,
  late_reports integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 0,
  opened_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (institution_id, external_account_id)
) WITH (fillfactor = 70);
CREATE INDEX ON reporting.accounts (subject_id);

CREATE TABLE reporting.credit_events (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES reporting.accounts,
  subject_id uuid NOT NULL,
  sequence integer NOT NULL,
  event_type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  reported_at timestamptz NOT NULL,
  amount_minor bigint,
  balance_after_minor bigint,
  resulting_status text NOT NULL,
  UNIQUE (account_id, sequence)
);

CREATE TABLE reporting.inquiries (
  id uuid PRIMARY KEY,
  subject_id uuid NOT NULL REFERENCES reporting.subjects,
  institution_id uuid NOT NULL,
  purpose text NOT NULL,
  inquiry_type text NOT NULL,
  duplicate_of uuid,
  created_at timestamptz NOT NULL
);
-- Repeats within a day count once, and are no part of it.
CREATE INDEX ON reporting.inquiries (subject_id, created_at) WHERE duplicate_of IS NULL;

CREATE TABLE reporting.idempotency_records (
  institution_id uuid NOT NULL,
  endpoint text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  answer text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (institution_id, endpoint, key)
);

CREATE TABLE reporting.outbox (
  id uuid PRIMARY KEY,
  type text NOT NULL,
  subject_id uuid NOT NULL,
  payload jsonb NOT NULL
);

CREATE TABLE reporting.subscriptions (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  event_type text NOT NULL,
  url text NOT NULL
);

CREATE TABLE reporting.deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  subscription_id uuid NOT NULL REFERENCES reporting.subscriptions,
  payload jsonb NOT NULL,
  due_at timestamptz NOT NULL
);

CREATE TABLE reporting.audit_entries (
  id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  key_id uuid NOT NULL,
  action text NOT NULL,
  resource_id uuid NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE SCHEMA scoring;

-- No foreign key: where services are split, the subject is another's.
CREATE TABLE scoring.snapshots (
  event_id uuid PRIMARY KEY,
  subject_id uuid NOT NULL,
  score integer NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX ON scoring.snapshots (subject_id, created_at);
