-- What every service's schema has: see packages/platform/src/db and src/bus.

-- Facts for other services, written in the transaction of their change.
CREATE TABLE outbox (
  id uuid PRIMARY KEY,
  partition smallint NOT NULL,
  type text NOT NULL,
  payload bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz
) WITH (autovacuum_vacuum_scale_factor = 0.02);
-- The relay's queue; stays small because published rows leave it.
CREATE INDEX outbox_unpublished ON outbox (partition, id) WHERE published_at IS NULL;
-- The sweep of rows that JetStream no longer needs to be rebuilt from.
CREATE INDEX outbox_published ON outbox (published_at) WHERE published_at IS NOT NULL;

-- Which replica publishes which partition.
CREATE TABLE outbox_leases (
  partition smallint PRIMARY KEY,
  owner text NOT NULL,
  expires_at timestamptz NOT NULL
);

-- Which incarnation of the stream the published marks speak of.
CREATE TABLE outbox_state (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  stream_created_at timestamptz
);

-- Events already taken in, per consumer: redelivery has no second effect.
CREATE TABLE inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  processed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);
CREATE INDEX inbox_processed ON inbox (processed_at);

-- Events that could not be taken in, kept for an operator.
CREATE TABLE dead_letters (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  payload bytea NOT NULL,
  error text NOT NULL,
  deliveries integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);

-- Answers of commands, by the key their caller chose.
CREATE TABLE idempotency_records (
  institution_id text NOT NULL,
  endpoint text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  -- Null only inside the transaction that is still computing the answer.
  answer bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (institution_id, endpoint, key)
) WITH (fillfactor = 80);
CREATE INDEX idempotency_expiry ON idempotency_records (expires_at);
