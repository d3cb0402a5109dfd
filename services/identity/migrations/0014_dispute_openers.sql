-- Live disputes whose openers left an address, as far as they are told of them by mail.
CREATE TABLE dispute_openers (
  dispute_id uuid PRIMARY KEY,
  -- None where only the outcome was heard of: the receipt is still to come, or was over the limits.
  email text,
  reason text NOT NULL,
  opened_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  -- The outcome, once there is one.
  status text,
  is_corrected boolean,
  correction_pending boolean,
  voided_inquiry_count integer,
  decided_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX dispute_openers_decided ON dispute_openers (decided_at) WHERE decided_at IS NOT NULL;

-- Mails to them that are owed: each kind once for a dispute.
CREATE TABLE dispute_opener_mails (
  id uuid PRIMARY KEY,
  dispute_id uuid NOT NULL REFERENCES dispute_openers ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('RECEIVED', 'DECIDED')),
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  sent_at timestamptz,
  given_up_at timestamptz,
  UNIQUE (dispute_id, kind)
);
CREATE INDEX dispute_opener_mails_due ON dispute_opener_mails (due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;
