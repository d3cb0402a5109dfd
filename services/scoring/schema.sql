-- What the migrations make together, to be read in one piece. Generated; see CONTRIBUTING.md.

CREATE TABLE account_projections (
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  version integer NOT NULL,
  facts json NOT NULL,
  CONSTRAINT account_projections_pkey PRIMARY KEY (subject_id, account_id)
) WITH (fillfactor=70);

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

CREATE TABLE inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  processed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE inquiry_projections (
  subject_id uuid NOT NULL,
  inquiry_id uuid NOT NULL,
  purpose text NOT NULL,
  inquiry_type text NOT NULL,
  duplicate boolean NOT NULL,
  day integer NOT NULL,
  voided boolean DEFAULT false NOT NULL,
  CONSTRAINT inquiry_projections_pkey PRIMARY KEY (subject_id, inquiry_id),
  CONSTRAINT inquiry_projections_inquiry_type_check CHECK (inquiry_type = ANY (ARRAY['HARD'::text, 'SOFT'::text]))
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

CREATE TABLE reconciliation (
  singleton boolean DEFAULT true NOT NULL,
  finished_at timestamp with time zone NOT NULL,
  subjects integer NOT NULL,
  mismatches integer NOT NULL,
  unmended integer NOT NULL,
  deep boolean NOT NULL,
  CONSTRAINT reconciliation_pkey PRIMARY KEY (singleton),
  CONSTRAINT reconciliation_singleton_check CHECK (singleton)
);

CREATE TABLE report_documents (
  report_id uuid NOT NULL,
  content bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT report_documents_pkey PRIMARY KEY (report_id)
);

CREATE TABLE report_tickets (
  token_hash bytea NOT NULL,
  report_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT report_tickets_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE reports (
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  report_type text NOT NULL,
  format text NOT NULL,
  purpose text NOT NULL,
  status text NOT NULL,
  as_of timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  ready_at timestamp with time zone,
  expires_at timestamp with time zone,
  failure_code text,
  content_sha256 bytea,
  content_bytes integer,
  attempts smallint DEFAULT 0 NOT NULL,
  due_at timestamp with time zone NOT NULL,
  lease_token uuid,
  earlier_inquiry_id uuid,
  parties json,
  model_version text,
  CONSTRAINT reports_pkey PRIMARY KEY (id),
  CONSTRAINT reports_format_check CHECK (format = ANY (ARRAY['JSON'::text, 'CSV'::text, 'PDF'::text])),
  CONSTRAINT reports_notice_check CHECK ((report_type = 'NOTICE'::text) = (earlier_inquiry_id IS NOT NULL) AND (report_type = 'NOTICE'::text) = (parties IS NOT NULL) AND (report_type = 'NOTICE'::text) = (model_version IS NOT NULL)),
  CONSTRAINT reports_report_type_check CHECK (report_type = ANY (ARRAY['FULL'::text, 'SUMMARY'::text, 'COMMERCIAL'::text, 'NOTICE'::text])),
  CONSTRAINT reports_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'READY'::text, 'FAILED'::text]))
);

CREATE TABLE score_snapshots (
  subject_id uuid NOT NULL,
  sequence integer NOT NULL,
  id uuid NOT NULL,
  score smallint,
  grade text,
  model_version text NOT NULL,
  as_of_day integer NOT NULL,
  calculated_at timestamp with time zone NOT NULL,
  trigger_type text NOT NULL,
  trigger_id uuid,
  factors json NOT NULL,
  reasons json NOT NULL,
  previous_score smallint,
  input_hash bytea NOT NULL,
  CONSTRAINT score_snapshots_pkey PRIMARY KEY (subject_id, sequence),
  CONSTRAINT score_snapshots_trigger_type_check CHECK (trigger_type = ANY (ARRAY['EVENT'::text, 'INQUIRY'::text, 'AGEING'::text, 'MODEL'::text]))
);

CREATE TABLE subject_heads (
  subject_id uuid NOT NULL,
  subject_type text NOT NULL,
  complete_version integer DEFAULT 0 NOT NULL,
  early_versions integer[] DEFAULT '{}'::integer[] NOT NULL,
  snapshot_sequence integer DEFAULT 0 NOT NULL,
  score smallint,
  reason_codes text DEFAULT 'NF01'::text NOT NULL,
  accounts_revision uuid DEFAULT gen_random_uuid() NOT NULL,
  model_version text DEFAULT 'svc-score-1.0.0'::text NOT NULL,
  CONSTRAINT subject_heads_pkey PRIMARY KEY (subject_id),
  CONSTRAINT subject_heads_subject_type_check CHECK (subject_type = ANY (ARRAY['INDIVIDUAL'::text, 'ORGANISATION'::text]))
) WITH (fillfactor=70);

CREATE INDEX inbox_processed ON inbox USING btree (processed_at);
CREATE INDEX inquiry_projections_by_day ON inquiry_projections USING btree (day);
CREATE INDEX inquiry_projections_counted ON inquiry_projections USING btree (subject_id, day) WHERE ((inquiry_type = 'HARD'::text) AND (NOT duplicate));
CREATE INDEX outbox_published ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_unpublished ON outbox USING btree (partition, id) WHERE (published_at IS NULL);
CREATE INDEX report_tickets_expiring ON report_tickets USING btree (expires_at);
CREATE INDEX reports_due ON reports USING btree (due_at) WHERE (status = 'PENDING'::text);
CREATE INDEX reports_expiring ON reports USING btree (expires_at) WHERE (content_bytes IS NOT NULL);
CREATE INDEX reports_of_institution ON reports USING btree (institution_id, id);
CREATE INDEX reports_of_institution_by_status ON reports USING btree (institution_id, status, id);
CREATE INDEX reports_of_institution_with_document ON reports USING btree (institution_id, id) WHERE (content_bytes IS NOT NULL);
