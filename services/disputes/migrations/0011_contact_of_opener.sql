-- Where the opener of a dispute is told of it; deleted some time after the outcome.
ALTER TABLE disputes ADD COLUMN contact_email text;

-- Tokens of the links in those mails. Who has one reads mails of the address.
CREATE TABLE dispute_links (
  token_sha256 bytea PRIMARY KEY CHECK (octet_length(token_sha256) = 32),
  dispute_id uuid NOT NULL REFERENCES disputes,
  created_at timestamptz NOT NULL DEFAULT now()
);
