-- What the migrations make together, to be read in one piece. Generated; see CONTRIBUTING.md.

CREATE TABLE attempts (
  delivery_id uuid NOT NULL,
  attempt integer NOT NULL,
  started_at timestamp with time zone NOT NULL,
  duration_ms integer NOT NULL,
  response_status integer,
  error_class text,
  subscription_id uuid,
  request_signature text,
  response_headers text,
  response_body text,
  response_truncated boolean,
  CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, attempt)
);

CREATE TABLE daily_totals (
  day date NOT NULL,
  slot smallint NOT NULL,
  delivered bigint NOT NULL,
  failed_attempts bigint NOT NULL,
  given_up bigint NOT NULL,
  CONSTRAINT daily_totals_pkey PRIMARY KEY (day, slot)
);

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

CREATE TABLE deliveries (
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  status text DEFAULT 'PENDING'::text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone NOT NULL,
  lease_token uuid,
  last_attempt_at timestamp with time zone,
  last_response_status integer,
  last_error text,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  replay integer DEFAULT 0 NOT NULL,
  CONSTRAINT deliveries_once UNIQUE (subscription_id, event_id, replay),
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text, 'CANCELLED'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.05, fillfactor=80);

CREATE TABLE endpoints (
  subscription_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  claim_seq bigint DEFAULT 0 NOT NULL,
  consecutive_failures integer DEFAULT 0 NOT NULL,
  open_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  CONSTRAINT endpoints_pkey PRIMARY KEY (subscription_id)
) WITH (fillfactor=70);

CREATE TABLE events (
  id uuid NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  reporting_institution_id uuid NOT NULL,
  reporter_body text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  traceparent text DEFAULT ''::text NOT NULL,
  recorded_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (id)
);

CREATE TABLE feed (
  institution_id uuid NOT NULL,
  "position" bigint NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  event_created_at timestamp with time zone NOT NULL,
  recorded_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT feed_institution_id_event_id_key UNIQUE (institution_id, event_id),
  CONSTRAINT feed_pkey PRIMARY KEY (institution_id, "position")
);

CREATE TABLE feed_heads (
  institution_id uuid NOT NULL,
  last_position bigint NOT NULL,
  swept_position bigint DEFAULT 0 NOT NULL,
  CONSTRAINT feed_heads_pkey PRIMARY KEY (institution_id)
) WITH (fillfactor=70);

CREATE TABLE hourly_totals (
  hour timestamp with time zone NOT NULL,
  slot smallint NOT NULL,
  delivered bigint NOT NULL,
  failed_attempts bigint NOT NULL,
  given_up bigint NOT NULL,
  CONSTRAINT hourly_totals_pkey PRIMARY KEY (hour, slot)
) WITH (fillfactor=50);

CREATE TABLE inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  processed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE institutions (
  id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  version integer NOT NULL,
  CONSTRAINT institutions_pkey PRIMARY KEY (id)
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
  losses uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  reset_from timestamp with time zone,
  tail_sequence bigint,
  tail_event_id uuid,
  tail_message_id text,
  tail_stored_at timestamp with time zone,
  CONSTRAINT outbox_state_pkey PRIMARY KEY (singleton),
  CONSTRAINT outbox_state_singleton_check CHECK (singleton)
);

CREATE TABLE subscription_counts (
  institution_id uuid NOT NULL,
  enabled_count integer NOT NULL,
  CONSTRAINT subscription_counts_pkey PRIMARY KEY (institution_id),
  CONSTRAINT subscription_counts_enabled_count_check CHECK (enabled_count >= 0)
);

CREATE TABLE subscriptions (
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  disabled_at timestamp with time zone,
  disabled_reason text,
  secret_sealed bytea NOT NULL,
  secret_key_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT subscriptions_disabled_reason_check CHECK (disabled_reason = ANY (ARRAY['REQUESTED'::text, 'GONE'::text]))
);

CREATE TABLE test_sends (
  id uuid NOT NULL,
  window_ends_at timestamp with time zone NOT NULL,
  count integer NOT NULL,
  CONSTRAINT test_sends_pkey PRIMARY KEY (id)
);

CREATE INDEX attempts_of_subscription ON attempts USING btree (subscription_id, started_at DESC);
CREATE INDEX deliveries_leased ON deliveries USING btree (subscription_id, due_at) WHERE (lease_token IS NOT NULL);
CREATE INDEX deliveries_of_subscription ON deliveries USING btree (subscription_id, id DESC);
CREATE INDEX deliveries_pending ON deliveries USING btree (subscription_id, due_at) WHERE (status = 'PENDING'::text);
CREATE INDEX events_recorded ON events USING btree (recorded_at);
CREATE INDEX feed_by_time ON feed USING btree (institution_id, event_created_at);
CREATE INDEX feed_recorded ON feed USING btree (recorded_at);
CREATE INDEX inbox_processed ON inbox USING btree (processed_at);
CREATE INDEX outbox_published ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_unpublished ON outbox USING btree (partition, id) WHERE (published_at IS NULL);
CREATE INDEX subscriptions_by_key ON subscriptions USING btree (secret_key_id, id);
CREATE INDEX subscriptions_of_institution ON subscriptions USING btree (institution_id, id DESC);
CREATE INDEX test_sends_by_end ON test_sends USING btree (window_ends_at);
