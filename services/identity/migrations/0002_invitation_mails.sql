-- Mails that are owed, written with their invitation. Only ids: the token that a mail carries is
-- made when it is sent, so that no secret ever waits in a table.
CREATE TABLE invitation_mails (
  invitation_id uuid PRIMARY KEY REFERENCES invitations,
  -- While a sender has it this is when the next one may: a sender that dies loses nothing.
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  sent_at timestamptz,
  -- Refused for good, tried too often, or no longer wanted.
  given_up_at timestamptz
);
CREATE INDEX invitation_mails_due ON invitation_mails (due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;

-- Tokens that went out by mail, beside the one that the inviter was shown. Of an attempt that
-- seemed to fail the mail may have arrived all the same, so each attempt's token is good.
CREATE TABLE invitation_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  invitation_id uuid NOT NULL REFERENCES invitations,
  created_at timestamptz NOT NULL DEFAULT now()
);
