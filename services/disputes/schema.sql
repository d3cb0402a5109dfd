-- What the migrations make together, to be read in one piece. Generated; see CONTRIBUTING.md.

CREATE TABLE account_reviews (
  account_id uuid NOT NULL,
  open_reviews integer NOT NULL,
  toggles_done bigint DEFAULT 0 NOT NULL,
  next_change_id uuid NOT NULL,
  CONSTRAINT account_reviews_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_reviews_open_reviews_check CHECK (open_reviews >= 0)
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

CREATE TABLE dispute_answers (
  id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  verdict text NOT NULL,
  answer text NOT NULL,
  correction_event_ids uuid[] NOT NULL,
  answered_at timestamp with time zone NOT NULL,
  CONSTRAINT dispute_answers_pkey PRIMARY KEY (id),
  CONSTRAINT dispute_answers_verdict_check CHECK (verdict = ANY (ARRAY['VERIFIED'::text, 'CORRECTED'::text, 'NOT_OURS'::text]))
);

CREATE TABLE dispute_institutions (
  institution_id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  answered_at timestamp with time zone,
  CONSTRAINT dispute_institutions_pkey PRIMARY KEY (institution_id, dispute_id)
);

CREATE TABLE dispute_links (
  token_sha256 bytea NOT NULL,
  dispute_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT dispute_links_pkey PRIMARY KEY (token_sha256),
  CONSTRAINT dispute_links_token_sha256_check CHECK (octet_length(token_sha256) = 32)
);

CREATE TABLE dispute_moves (
  id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  status text NOT NULL,
  resolution text,
  correction bytea,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  client_address text NOT NULL,
  request_id text NOT NULL,
  state text DEFAULT 'PENDING'::text NOT NULL,
  step text DEFAULT 'LOCATE'::text NOT NULL,
  correction_event_id uuid,
  refusal jsonb,
  attempts integer DEFAULT 1 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  lease_token uuid,
  lease_until timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  named_account_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  inquiry_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  apply_to_group boolean DEFAULT false NOT NULL,
  account_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  opening_event_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  voided_inquiry_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  unmended_count integer DEFAULT 0 NOT NULL,
  CONSTRAINT dispute_moves_pkey PRIMARY KEY (id),
  CONSTRAINT dispute_moves_state_check CHECK (state = ANY (ARRAY['PENDING'::text, 'DONE'::text, 'REFUSED'::text])),
  CONSTRAINT dispute_moves_status_check CHECK (status = ANY (ARRAY['UNDER_REVIEW'::text, 'RESOLVED_CORRECTED'::text, 'RESOLVED_UPHELD'::text, 'REJECTED'::text])),
  CONSTRAINT dispute_moves_step_check CHECK (step = ANY (ARRAY['LOCATE'::text, 'CORRECT'::text, 'RELEASE'::text, 'COUNT'::text, 'SETTLE'::text, 'FINISH'::text]))
);

CREATE TABLE dispute_reviews (
  dispute_id uuid NOT NULL,
  account_id uuid NOT NULL,
  begun_by uuid,
  ended_by uuid,
  CONSTRAINT dispute_reviews_pkey PRIMARY KEY (dispute_id, account_id)
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
  access_token_sha256 bytea,
  located_at timestamp with time zone,
  located_subject_id uuid,
  account_id uuid,
  pending_move_id uuid,
  decided_with uuid,
  voided_inquiry_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  reinserted_event_id uuid,
  reinsertion_certification text,
  reinserted_at timestamp with time zone,
  retell boolean DEFAULT false NOT NULL,
  sandbox_institution_id uuid,
  contact_email text,
  person_subject_id uuid,
  contested_account_id uuid,
  contested_inquiry_id uuid,
  fact_event_id uuid,
  suppression text,
  suppression_state text,
  suppressed_since timestamp with time zone,
  records_moved_at timestamp with time zone,
  CONSTRAINT disputes_pkey PRIMARY KEY (id),
  CONSTRAINT disputes_check CHECK (num_nonnulls(subject_id, credit_event_id, reported_institution_id) > 0),
  CONSTRAINT disputes_status_check CHECK (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text, 'RESOLVED_CORRECTED'::text, 'RESOLVED_UPHELD'::text, 'REJECTED'::text])),
  CONSTRAINT disputes_suppression_check CHECK (suppression = ANY (ARRAY['BLOCK'::text, 'OVERDUE'::text])),
  CONSTRAINT disputes_suppression_state_check CHECK (suppression_state = ANY (ARRAY['WANTED'::text, 'DONE'::text, 'ENDED'::text, 'IMPOSSIBLE'::text]))
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
  losses uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  reset_from timestamp with time zone,
  tail_sequence bigint,
  tail_event_id uuid,
  tail_message_id text,
  tail_stored_at timestamp with time zone,
  CONSTRAINT outbox_state_pkey PRIMARY KEY (singleton),
  CONSTRAINT outbox_state_singleton_check CHECK (singleton)
);

CREATE TABLE sandboxes (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  disputes integer NOT NULL,
  CONSTRAINT sandboxes_pkey PRIMARY KEY (institution_id)
) WITH (fillfactor=50);

CREATE TABLE subject_merges (
  from_subject_id uuid NOT NULL,
  to_subject_id uuid,
  moved_at timestamp with time zone NOT NULL,
  CONSTRAINT subject_merges_pkey PRIMARY KEY (from_subject_id)
);

ALTER TABLE dispute_answers ADD CONSTRAINT dispute_answers_institution_id_dispute_id_fkey FOREIGN KEY (institution_id, dispute_id) REFERENCES dispute_institutions(institution_id, dispute_id);
ALTER TABLE dispute_institutions ADD CONSTRAINT dispute_institutions_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id);
ALTER TABLE dispute_links ADD CONSTRAINT dispute_links_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id);
ALTER TABLE dispute_moves ADD CONSTRAINT dispute_moves_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id);
ALTER TABLE dispute_reviews ADD CONSTRAINT dispute_reviews_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES disputes(id);
ALTER TABLE disputes ADD CONSTRAINT disputes_decided_with_fkey FOREIGN KEY (decided_with) REFERENCES disputes(id);
ALTER TABLE disputes ADD CONSTRAINT disputes_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES disputes(id);

CREATE INDEX dispute_answers_of_dispute ON dispute_answers USING btree (dispute_id, id DESC);
CREATE INDEX dispute_institutions_of_dispute ON dispute_institutions USING btree (dispute_id);
CREATE INDEX dispute_moves_due ON dispute_moves USING btree (next_attempt_at) WHERE (state = 'PENDING'::text);
CREATE INDEX dispute_moves_of_dispute ON dispute_moves USING btree (dispute_id);
CREATE UNIQUE INDEX dispute_moves_pending ON dispute_moves USING btree (dispute_id) WHERE (state = 'PENDING'::text);
CREATE INDEX dispute_reviews_begun ON dispute_reviews USING btree (begun_by);
CREATE INDEX dispute_reviews_ended ON dispute_reviews USING btree (ended_by) WHERE (ended_by IS NOT NULL);
CREATE INDEX disputes_alike ON disputes USING btree (credit_event_id, reason, id) WHERE ((credit_event_id IS NOT NULL) AND (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text])));
CREATE INDEX disputes_by_due_date ON disputes USING btree (due_at, id) WHERE (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text]));
CREATE INDEX disputes_by_status ON disputes USING btree (status, id DESC);
CREATE INDEX disputes_contact_to_delete ON disputes USING btree (resolved_at) WHERE (contact_email IS NOT NULL);
CREATE INDEX disputes_decided_with ON disputes USING btree (decided_with) WHERE (decided_with IS NOT NULL);
CREATE INDEX disputes_duplicates ON disputes USING btree (duplicate_of) WHERE (duplicate_of IS NOT NULL);
CREATE INDEX disputes_not_located ON disputes USING btree (id) WHERE (located_at IS NULL);
CREATE INDEX disputes_of_account ON disputes USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX disputes_of_person ON disputes USING btree (person_subject_id, id) WHERE (person_subject_id IS NOT NULL);
CREATE INDEX disputes_of_sandbox ON disputes USING btree (sandbox_institution_id, id) WHERE ((sandbox_institution_id IS NOT NULL) AND (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text])));
CREATE INDEX disputes_of_subject ON disputes USING btree (located_subject_id, id) WHERE (located_subject_id IS NOT NULL);
CREATE INDEX disputes_on_their_way ON disputes USING btree (pending_move_id) WHERE (pending_move_id IS NOT NULL);
CREATE INDEX disputes_open_of_group ON disputes USING btree (duplicate_of, id) WHERE ((duplicate_of IS NOT NULL) AND (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text])));
CREATE UNIQUE INDEX disputes_original ON disputes USING btree (credit_event_id, reason) WHERE ((duplicate_of IS NULL) AND (status = ANY (ARRAY['OPEN'::text, 'UNDER_REVIEW'::text])));
CREATE INDEX disputes_to_retell ON disputes USING btree (id) WHERE retell;
CREATE INDEX disputes_to_suppress ON disputes USING btree (id) WHERE (suppression_state = 'WANTED'::text);
CREATE INDEX idempotency_expiry ON idempotency_records USING btree (expires_at);
CREATE INDEX inbox_processed ON inbox USING btree (processed_at);
CREATE INDEX outbox_published ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_unpublished ON outbox USING btree (partition, id) WHERE (published_at IS NULL);
CREATE INDEX subject_merges_into ON subject_merges USING btree (to_subject_id) WHERE (to_subject_id IS NOT NULL);
