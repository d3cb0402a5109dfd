-- A forgotten password that somebody asked to set anew. One of an address that nobody has is kept
-- too, without a user: both take the same work, so that its time tells nothing.
CREATE TABLE password_resets (
  id uuid PRIMARY KEY,
  user_id uuid REFERENCES users,
  expires_at timestamptz NOT NULL,
  -- Used, or not wanted any more: the password or the address is another one.
  ended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX password_resets_open ON password_resets (user_id) WHERE ended_at IS NULL;
CREATE INDEX password_resets_by_end ON password_resets (expires_at);

-- As with invitations: each attempt at a mail carries a token of its own, of which only this is kept.
CREATE TABLE password_reset_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  reset_id uuid NOT NULL REFERENCES password_resets ON DELETE CASCADE
);
CREATE INDEX password_reset_tokens_of_reset ON password_reset_tokens (reset_id);

-- Mails that are owed, as invitation_mails.
CREATE TABLE password_reset_mails (
  reset_id uuid PRIMARY KEY REFERENCES password_resets ON DELETE CASCADE,
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  sent_at timestamptz,
  given_up_at timestamptz
);
CREATE INDEX password_reset_mails_due ON password_reset_mails (due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;

-- When and from where a session was last used: at the sign-in, and at each refresh. What replicas of
-- before this migration begin has neither.
ALTER TABLE sessions
  ADD COLUMN last_used_at timestamptz,
  ADD COLUMN client_address text;
