-- How the people whom records are about get at their own files: by a link that a member gives them, or
-- by the identity provider. Nothing else opens a file.

CREATE TABLE access_links (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  subject_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  -- Who says that it knows the person.
  institution_id uuid NOT NULL REFERENCES institutions,
  expires_at timestamptz NOT NULL,
  -- Used, or another one was made in its place.
  ended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX access_links_open ON access_links (subject_id, institution_id) WHERE ended_at IS NULL;
CREATE INDEX access_links_by_end ON access_links (expires_at);

-- A sign-in on its way through the identity provider. What the provider is sent with it follows from
-- the token, which is kept nowhere.
CREATE TABLE person_sign_ins (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  expires_at timestamptz NOT NULL,
  -- When its code was taken to the provider: once.
  redeemed_at timestamptz,
  -- When the provider had said who it is.
  proven_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_sign_ins_by_end ON person_sign_ins (expires_at);

CREATE TABLE person_sessions (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  subject_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  proof text NOT NULL CHECK (proof IN ('ACCESS_LINK', 'IDENTITY_PROVIDER')),
  -- Of an ACCESS_LINK.
  access_link_id uuid,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_sessions_by_end ON person_sessions (expires_at);
