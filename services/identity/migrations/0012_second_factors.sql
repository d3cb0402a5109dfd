-- The second factor of a user: the secret that its authenticator shares, sealed. Without a time of
-- confirmation it is only offered, and asked of nobody.
CREATE TABLE second_factors (
  user_id uuid PRIMARY KEY REFERENCES users,
  key_id text NOT NULL,
  sealed bytea NOT NULL,
  confirmed_at timestamptz,
  -- The time step of the last code that was taken: it and those before are good no more.
  last_step integer,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE recovery_codes (
  user_id uuid NOT NULL REFERENCES second_factors ON DELETE CASCADE,
  code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  used_at timestamptz,
  PRIMARY KEY (user_id, code_hash)
);

-- Sign-ins whose password was right and whose second factor is awaited.
CREATE TABLE sign_in_challenges (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  user_id uuid NOT NULL REFERENCES users,
  attempts integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_challenges_of_user ON sign_in_challenges (user_id);
CREATE INDEX sign_in_challenges_by_end ON sign_in_challenges (expires_at);

-- What the sign-in was proven with.
ALTER TABLE sessions ADD COLUMN amr text NOT NULL DEFAULT 'pwd';
