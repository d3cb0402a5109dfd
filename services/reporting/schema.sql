-- What the migrations make together, to be read in one piece. Generated; see CONTRIBUTING.md.

CREATE OR REPLACE FUNCTION count_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO account_totals AS known (institution_id, status, currency, slot, accounts, balance_minor,
    original_principal_minor, credit_limit_minor, updated_at)
  SELECT institution_id, CASE WHEN voided THEN 'VOIDED' ELSE status END AS shown, currency,
    pg_backend_pid() % 16, TG_ARGV[0]::integer * count(*),
    TG_ARGV[0]::integer * sum(balance_minor),
    TG_ARGV[0]::integer * sum(original_principal_minor),
    TG_ARGV[0]::integer * coalesce(sum((state ->> 'credit_limit_minor')::bigint), 0),
    max(updated_at)
  FROM counted
  GROUP BY institution_id, currency, shown
  ORDER BY institution_id, currency, shown
  ON CONFLICT (institution_id, currency, status, slot) DO UPDATE
    SET accounts = known.accounts + excluded.accounts,
        balance_minor = known.balance_minor + excluded.balance_minor,
        original_principal_minor
          = known.original_principal_minor + excluded.original_principal_minor,
        credit_limit_minor = known.credit_limit_minor + excluded.credit_limit_minor,
        updated_at = greatest(known.updated_at, excluded.updated_at);
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION count_changed_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO account_totals AS known (institution_id, status, currency, slot, accounts, balance_minor,
    original_principal_minor, credit_limit_minor, updated_at)
  SELECT institution_id, CASE WHEN voided THEN 'VOIDED' ELSE status END AS shown, currency,
    pg_backend_pid() % 16, sum(sign), sum(sign * balance_minor),
    sum(sign * original_principal_minor),
    coalesce(sum(sign * (state ->> 'credit_limit_minor')::bigint), 0),
    max(updated_at)
  FROM (
    SELECT 1 AS sign, institution_id, voided, status, currency, balance_minor,
      original_principal_minor, state, updated_at
    FROM come
    UNION ALL
    SELECT -1, institution_id, voided, status, currency, balance_minor,
      original_principal_minor, state, updated_at
    FROM gone
  ) AS counted
  GROUP BY institution_id, currency, shown
  ORDER BY institution_id, currency, shown
  ON CONFLICT (institution_id, currency, status, slot) DO UPDATE
    SET accounts = known.accounts + excluded.accounts,
        balance_minor = known.balance_minor + excluded.balance_minor,
        original_principal_minor
          = known.original_principal_minor + excluded.original_principal_minor,
        credit_limit_minor = known.credit_limit_minor + excluded.credit_limit_minor,
        updated_at = greatest(known.updated_at, excluded.updated_at);
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION keep_grams_of_new_subjects()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO subject_grams (gram, subject_id)
  SELECT piece.gram, added.id
  FROM added CROSS JOIN LATERAL unnest(search_grams(added.search_text)) AS piece (gram)
  ORDER BY piece.gram COLLATE "C", added.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION keep_subject_grams()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO subject_grams (gram, subject_id)
  SELECT unnest(search_grams(NEW.search_text)), NEW.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION search_grams(search_text text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  SELECT coalesce(array_agg(DISTINCT gram), '{}')
  FROM generate_series(1, length(search_text) - 1) AS start,
       (VALUES (2), (3)) AS sizes (size),
       substr(search_text, start, size) AS gram
  WHERE length(gram) = size AND strpos(gram, chr(10)) = 0
$function$;

CREATE OR REPLACE FUNCTION surviving_subject(merged_subject_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE STRICT
AS $function$
BEGIN
  RETURN (WITH RECURSIVE way (subject_id, steps) AS (
    SELECT merged_subject_id, 0
    UNION ALL
    SELECT heads.merged_into, way.steps + 1
    FROM way JOIN subject_heads AS heads ON heads.subject_id = way.subject_id
    WHERE heads.merged_into IS NOT NULL AND way.steps < 1000
  )
  SELECT subject_id FROM way ORDER BY steps DESC LIMIT 1);
END
$function$;

CREATE TABLE account_directory (
  account_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  external_account_id text,
  subject_id uuid NOT NULL,
  former_external_account_id text,
  CONSTRAINT account_directory_institution_id_external_account_id_key UNIQUE (institution_id, external_account_id),
  CONSTRAINT account_directory_pkey PRIMARY KEY (account_id)
);

CREATE TABLE account_totals (
  institution_id uuid NOT NULL,
  status text NOT NULL,
  currency text NOT NULL,
  slot smallint NOT NULL,
  accounts bigint NOT NULL,
  balance_minor numeric NOT NULL,
  original_principal_minor numeric NOT NULL,
  credit_limit_minor numeric NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT account_totals_pkey PRIMARY KEY (institution_id, currency, status, slot)
) WITH (fillfactor=50);

CREATE TABLE accounts (
  subject_id uuid NOT NULL,
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  subject_type text NOT NULL,
  external_account_id text NOT NULL,
  account_type text NOT NULL,
  currency text NOT NULL,
  original_principal_minor bigint NOT NULL,
  interest_rate_bps integer,
  interest_type text,
  opened_at timestamp with time zone NOT NULL,
  maturity_at timestamp with time zone,
  payment_frequency text,
  metadata_json text NOT NULL,
  state json NOT NULL,
  status text NOT NULL,
  underlying_status text NOT NULL,
  balance_minor bigint NOT NULL,
  version integer NOT NULL,
  subject_version integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  voided boolean DEFAULT false NOT NULL,
  original_terms json,
  settled json,
  CONSTRAINT accounts_pkey PRIMARY KEY (subject_id, id)
) WITH (fillfactor=60);

CREATE TABLE corrected_disputes (
  dispute_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  resolved_at timestamp with time zone NOT NULL,
  CONSTRAINT corrected_disputes_pkey PRIMARY KEY (dispute_id)
);

CREATE TABLE credit_events (
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  sequence integer NOT NULL,
  id uuid NOT NULL,
  event_type text NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  reported_at timestamp with time zone NOT NULL,
  amount_minor bigint,
  balance_after_minor bigint,
  source_reference text,
  default_severity text,
  supersedes_event_id uuid,
  correction_reason text,
  corrected_event_type text,
  corrected_occurred_at timestamp with time zone,
  by_network boolean NOT NULL,
  notice text,
  superseded_by_event_id uuid,
  effect text NOT NULL,
  resulting_status text,
  opening_facts json,
  certification text,
  recorded_of uuid,
  CONSTRAINT credit_events_pkey PRIMARY KEY (subject_id, account_id, sequence),
  CONSTRAINT credit_events_effect_check CHECK (effect = ANY (ARRAY['EFFECTIVE'::text, 'SUPERSEDED'::text, 'IGNORED'::text, 'SUPPRESSED'::text]))
) PARTITION BY HASH (subject_id);

CREATE TABLE daily_totals (
  day date NOT NULL,
  slot smallint NOT NULL,
  subjects bigint NOT NULL,
  accounts bigint NOT NULL,
  events bigint NOT NULL,
  inquiries bigint NOT NULL,
  CONSTRAINT daily_totals_pkey PRIMARY KEY (day, slot)
) WITH (fillfactor=50);

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

CREATE TABLE event_log_entries (
  institution_id uuid NOT NULL,
  place bigint NOT NULL,
  event_id uuid NOT NULL,
  CONSTRAINT event_log_entries_event_id_key UNIQUE (event_id),
  CONSTRAINT event_log_entries_pkey PRIMARY KEY (institution_id, place)
);

CREATE TABLE event_log_progress (
  singleton boolean DEFAULT true NOT NULL,
  after_id uuid NOT NULL,
  CONSTRAINT event_log_progress_pkey PRIMARY KEY (singleton),
  CONSTRAINT event_log_progress_singleton_check CHECK (singleton)
);

CREATE TABLE event_logs (
  institution_id uuid NOT NULL,
  size bigint NOT NULL,
  told_size bigint NOT NULL,
  waiting_since timestamp(3) with time zone,
  CONSTRAINT event_logs_pkey PRIMARY KEY (institution_id)
);

CREATE TABLE file_entries (
  subject_id uuid NOT NULL,
  sequence integer NOT NULL,
  id uuid NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  kind text NOT NULL,
  act json NOT NULL,
  CONSTRAINT file_entries_pkey PRIMARY KEY (subject_id, sequence),
  CONSTRAINT file_entries_kind_check CHECK (kind = ANY (ARRAY['FREEZE_PLACED'::text, 'FREEZE_LIFTED'::text, 'THAW_PLACED'::text, 'THAW_WITHDRAWN'::text, 'ALERT_PLACED'::text, 'ALERT_REMOVED'::text, 'STATEMENT_SET'::text, 'STATEMENT_REMOVED'::text, 'FILE_JOINED'::text, 'FILE_PARTED'::text]))
);

CREATE TABLE health_accounts (
  institution_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  CONSTRAINT health_accounts_pkey PRIMARY KEY (institution_id, subject_id, account_id)
);

CREATE TABLE health_days (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  score smallint,
  grade text,
  looked_at timestamp with time zone NOT NULL,
  took_ms integer DEFAULT 0 NOT NULL,
  accounts bigint,
  covered_accounts bigint,
  open_accounts bigint,
  fresh_accounts bigint,
  CONSTRAINT health_days_pkey PRIMARY KEY (institution_id, day)
);

CREATE TABLE hourly_totals (
  hour timestamp with time zone NOT NULL,
  slot smallint NOT NULL,
  subjects bigint NOT NULL,
  accounts bigint NOT NULL,
  events bigint NOT NULL,
  inquiries bigint NOT NULL,
  CONSTRAINT hourly_totals_pkey PRIMARY KEY (hour, slot)
) WITH (fillfactor=50);

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

CREATE TABLE identifier_collisions (
  kind text NOT NULL,
  record_id uuid NOT NULL,
  value text NOT NULL,
  existing_id uuid,
  found_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT identifier_collisions_pkey PRIMARY KEY (kind, record_id)
);

CREATE TABLE import_faulty_rows (
  import_id uuid NOT NULL,
  line integer NOT NULL,
  faults json NOT NULL,
  row_json text,
  CONSTRAINT import_faulty_rows_pkey PRIMARY KEY (import_id, line)
);

CREATE TABLE import_mappings (
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  columns_json text,
  constants_json text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT import_mappings_institution_id_name_key UNIQUE (institution_id, name),
  CONSTRAINT import_mappings_pkey PRIMARY KEY (id)
);

CREATE TABLE import_pieces (
  import_id uuid NOT NULL,
  start_bytes bigint NOT NULL,
  content bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT import_pieces_pkey PRIMARY KEY (import_id, start_bytes)
);

CREATE TABLE import_row_keys (
  import_id uuid NOT NULL,
  key bytea NOT NULL,
  line integer NOT NULL,
  CONSTRAINT import_row_keys_pkey PRIMARY KEY (import_id, key)
);

CREATE TABLE imports (
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  kind text NOT NULL,
  format text NOT NULL,
  state text NOT NULL,
  dry_run boolean NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  received_bytes bigint NOT NULL,
  pieces integer NOT NULL,
  sha256 bytea,
  columns text[],
  place_bytes bigint NOT NULL,
  place_lines integer NOT NULL,
  checked_rows integer NOT NULL,
  row_count integer,
  applied_rows integer NOT NULL,
  reported integer NOT NULL,
  existing integer NOT NULL,
  refused integer NOT NULL,
  faulty_rows integer NOT NULL,
  kept_rows integer NOT NULL,
  kept_bytes bigint NOT NULL,
  failure text,
  attempts integer NOT NULL,
  lease_token uuid,
  due_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone NOT NULL,
  content_over boolean NOT NULL,
  mapping_name text,
  mapping_json text,
  CONSTRAINT imports_pkey PRIMARY KEY (id)
);

CREATE TABLE inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  processed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE inquiries (
  subject_id uuid NOT NULL,
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  purpose text NOT NULL,
  inquiry_type text NOT NULL,
  duplicate_of uuid,
  subject_version integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  voided_at timestamp with time zone,
  consent_reference text,
  CONSTRAINT inquiries_pkey PRIMARY KEY (subject_id, id),
  CONSTRAINT inquiries_inquiry_type_check CHECK (inquiry_type = ANY (ARRAY['HARD'::text, 'SOFT'::text]))
);

CREATE TABLE inquiry_voidings (
  dispute_id uuid NOT NULL,
  inquiry_ids uuid[] NOT NULL,
  voided_at timestamp with time zone NOT NULL,
  CONSTRAINT inquiry_voidings_pkey PRIMARY KEY (dispute_id)
);

CREATE TABLE known_disputes (
  dispute_id uuid NOT NULL,
  subject_id uuid,
  account_id uuid,
  credit_event_id uuid,
  institution_ids uuid[] NOT NULL,
  resolved_at timestamp with time zone,
  CONSTRAINT known_disputes_pkey PRIMARY KEY (dispute_id)
);

CREATE TABLE merkle_tiles (
  log_id uuid NOT NULL,
  tier smallint NOT NULL,
  tile bigint NOT NULL,
  hashes bytea NOT NULL,
  CONSTRAINT merkle_tiles_pkey PRIMARY KEY (log_id, tier, tile)
);

CREATE TABLE name_normalisation (
  version integer NOT NULL,
  after_subject_id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  CONSTRAINT name_normalisation_pkey PRIMARY KEY (version)
);

CREATE TABLE openings_of_merged (
  account_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  CONSTRAINT openings_of_merged_pkey PRIMARY KEY (account_id)
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

CREATE TABLE refused_inquiries (
  subject_id uuid NOT NULL,
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  purpose text NOT NULL,
  inquiry_type text NOT NULL,
  refusal text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  consent_reference text,
  CONSTRAINT refused_inquiries_pkey PRIMARY KEY (subject_id, id)
);

CREATE TABLE rejections (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  operation text NOT NULL,
  reason text NOT NULL,
  field text NOT NULL,
  count bigint NOT NULL,
  request_id text NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT rejections_pkey PRIMARY KEY (institution_id, day, operation, reason, field)
);

CREATE TABLE reporting_days (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  slot smallint NOT NULL,
  events bigint NOT NULL,
  timely_events bigint NOT NULL,
  correction_halves bigint NOT NULL,
  CONSTRAINT reporting_days_pkey PRIMARY KEY (institution_id, day, slot)
) WITH (fillfactor=50);

CREATE TABLE sandboxes (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  personas integer NOT NULL,
  CONSTRAINT sandboxes_pkey PRIMARY KEY (institution_id)
) WITH (fillfactor=50);

CREATE TABLE state_refolds (
  state_version smallint NOT NULL,
  after_subject_id uuid NOT NULL,
  after_account_id uuid NOT NULL,
  done_at timestamp with time zone,
  CONSTRAINT state_refolds_pkey PRIMARY KEY (state_version)
);

CREATE TABLE subject_former_names (
  subject_id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  replaced_at timestamp with time zone NOT NULL,
  replaced_by_institution_id uuid NOT NULL,
  times smallint DEFAULT 1 NOT NULL,
  CONSTRAINT subject_former_names_pkey PRIMARY KEY (subject_id, kind, name),
  CONSTRAINT subject_former_names_kind_check CHECK (kind = ANY (ARRAY['current_username'::text, 'forum_id'::text, 'trading_name'::text]))
);

CREATE TABLE subject_grams (
  gram text COLLATE "C" NOT NULL,
  subject_id uuid NOT NULL,
  CONSTRAINT subject_grams_pkey PRIMARY KEY (gram, subject_id)
);

CREATE TABLE subject_heads (
  subject_id uuid NOT NULL,
  version integer NOT NULL,
  rights json,
  merged_into uuid,
  left_version integer DEFAULT 0 NOT NULL,
  CONSTRAINT subject_heads_pkey PRIMARY KEY (subject_id)
) WITH (fillfactor=50);

CREATE TABLE subject_identities (
  kind text NOT NULL,
  key text NOT NULL,
  ordinal integer NOT NULL,
  subject_id uuid NOT NULL,
  reserved_until timestamp with time zone,
  CONSTRAINT subject_identities_pkey PRIMARY KEY (kind, key, ordinal),
  CONSTRAINT subject_identities_kind_check CHECK (kind = ANY (ARRAY['game_uuid'::text, 'forum_id'::text, 'username'::text, 'registration_number'::text, 'legal_name'::text]))
);

CREATE TABLE subject_move_records (
  move_id uuid NOT NULL,
  kind text NOT NULL,
  record_id uuid NOT NULL,
  institution_id uuid,
  CONSTRAINT subject_move_records_pkey PRIMARY KEY (move_id, kind, record_id),
  CONSTRAINT subject_move_records_kind_check CHECK (kind = ANY (ARRAY['ACCOUNT'::text, 'INQUIRY'::text, 'REFUSED_INQUIRY'::text, 'DISPUTE'::text]))
);

CREATE TABLE subject_moves (
  id uuid NOT NULL,
  kind text NOT NULL,
  from_subject_id uuid NOT NULL,
  to_subject_id uuid NOT NULL,
  undoes_move_id uuid,
  reason text NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  entries_at_move integer NOT NULL,
  moved_at timestamp with time zone NOT NULL,
  CONSTRAINT subject_moves_pkey PRIMARY KEY (id),
  CONSTRAINT subject_moves_undoes_move_id_key UNIQUE (undoes_move_id),
  CONSTRAINT subject_moves_kind_check CHECK (kind = ANY (ARRAY['MERGE'::text, 'SPLIT'::text]))
);

CREATE TABLE subject_requests (
  subject_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  CONSTRAINT subject_requests_pkey PRIMARY KEY (subject_id, institution_id)
);

CREATE TABLE subjects (
  id uuid NOT NULL,
  type text NOT NULL,
  game_uuid uuid,
  current_username text,
  forum_id text,
  legal_name text,
  registration_number text,
  trading_name text,
  organisation_kind text,
  founded_at timestamp with time zone,
  created_by_institution_id uuid NOT NULL,
  distinct_note text,
  search_text text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  cleared_at timestamp with time zone,
  CONSTRAINT subjects_pkey PRIMARY KEY (id),
  CONSTRAINT subjects_type_check CHECK (type = ANY (ARRAY['INDIVIDUAL'::text, 'ORGANISATION'::text]))
);

CREATE TABLE submission_days (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  slot smallint NOT NULL,
  submitted bigint NOT NULL,
  rejected bigint NOT NULL,
  CONSTRAINT submission_days_pkey PRIMARY KEY (institution_id, day, slot)
) WITH (fillfactor=50);

CREATE TABLE told_corrections (
  correction_event_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  credit_event_id uuid NOT NULL,
  event_type text NOT NULL,
  change text NOT NULL,
  told_at timestamp with time zone NOT NULL,
  institution_ids uuid[] NOT NULL,
  CONSTRAINT told_corrections_pkey PRIMARY KEY (correction_event_id),
  CONSTRAINT told_corrections_change_check CHECK (change = ANY (ARRAY['REPLACED'::text, 'REMOVED'::text, 'ACCOUNT_REMOVED'::text]))
);

CREATE TABLE told_notices (
  credit_event_id uuid NOT NULL,
  receiver_institution_ids uuid[] NOT NULL,
  CONSTRAINT told_notices_pkey PRIMARY KEY (credit_event_id)
);

CREATE TABLE credit_events_p00 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 0);
CREATE TABLE credit_events_p01 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 1);
CREATE TABLE credit_events_p02 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 2);
CREATE TABLE credit_events_p03 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 3);
CREATE TABLE credit_events_p04 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 4);
CREATE TABLE credit_events_p05 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 5);
CREATE TABLE credit_events_p06 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 6);
CREATE TABLE credit_events_p07 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 7);
CREATE TABLE credit_events_p08 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 8);
CREATE TABLE credit_events_p09 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 9);
CREATE TABLE credit_events_p10 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 10);
CREATE TABLE credit_events_p11 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 11);
CREATE TABLE credit_events_p12 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 12);
CREATE TABLE credit_events_p13 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 13);
CREATE TABLE credit_events_p14 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 14);
CREATE TABLE credit_events_p15 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 15);
CREATE TABLE credit_events_p16 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 16);
CREATE TABLE credit_events_p17 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 17);
CREATE TABLE credit_events_p18 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 18);
CREATE TABLE credit_events_p19 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 19);
CREATE TABLE credit_events_p20 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 20);
CREATE TABLE credit_events_p21 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 21);
CREATE TABLE credit_events_p22 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 22);
CREATE TABLE credit_events_p23 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 23);
CREATE TABLE credit_events_p24 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 24);
CREATE TABLE credit_events_p25 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 25);
CREATE TABLE credit_events_p26 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 26);
CREATE TABLE credit_events_p27 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 27);
CREATE TABLE credit_events_p28 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 28);
CREATE TABLE credit_events_p29 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 29);
CREATE TABLE credit_events_p30 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 30);
CREATE TABLE credit_events_p31 PARTITION OF credit_events FOR VALUES WITH (modulus 32, remainder 31);

ALTER TABLE import_faulty_rows ADD CONSTRAINT import_faulty_rows_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE;
ALTER TABLE import_pieces ADD CONSTRAINT import_pieces_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id);
ALTER TABLE import_row_keys ADD CONSTRAINT import_row_keys_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id);
ALTER TABLE subject_move_records ADD CONSTRAINT subject_move_records_move_id_fkey FOREIGN KEY (move_id) REFERENCES subject_moves(id);
ALTER TABLE subject_moves ADD CONSTRAINT subject_moves_undoes_move_id_fkey FOREIGN KEY (undoes_move_id) REFERENCES subject_moves(id);

CREATE INDEX account_directory_former ON account_directory USING btree (institution_id, former_external_account_id) WHERE (former_external_account_id IS NOT NULL);
CREATE INDEX accounts_in_trouble ON accounts USING btree (institution_id, id) WHERE ((NOT voided) AND ((underlying_status = ANY (ARRAY['DELINQUENT'::text, 'WRITTEN_OFF'::text, 'PAST_DUE'::text])) OR (status = 'DISPUTED'::text)));
CREATE INDEX accounts_of_institution ON accounts USING btree (institution_id, id);
CREATE INDEX accounts_of_institution_by_change ON accounts USING btree (institution_id, updated_at, id);
CREATE INDEX accounts_of_institution_by_status ON accounts USING btree (institution_id, status, id);
CREATE INDEX corrected_disputes_of_institution ON corrected_disputes USING btree (institution_id, resolved_at);
CREATE INDEX credit_events_id ON ONLY credit_events USING btree (id);
CREATE UNIQUE INDEX credit_events_source_reference ON ONLY credit_events USING btree (subject_id, account_id, source_reference) WHERE (source_reference IS NOT NULL);
CREATE INDEX file_entries_told ON file_entries USING btree (subject_id, sequence) WHERE (kind = ANY (ARRAY['ALERT_PLACED'::text, 'ALERT_REMOVED'::text, 'STATEMENT_SET'::text, 'STATEMENT_REMOVED'::text, 'FILE_JOINED'::text, 'FILE_PARTED'::text]));
CREATE INDEX idempotency_expiry ON idempotency_records USING btree (expires_at);
CREATE INDEX imports_at_work ON imports USING btree (due_at) WHERE (state = ANY (ARRAY['CHECKING'::text, 'APPLYING'::text]));
CREATE INDEX imports_content_over ON imports USING btree (id) WHERE content_over;
CREATE INDEX imports_expiring ON imports USING btree (expires_at);
CREATE INDEX imports_of_institution ON imports USING btree (institution_id, id);
CREATE INDEX inbox_processed ON inbox USING btree (processed_at);
CREATE INDEX inquiries_by_time ON inquiries USING btree (subject_id, created_at);
CREATE INDEX inquiries_of_institution_by_purpose ON inquiries USING btree (institution_id, purpose, id);
CREATE INDEX inquiries_of_institution_counted ON inquiries USING btree (institution_id, id) INCLUDE (purpose, inquiry_type, created_at, consent_reference);
CREATE INDEX inquiries_of_the_day ON inquiries USING brin (created_at) WITH (autosummarize='on');
CREATE INDEX known_disputes_open ON known_disputes USING btree (subject_id) WHERE (resolved_at IS NULL);
CREATE INDEX outbox_published ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_unpublished ON outbox USING btree (partition, id) WHERE (published_at IS NULL);
CREATE INDEX refused_inquiries_of_institution ON refused_inquiries USING btree (institution_id, id);
CREATE INDEX rejections_by_day ON rejections USING btree (day);
CREATE INDEX subject_move_records_of_record ON subject_move_records USING btree (record_id);
CREATE INDEX subject_moves_from ON subject_moves USING btree (from_subject_id, moved_at);
CREATE INDEX subject_moves_to ON subject_moves USING btree (to_subject_id, moved_at);
CREATE INDEX subject_requests_by_time ON subject_requests USING btree (asked_at);
CREATE INDEX subjects_of_creator ON subjects USING btree (created_by_institution_id, id) WHERE (cleared_at IS NULL);
CREATE INDEX subjects_search ON subjects USING gin (search_grams(search_text)) WITH (fastupdate=off);
CREATE INDEX told_corrections_of_subject ON told_corrections USING btree (subject_id, told_at);

CREATE TRIGGER count_changed_accounts AFTER UPDATE ON accounts REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION count_changed_accounts();
CREATE TRIGGER count_new_accounts AFTER INSERT ON accounts REFERENCING NEW TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION count_accounts('1');
CREATE TRIGGER count_removed_accounts AFTER DELETE ON accounts REFERENCING OLD TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION count_accounts('-1');
CREATE TRIGGER keep_grams_of_new_subjects AFTER INSERT ON subjects REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_grams_of_new_subjects();
CREATE TRIGGER keep_subject_grams AFTER UPDATE OF search_text ON subjects FOR EACH ROW EXECUTE FUNCTION keep_subject_grams();
