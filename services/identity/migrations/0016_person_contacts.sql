-- Where people are told by mail of their own files. Of live data mails are sent, of test data none.
CREATE TABLE person_contacts (
  subject_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  email text NOT NULL,
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subject_id, environment)
);

-- An address that waits to be confirmed, one of a subject.
CREATE TABLE person_contact_requests (
  id uuid PRIMARY KEY,
  subject_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  email text NOT NULL,
  expires_at timestamptz NOT NULL,
  UNIQUE (subject_id, environment)
);
CREATE INDEX person_contact_requests_by_end ON person_contact_requests (expires_at);

-- What its mails confirm it with: one of each attempt to send.
CREATE TABLE person_contact_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  request_id uuid NOT NULL REFERENCES person_contact_requests ON DELETE CASCADE
);
CREATE INDEX person_contact_tokens_of_request ON person_contact_tokens (request_id);

-- Mails that are owed.
CREATE TABLE person_mails (
  id uuid PRIMARY KEY,
  subject_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('CONFIRM', 'NEWS', 'REPLACED', 'ENDED')),
  -- Of a CONFIRM.
  request_id uuid REFERENCES person_contact_requests ON DELETE CASCADE,
  -- Of the last mail to an address that is kept nowhere else any more: it goes with the mail.
  email text,
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  sent_at timestamptz,
  given_up_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'CONFIRM') = (request_id IS NOT NULL)),
  CHECK ((kind IN ('REPLACED', 'ENDED')) = (email IS NOT NULL))
);
CREATE UNIQUE INDEX person_mails_waiting ON person_mails (subject_id)
  WHERE kind = 'NEWS' AND attempts = 0;
CREATE INDEX person_mails_due ON person_mails (due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;
CREATE INDEX person_mails_of_subject ON person_mails (subject_id, created_at DESC)
  WHERE kind = 'NEWS';
CREATE INDEX person_mails_of_request ON person_mails (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX person_mails_last ON person_mails (created_at) WHERE email IS NOT NULL;
CREATE INDEX person_mails_old ON person_mails (created_at);

-- What there is to tell, each once however often it is heard of.
CREATE TABLE person_news (
  kind text NOT NULL CHECK (kind IN ('INQUIRY', 'CORRECTION')),
  -- The inquiry or the correction.
  ref_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  -- Of an INQUIRY.
  purpose text,
  happened_at timestamptz NOT NULL,
  -- What tells it, once that is being written.
  mail_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, ref_id)
);
CREATE INDEX person_news_of_subject ON person_news (subject_id, happened_at);
CREATE INDEX person_news_old ON person_news (created_at);
