-- Live disputes about institutions' reporting, as far as their people are told of them.
CREATE TABLE dispute_notices (
  institution_id uuid NOT NULL,
  dispute_id uuid NOT NULL,
  reason text NOT NULL,
  due_at timestamptz NOT NULL,
  -- Answered or decided: nobody has to be reminded.
  settled_at timestamptz,
  reminded_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (institution_id, dispute_id)
);
CREATE INDEX dispute_notices_to_remind ON dispute_notices (due_at)
  WHERE settled_at IS NULL AND reminded_at IS NULL;
CREATE INDEX dispute_notices_old ON dispute_notices (created_at);

-- Mails about them that are owed, one a person and kind until it is tried.
CREATE TABLE dispute_mails (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  kind text NOT NULL CHECK (kind IN ('OPENED', 'DUE')),
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  sent_at timestamptz,
  given_up_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX dispute_mails_waiting ON dispute_mails (user_id, kind) WHERE attempts = 0;
CREATE INDEX dispute_mails_due ON dispute_mails (due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;
CREATE INDEX dispute_mails_of_user ON dispute_mails (user_id, kind, created_at DESC);
CREATE INDEX dispute_mails_old ON dispute_mails (created_at);

-- What each is about.
CREATE TABLE dispute_mail_items (
  mail_id uuid NOT NULL REFERENCES dispute_mails ON DELETE CASCADE,
  dispute_id uuid NOT NULL,
  PRIMARY KEY (mail_id, dispute_id)
);
