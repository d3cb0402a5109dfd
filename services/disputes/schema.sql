-- What the migrations make together, to be read in one piece. Generated; see CONTRIBUTING.md.

CREATE TABLE dead_letters (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  payload bytea NOT NULL,
  error text NOT NULL,
  deliveries integer NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT dead_letters_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE disputes (
  id uuid NOT NULL,
  status text DEFAULT 'OPEN'::text NOT NULL,
  subject_id uuid,
  credit_event_id uuid,
  reported_institution_id uuid,
  opened_by text NOT NULL,
  reason text NOT NULL,
  description text NOT NULL,
  evidence_links text[] NOT NULL,
  duplicate_of uuid,
  resolution text,
  opened_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  resolved_at timestamp with time zone,
  correction_event_id uuid,
  correction_pending boolean DEFAULT false NOT NULL,
  CONSTRAINT disputes_pkey PRIMARY KEY (id),
  CONSTRAINT disputes_check CHECK (num_nonnulls(subject_id, credit_event_id, reported_institution_id) > 0),
  CONSTRAINT disputes_status_check CHECK (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text, 'RESOLVED_CORRECTED'::text, 'RESOLVED_UPHELD'::text, 'REJECTED'::text]))
);

CREATE TABLE idempotency_records (
  institution_id text NOT NULL,
  endpoint text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  answer bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_records_pkey PRIMARY KEY (institution_id, endpoint, key)
) WITH (fillfactor=80);

CREATE TABLE inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  processed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE outbox (
  id uuid NOT NULL,
  partition smallint NOT NULL,
  type text NOT NULL,
  payload bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  published_at timestamp with time zone,
  CONSTRAINT outbox_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.02);

CREATE TABLE outbox_leases (
  partition smallint NOT NULL,
  owner text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT outbox_leases_pkey PRIMARY KEY (partition)
);

CREATE TABLE outbox_state (
  singleton boolean DEFAULT true NOT NULL,
  stream_created_at timestamp with time zone,
  CONSTRAINT outbox_state_pkey PRIMARY KEY (singleton),
  CONSTRAINT outbox_state_singleton_check CHECK (singleton)
);

ALTER TABLE disputes ADD CONSTRAINT disputes_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES disputes(id);

CREATE INDEX disputes_by_status ON disputes USING btree (status, id DESC);
CREATE INDEX disputes_of_institution ON disputes USING btree (reported_institution_id, id DESC);
CREATE UNIQUE INDEX disputes_original ON disputes USING btree (credit_event_id, reason) WHERE ((duplicate_of IS NULL) AND (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text])));
CREATE INDEX idempotency_expiry ON idempotency_records USING btree (expires_at);
CREATE INDEX inbox_processed ON inbox USING btree (processed_at);
CREATE INDEX outbox_published ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_unpublished ON outbox USING btree (partition, id) WHERE (published_at IS NULL);
