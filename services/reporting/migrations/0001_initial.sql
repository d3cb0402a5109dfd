-- include: platform/0001

-- Every key of a subject's data leads with subject_id, so that what is read of one subject lies
-- together. Whatever is looked up or kept unique by something else goes through a small table keyed by
-- that.

CREATE TABLE subjects (
  id uuid PRIMARY KEY,
  type text NOT NULL CHECK (type IN ('INDIVIDUAL', 'ORGANISATION')),
  game_uuid uuid,
  current_username text,
  forum_id text,
  legal_name text,
  registration_number text,
  trading_name text,
  organisation_kind text,
  founded_at timestamptz,
  -- The institution that made the subject may rename it.
  created_by_institution_id uuid NOT NULL,
  -- Why the subject is another party than one of the same name.
  distinct_note text,
  -- One line per name, normalised: what searches look into.
  search_text text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

-- All pieces of two and three characters, none across lines. pg_trgm would do for three and more,
-- but has nothing to offer for two inside a word, and drops punctuation.
CREATE FUNCTION search_grams(search_text text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
  SELECT coalesce(array_agg(DISTINCT gram), '{}')
  FROM generate_series(1, length(search_text) - 1) AS start,
       (VALUES (2), (3)) AS sizes (size),
       substr(search_text, start, size) AS gram
  WHERE length(gram) = size AND strpos(gram, chr(10)) = 0
$$;

-- No pending list: a search must not pay for the inserts before it.
CREATE INDEX subjects_search ON subjects USING gin (search_grams(search_text))
  WITH (fastupdate = off);

-- Who holds an identity. Names recur: further holders of one get the next ordinals, and two
-- concurrent newcomers meet at the same one.
CREATE TABLE subject_identities (
  kind text NOT NULL CHECK (
    kind IN ('game_uuid', 'forum_id', 'username', 'registration_number', 'legal_name')
  ),
  key text NOT NULL,
  ordinal integer NOT NULL,
  subject_id uuid NOT NULL,
  PRIMARY KEY (kind, key, ordinal)
);

-- The lock of everything about a subject, and the count of its changes.
CREATE TABLE subject_heads (
  subject_id uuid PRIMARY KEY,
  version integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE account_directory (
  account_id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  external_account_id text NOT NULL,
  subject_id uuid NOT NULL,
  UNIQUE (institution_id, external_account_id)
);

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
  opened_at timestamptz NOT NULL,
  maturity_at timestamptz,
  payment_frequency text,
  metadata_json text NOT NULL,
  -- The fold over the account's events, and out of it what listings and receivers ask for. Always
  -- read and written as a whole: jsonb would only be taken apart and put together again.
  state json NOT NULL,
  status text NOT NULL,
  underlying_status text NOT NULL,
  balance_minor bigint NOT NULL,
  -- Number of the account's events.
  version integer NOT NULL,
  -- The subject's version that the last change made.
  subject_version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (subject_id, id)
) WITH (fillfactor = 60);
CREATE INDEX accounts_of_institution ON accounts (institution_id, id);
CREATE INDEX accounts_of_institution_by_status ON accounts (institution_id, status, id);

CREATE TABLE credit_events (
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  sequence integer NOT NULL,
  id uuid NOT NULL,
  event_type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  reported_at timestamptz NOT NULL,
  amount_minor bigint,
  balance_after_minor bigint,
  source_reference text,
  default_severity text,
  supersedes_event_id uuid,
  correction_reason text,
  corrected_event_type text,
  corrected_occurred_at timestamptz,
  by_network boolean NOT NULL,
  -- DEFAULT or DELINQUENCY: what the network was told of it.
  notice text,
  -- What follows from the timeline; a backdated event or a correction changes it.
  superseded_by_event_id uuid,
  effect text NOT NULL CHECK (effect IN ('EFFECTIVE', 'SUPERSEDED', 'IGNORED')),
  resulting_status text,
  PRIMARY KEY (subject_id, account_id, sequence)
) PARTITION BY HASH (subject_id);
CREATE UNIQUE INDEX credit_events_source_reference
  ON credit_events (subject_id, account_id, source_reference)
  WHERE source_reference IS NOT NULL;
-- For the rare look-up by id alone: disputes, and corrections that name another account's event.
CREATE INDEX credit_events_id ON credit_events (id);

DO $$
BEGIN
  FOR remainder IN 0..31 LOOP
    EXECUTE format(
      'CREATE TABLE credit_events_p%s PARTITION OF credit_events
         FOR VALUES WITH (MODULUS 32, REMAINDER %s)',
      lpad(remainder::text, 2, '0'), remainder
    );
  END LOOP;
END
$$;

CREATE TABLE inquiries (
  subject_id uuid NOT NULL,
  id uuid NOT NULL,
  institution_id uuid NOT NULL,
  purpose text NOT NULL,
  inquiry_type text NOT NULL CHECK (inquiry_type IN ('HARD', 'SOFT')),
  duplicate_of uuid,
  -- The subject's version that the inquiry made.
  subject_version integer NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (subject_id, id)
);
CREATE INDEX inquiries_by_time ON inquiries (subject_id, created_at);

-- Counted as they come, because counting afterwards takes longer with every row. Several slots a
-- day, so that connections need not wait for each other.
CREATE TABLE daily_totals (
  day date NOT NULL,
  slot smallint NOT NULL,
  subjects bigint NOT NULL,
  accounts bigint NOT NULL,
  events bigint NOT NULL,
  inquiries bigint NOT NULL,
  PRIMARY KEY (day, slot)
) WITH (fillfactor = 50);
