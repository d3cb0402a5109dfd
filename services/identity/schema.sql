-- What the migrations make together, to be read in one piece. Generated; see CONTRIBUTING.md.

CREATE OR REPLACE FUNCTION audit_part(month date)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$ SELECT 'audit_events_' || CASE WHEN month = '-infinity' THEN 'before' ELSE to_char(month, 'YYYY_MM') END $function$;

CREATE OR REPLACE FUNCTION counting_window(counted_window integer, current_window integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT CASE WHEN counted_window = current_window + 1 THEN counted_window ELSE current_window END $function$;

CREATE OR REPLACE FUNCTION drop_audit_month(of date)
 RETURNS void
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
AS $function$
DECLARE
  held bigint;
BEGIN
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', audit_part(of));
  EXECUTE format('SELECT count(*) FROM %I', audit_part(of)) INTO held;
  IF held IS DISTINCT FROM (SELECT entries FROM audit_exports WHERE month = of) THEN
    RAISE EXCEPTION 'the month holds % entries, and other ones were exported', held;
  END IF;
  EXECUTE format('DROP TABLE %I', audit_part(of));
  UPDATE audit_exports SET dropped_at = now() WHERE month = of;
END
$function$;

CREATE OR REPLACE FUNCTION make_audit_months(ahead integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
AS $function$
DECLARE
  first_day date;
  part text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('make_audit_months', 0));
  FOR number IN 0..ahead LOOP
    first_day := date_trunc('month', now() AT TIME ZONE 'UTC') + number * interval '1 month';
    part := 'audit_events_' || to_char(first_day, 'YYYY_MM');
    CONTINUE WHEN to_regclass(part) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE audit_events_other INCLUDING ALL)', part);
    LOCK TABLE audit_events_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
      'WITH moved AS (DELETE FROM audit_events_other WHERE month = $1 RETURNING *)
       INSERT INTO %I SELECT * FROM moved', part) USING first_day;
    EXECUTE format(
      'ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      part, first_day, (first_day + interval '1 month')::date);
    made := made + 1;
  END LOOP;
  RETURN made;
END
$function$;

CREATE OR REPLACE FUNCTION refuse_session_without_factor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (
    SELECT FROM second_factors WHERE user_id = NEW.user_id AND confirmed_at IS NOT NULL
  ) THEN
    RAISE EXCEPTION 'a session of a user with a second factor begins with it'
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION used_in_window(counted_window integer, count integer, current_window integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT CASE WHEN counted_window BETWEEN current_window AND current_window + 1 THEN count ELSE 0 END $function$;

CREATE TABLE access_links (
  id uuid NOT NULL,
  token_hash bytea NOT NULL,
  subject_id uuid NOT NULL,
  environment text NOT NULL,
  institution_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT access_links_pkey PRIMARY KEY (id),
  CONSTRAINT access_links_token_hash_key UNIQUE (token_hash),
  CONSTRAINT access_links_environment_check CHECK (environment = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT access_links_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE access_lock (
  singleton boolean DEFAULT true NOT NULL,
  CONSTRAINT access_lock_pkey PRIMARY KEY (singleton),
  CONSTRAINT access_lock_singleton_check CHECK (singleton)
);

CREATE TABLE access_tokens (
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  user_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT access_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT access_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  display_name text NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  environment text NOT NULL,
  allowed_ips cidr[],
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by uuid NOT NULL,
  rotated_from uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT api_keys_allowed_ips_check CHECK (cardinality(allowed_ips) > 0),
  CONSTRAINT api_keys_environment_check CHECK (environment = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) > 0),
  CONSTRAINT api_keys_secret_hash_check CHECK (octet_length(secret_hash) = 32)
);

CREATE TABLE applications (
  id uuid NOT NULL,
  institution_name text NOT NULL,
  contact_name text NOT NULL,
  contact_email text NOT NULL,
  website text,
  description text,
  status text DEFAULT 'PENDING'::text NOT NULL,
  review_note text,
  reviewed_by uuid,
  reviewed_at timestamp with time zone,
  institution_id uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT applications_pkey PRIMARY KEY (id),
  CONSTRAINT applications_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text]))
);

CREATE TABLE attempts (
  id uuid NOT NULL,
  window_ends_at timestamp with time zone NOT NULL,
  count integer NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (id)
);

CREATE TABLE audit_chains (
  chain_id uuid NOT NULL,
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  month date DEFAULT '-infinity'::date NOT NULL,
  CONSTRAINT audit_chains_pkey PRIMARY KEY (chain_id)
) WITH (fillfactor=50);

CREATE TABLE audit_checkpoints (
  origin text NOT NULL,
  size bigint NOT NULL,
  root_hash bytea NOT NULL,
  signed_at timestamp(3) with time zone NOT NULL,
  key_id text NOT NULL,
  signature bytea NOT NULL,
  CONSTRAINT audit_checkpoints_pkey PRIMARY KEY (origin, size),
  CONSTRAINT audit_checkpoints_root_hash_check CHECK (octet_length(root_hash) = 32),
  CONSTRAINT audit_checkpoints_size_check CHECK (size > 0)
);

CREATE TABLE audit_events (
  chain_id uuid NOT NULL,
  sequence bigint NOT NULL,
  id uuid NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  environment text NOT NULL,
  request_id text NOT NULL,
  ip text NOT NULL,
  changes text NOT NULL,
  prev_hash bytea NOT NULL,
  hash bytea NOT NULL,
  month date DEFAULT (date_trunc('month'::text, (now() AT TIME ZONE 'UTC'::text)))::date NOT NULL
) PARTITION BY RANGE (month);

CREATE TABLE audit_export_ends (
  month date NOT NULL,
  place integer NOT NULL,
  chain_id uuid NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  hash bytea NOT NULL,
  root bytea NOT NULL,
  CONSTRAINT audit_export_ends_pkey PRIMARY KEY (month, place),
  CONSTRAINT audit_export_ends_check CHECK (last >= first)
);

CREATE TABLE audit_exports (
  month date NOT NULL,
  entries bigint NOT NULL,
  digest bytea NOT NULL,
  seal text NOT NULL,
  exported_at timestamp with time zone DEFAULT now() NOT NULL,
  dropped_at timestamp with time zone,
  CONSTRAINT audit_exports_pkey PRIMARY KEY (month),
  CONSTRAINT audit_exports_digest_check CHECK (octet_length(digest) = 32),
  CONSTRAINT audit_exports_entries_check CHECK (entries > 0)
);

CREATE TABLE contact_requests (
  id uuid NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  subject text,
  message text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  status text DEFAULT 'OPEN'::text NOT NULL,
  answer text,
  answered_by uuid,
  answered_at timestamp with time zone,
  CONSTRAINT contact_requests_pkey PRIMARY KEY (id),
  CONSTRAINT contact_requests_status_check CHECK (status = ANY (ARRAY['OPEN'::text, 'ANSWERED'::text, 'CLOSED'::text]))
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

CREATE TABLE dispute_mail_items (
  mail_id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  CONSTRAINT dispute_mail_items_pkey PRIMARY KEY (mail_id, dispute_id)
);

CREATE TABLE dispute_mails (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT dispute_mails_pkey PRIMARY KEY (id),
  CONSTRAINT dispute_mails_kind_check CHECK (kind = ANY (ARRAY['OPENED'::text, 'DUE'::text]))
);

CREATE TABLE dispute_notices (
  institution_id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  reason text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  settled_at timestamp with time zone,
  reminded_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT dispute_notices_pkey PRIMARY KEY (institution_id, dispute_id)
);

CREATE TABLE dispute_opener_mails (
  id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  kind text NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  CONSTRAINT dispute_opener_mails_dispute_id_kind_key UNIQUE (dispute_id, kind),
  CONSTRAINT dispute_opener_mails_pkey PRIMARY KEY (id),
  CONSTRAINT dispute_opener_mails_kind_check CHECK (kind = ANY (ARRAY['RECEIVED'::text, 'DECIDED'::text]))
);

CREATE TABLE dispute_openers (
  dispute_id uuid NOT NULL,
  email text,
  reason text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  status text,
  is_corrected boolean,
  correction_pending boolean,
  voided_inquiry_count integer,
  decided_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT dispute_openers_pkey PRIMARY KEY (dispute_id)
);

CREATE TABLE inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  processed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE institutions (
  id uuid NOT NULL,
  name text NOT NULL,
  website text,
  status text NOT NULL,
  status_reason text,
  publicly_listed boolean DEFAULT true NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  name_key text,
  CONSTRAINT institutions_pkey PRIMARY KEY (id),
  CONSTRAINT institutions_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'ACTIVE'::text, 'SUSPENDED'::text, 'CLOSED'::text]))
);

CREATE TABLE invitation_mails (
  invitation_id uuid NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  CONSTRAINT invitation_mails_pkey PRIMARY KEY (invitation_id)
);

CREATE TABLE invitation_tokens (
  token_hash bytea NOT NULL,
  invitation_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT invitation_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT invitation_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE invitations (
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  token_hash bytea NOT NULL,
  invited_by uuid,
  expires_at timestamp with time zone NOT NULL,
  accepted_by uuid,
  accepted_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  email_key text,
  invited_as text DEFAULT 'MEMBER'::text NOT NULL,
  ended_at timestamp with time zone,
  ended_because text,
  CONSTRAINT invitations_pkey PRIMARY KEY (id),
  CONSTRAINT invitations_token_hash_key UNIQUE (token_hash),
  CONSTRAINT invitations_check CHECK ((ended_at IS NULL) = (ended_because IS NULL)),
  CONSTRAINT invitations_ended_because_check CHECK (ended_because = ANY (ARRAY['WITHDRAWN'::text, 'SUPERSEDED'::text, 'INVITER_LOST_RIGHT'::text])),
  CONSTRAINT invitations_invited_as_check CHECK (invited_as = ANY (ARRAY['MEMBER'::text, 'PLATFORM'::text])),
  CONSTRAINT invitations_role_check CHECK (role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'COMPLIANCE'::text, 'LOAN_OFFICER'::text, 'DEVELOPER'::text, 'VIEWER'::text])),
  CONSTRAINT invitations_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE merkle_tiles (
  log_id uuid NOT NULL,
  tier smallint NOT NULL,
  tile bigint NOT NULL,
  hashes bytea NOT NULL,
  CONSTRAINT merkle_tiles_pkey PRIMARY KEY (log_id, tier, tile)
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

CREATE TABLE password_reset_mails (
  reset_id uuid NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  CONSTRAINT password_reset_mails_pkey PRIMARY KEY (reset_id)
);

CREATE TABLE password_reset_tokens (
  token_hash bytea NOT NULL,
  reset_id uuid NOT NULL,
  CONSTRAINT password_reset_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT password_reset_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE password_resets (
  id uuid NOT NULL,
  user_id uuid,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT password_resets_pkey PRIMARY KEY (id)
);

CREATE TABLE person_contact_requests (
  id uuid NOT NULL,
  subject_id uuid NOT NULL,
  environment text NOT NULL,
  email text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT person_contact_requests_pkey PRIMARY KEY (id),
  CONSTRAINT person_contact_requests_subject_id_environment_key UNIQUE (subject_id, environment),
  CONSTRAINT person_contact_requests_environment_check CHECK (environment = ANY (ARRAY['live'::text, 'test'::text]))
);

CREATE TABLE person_contact_tokens (
  token_hash bytea NOT NULL,
  request_id uuid NOT NULL,
  CONSTRAINT person_contact_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT person_contact_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE person_contacts (
  subject_id uuid NOT NULL,
  environment text NOT NULL,
  email text NOT NULL,
  confirmed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT person_contacts_pkey PRIMARY KEY (subject_id, environment),
  CONSTRAINT person_contacts_environment_check CHECK (environment = ANY (ARRAY['live'::text, 'test'::text]))
);

CREATE TABLE person_mails (
  id uuid NOT NULL,
  subject_id uuid NOT NULL,
  kind text NOT NULL,
  request_id uuid,
  email text,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT person_mails_pkey PRIMARY KEY (id),
  CONSTRAINT person_mails_check CHECK ((kind = 'CONFIRM'::text) = (request_id IS NOT NULL)),
  CONSTRAINT person_mails_check1 CHECK ((kind = ANY (ARRAY['REPLACED'::text, 'ENDED'::text])) = (email IS NOT NULL)),
  CONSTRAINT person_mails_kind_check CHECK (kind = ANY (ARRAY['CONFIRM'::text, 'NEWS'::text, 'REPLACED'::text, 'ENDED'::text]))
);

CREATE TABLE person_news (
  kind text NOT NULL,
  ref_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  purpose text,
  happened_at timestamp with time zone NOT NULL,
  mail_id uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT person_news_pkey PRIMARY KEY (kind, ref_id),
  CONSTRAINT person_news_kind_check CHECK (kind = ANY (ARRAY['INQUIRY'::text, 'CORRECTION'::text]))
);

CREATE TABLE person_sessions (
  id uuid NOT NULL,
  token_hash bytea NOT NULL,
  subject_id uuid NOT NULL,
  environment text NOT NULL,
  proof text NOT NULL,
  access_link_id uuid,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT person_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT person_sessions_token_hash_key UNIQUE (token_hash),
  CONSTRAINT person_sessions_environment_check CHECK (environment = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT person_sessions_proof_check CHECK (proof = ANY (ARRAY['ACCESS_LINK'::text, 'IDENTITY_PROVIDER'::text])),
  CONSTRAINT person_sessions_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE person_sign_ins (
  token_hash bytea NOT NULL,
  environment text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  redeemed_at timestamp with time zone,
  proven_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT person_sign_ins_pkey PRIMARY KEY (token_hash),
  CONSTRAINT person_sign_ins_environment_check CHECK (environment = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT person_sign_ins_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE rate_counters (
  id uuid NOT NULL,
  minute integer NOT NULL,
  minute_count integer NOT NULL,
  minute_limit integer NOT NULL,
  day integer NOT NULL,
  day_count integer NOT NULL,
  day_limit integer NOT NULL,
  granted integer NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT rate_counters_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.05, fillfactor=50);

CREATE TABLE recovery_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT recovery_codes_code_hash_check CHECK (octet_length(code_hash) = 32)
);

CREATE TABLE refresh_tokens (
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  parent_hash bytea,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  superseded_at timestamp with time zone,
  access_hash bytea,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT refresh_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE second_factor_mails (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  event text NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT second_factor_mails_pkey PRIMARY KEY (id),
  CONSTRAINT second_factor_mails_event_check CHECK (event = ANY (ARRAY['SET_UP'::text, 'REMOVED'::text, 'RESET'::text, 'CODES_RENEWED'::text, 'CODE_USED'::text]))
);

CREATE TABLE second_factors (
  user_id uuid NOT NULL,
  key_id text NOT NULL,
  sealed bytea NOT NULL,
  confirmed_at timestamp with time zone,
  last_step integer,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT second_factors_pkey PRIMARY KEY (user_id)
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone DEFAULT (now() + '30 days'::interval) NOT NULL,
  last_used_at timestamp with time zone,
  client_address text,
  amr text DEFAULT 'pwd'::text NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (id)
);

CREATE TABLE sign_in_challenges (
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_challenges_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sign_in_challenges_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE users (
  id uuid NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  display_name text NOT NULL,
  password_hash text NOT NULL,
  password_expires_at timestamp with time zone,
  must_change_password boolean DEFAULT false NOT NULL,
  status text DEFAULT 'ACTIVE'::text NOT NULL,
  institution_id uuid,
  role text,
  platform_role text,
  last_login_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT users_email_key_key UNIQUE (email_key),
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_check CHECK ((institution_id IS NULL) = (role IS NULL)),
  CONSTRAINT users_platform_role_check CHECK (platform_role = ANY (ARRAY['PLATFORM_ADMIN'::text, 'SVC_SUPERADMIN'::text])),
  CONSTRAINT users_role_check CHECK (role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'COMPLIANCE'::text, 'LOAN_OFFICER'::text, 'DEVELOPER'::text, 'VIEWER'::text])),
  CONSTRAINT users_status_check CHECK (status = ANY (ARRAY['ACTIVE'::text, 'DISABLED'::text]))
);

CREATE TABLE audit_events_other PARTITION OF audit_events (CONSTRAINT audit_events_other_id_key UNIQUE (id), CONSTRAINT audit_events_other_pkey PRIMARY KEY (chain_id, sequence)) DEFAULT;
CREATE TABLE audit_events_before PARTITION OF audit_events (CONSTRAINT audit_events_before_pkey PRIMARY KEY (chain_id, sequence)) FOR VALUES FROM (MINVALUE) TO ('2000-01-01');

ALTER TABLE access_links ADD CONSTRAINT access_links_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(id);
ALTER TABLE access_tokens ADD CONSTRAINT access_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;
ALTER TABLE access_tokens ADD CONSTRAINT access_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_rotated_from_fkey FOREIGN KEY (rotated_from) REFERENCES api_keys(id);
ALTER TABLE applications ADD CONSTRAINT applications_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(id);
ALTER TABLE audit_export_ends ADD CONSTRAINT audit_export_ends_month_fkey FOREIGN KEY (month) REFERENCES audit_exports(month);
ALTER TABLE dispute_mail_items ADD CONSTRAINT dispute_mail_items_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES dispute_mails(id) ON DELETE CASCADE;
ALTER TABLE dispute_mails ADD CONSTRAINT dispute_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE dispute_opener_mails ADD CONSTRAINT dispute_opener_mails_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES dispute_openers(dispute_id) ON DELETE CASCADE;
ALTER TABLE invitation_mails ADD CONSTRAINT invitation_mails_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitations(id);
ALTER TABLE invitation_tokens ADD CONSTRAINT invitation_tokens_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitations(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES users(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(id);
ALTER TABLE password_reset_mails ADD CONSTRAINT password_reset_mails_reset_id_fkey FOREIGN KEY (reset_id) REFERENCES password_resets(id) ON DELETE CASCADE;
ALTER TABLE password_reset_tokens ADD CONSTRAINT password_reset_tokens_reset_id_fkey FOREIGN KEY (reset_id) REFERENCES password_resets(id) ON DELETE CASCADE;
ALTER TABLE password_resets ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE person_contact_tokens ADD CONSTRAINT person_contact_tokens_request_id_fkey FOREIGN KEY (request_id) REFERENCES person_contact_requests(id) ON DELETE CASCADE;
ALTER TABLE person_mails ADD CONSTRAINT person_mails_request_id_fkey FOREIGN KEY (request_id) REFERENCES person_contact_requests(id) ON DELETE CASCADE;
ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES second_factors(user_id) ON DELETE CASCADE;
ALTER TABLE refresh_tokens ADD CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;
ALTER TABLE second_factor_mails ADD CONSTRAINT second_factor_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE second_factors ADD CONSTRAINT second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE sign_in_challenges ADD CONSTRAINT sign_in_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE users ADD CONSTRAINT users_institution_id_fkey FOREIGN KEY (institution_id) REFERENCES institutions(id);

CREATE INDEX access_links_by_end ON access_links USING btree (expires_at);
CREATE INDEX access_links_open ON access_links USING btree (subject_id, institution_id) WHERE (ended_at IS NULL);
CREATE INDEX access_tokens_by_expiry ON access_tokens USING btree (expires_at);
CREATE INDEX access_tokens_of_session ON access_tokens USING btree (session_id);
CREATE INDEX access_tokens_of_user ON access_tokens USING btree (user_id) WHERE (revoked_at IS NULL);
CREATE INDEX api_keys_of_institution ON api_keys USING btree (institution_id, id);
CREATE INDEX applications_by_status ON applications USING btree (status, id);
CREATE INDEX attempts_by_end ON attempts USING btree (window_ends_at);
CREATE INDEX audit_events_before_by_id ON audit_events_before USING btree (chain_id, id);
CREATE INDEX audit_events_before_by_target ON audit_events_before USING btree (chain_id, target_id, at, id);
CREATE INDEX audit_events_before_by_time ON audit_events_before USING btree (chain_id, at, id);
CREATE INDEX audit_events_before_of_batches ON audit_events_before USING gin ((((changes)::jsonb -> 'account_ids'::text))) WHERE (target_type = 'batch'::text);
CREATE INDEX audit_events_before_of_batches_of_subjects ON audit_events_before USING gin ((((changes)::jsonb -> 'subject_ids'::text))) WHERE (target_type = 'batch'::text);
CREATE INDEX audit_events_other_by_target ON audit_events_other USING btree (chain_id, target_id);
CREATE INDEX audit_events_other_by_time ON audit_events_other USING btree (chain_id, at, id);
CREATE INDEX audit_events_other_of_batches ON audit_events_other USING gin ((((changes)::jsonb -> 'account_ids'::text)), (((changes)::jsonb -> 'subject_ids'::text))) WHERE (target_type = 'batch'::text);
CREATE INDEX audit_export_ends_of_chain ON audit_export_ends USING btree (chain_id, last);
CREATE INDEX contact_requests_by_status ON contact_requests USING btree (status, id);
CREATE INDEX dispute_mails_due ON dispute_mails USING btree (due_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));
CREATE INDEX dispute_mails_of_user ON dispute_mails USING btree (user_id, kind, created_at DESC);
CREATE INDEX dispute_mails_old ON dispute_mails USING btree (created_at);
CREATE UNIQUE INDEX dispute_mails_waiting ON dispute_mails USING btree (user_id, kind) WHERE (attempts = 0);
CREATE INDEX dispute_notices_old ON dispute_notices USING btree (created_at);
CREATE INDEX dispute_notices_to_remind ON dispute_notices USING btree (due_at) WHERE ((settled_at IS NULL) AND (reminded_at IS NULL));
CREATE INDEX dispute_opener_mails_due ON dispute_opener_mails USING btree (due_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));
CREATE INDEX dispute_openers_decided ON dispute_openers USING btree (decided_at) WHERE (decided_at IS NOT NULL);
CREATE INDEX inbox_processed ON inbox USING btree (processed_at);
CREATE INDEX institutions_by_name ON institutions USING btree (name_key);
CREATE INDEX institutions_public ON institutions USING btree (lower(name), id) WHERE ((status = 'ACTIVE'::text) AND publicly_listed);
CREATE INDEX invitation_mails_due ON invitation_mails USING btree (due_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));
CREATE UNIQUE INDEX invitations_waiting ON invitations USING btree (institution_id, email_key) WHERE ((accepted_at IS NULL) AND (ended_at IS NULL));
CREATE INDEX invitations_waiting_by_id ON invitations USING btree (institution_id, id) WHERE ((accepted_at IS NULL) AND (ended_at IS NULL));
CREATE INDEX invitations_waiting_of_inviter ON invitations USING btree (invited_by) WHERE ((accepted_at IS NULL) AND (ended_at IS NULL));
CREATE INDEX outbox_published ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_unpublished ON outbox USING btree (partition, id) WHERE (published_at IS NULL);
CREATE INDEX password_reset_mails_due ON password_reset_mails USING btree (due_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));
CREATE INDEX password_reset_tokens_of_reset ON password_reset_tokens USING btree (reset_id);
CREATE INDEX password_resets_by_end ON password_resets USING btree (expires_at);
CREATE INDEX password_resets_open ON password_resets USING btree (user_id) WHERE (ended_at IS NULL);
CREATE INDEX person_contact_requests_by_end ON person_contact_requests USING btree (expires_at);
CREATE INDEX person_contact_tokens_of_request ON person_contact_tokens USING btree (request_id);
CREATE INDEX person_mails_due ON person_mails USING btree (due_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));
CREATE INDEX person_mails_last ON person_mails USING btree (created_at) WHERE (email IS NOT NULL);
CREATE INDEX person_mails_of_request ON person_mails USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX person_mails_of_subject ON person_mails USING btree (subject_id, created_at DESC) WHERE (kind = 'NEWS'::text);
CREATE INDEX person_mails_old ON person_mails USING btree (created_at);
CREATE UNIQUE INDEX person_mails_waiting ON person_mails USING btree (subject_id) WHERE ((kind = 'NEWS'::text) AND (attempts = 0));
CREATE INDEX person_news_of_subject ON person_news USING btree (subject_id, happened_at);
CREATE INDEX person_news_old ON person_news USING btree (created_at);
CREATE INDEX person_sessions_by_end ON person_sessions USING btree (expires_at);
CREATE INDEX person_sessions_open ON person_sessions USING btree (subject_id) WHERE (revoked_at IS NULL);
CREATE INDEX person_sign_ins_by_end ON person_sign_ins USING btree (expires_at);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_of_parent ON refresh_tokens USING btree (parent_hash);
CREATE INDEX refresh_tokens_of_session ON refresh_tokens USING btree (session_id);
CREATE INDEX second_factor_mails_due ON second_factor_mails USING btree (due_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));
CREATE INDEX second_factor_mails_old ON second_factor_mails USING btree (created_at);
CREATE INDEX sessions_by_age ON sessions USING btree (created_at);
CREATE INDEX sessions_of_user ON sessions USING btree (user_id) WHERE (revoked_at IS NULL);
CREATE INDEX sign_in_challenges_by_end ON sign_in_challenges USING btree (expires_at);
CREATE INDEX sign_in_challenges_of_user ON sign_in_challenges USING btree (user_id);
CREATE INDEX users_of_institution ON users USING btree (institution_id, id);
CREATE INDEX users_of_platform ON users USING btree (platform_role) WHERE (platform_role IS NOT NULL);

CREATE TRIGGER sessions_take_the_factor BEFORE INSERT ON sessions FOR EACH ROW WHEN ((new.amr = 'pwd'::text)) EXECUTE FUNCTION refuse_session_without_factor();
