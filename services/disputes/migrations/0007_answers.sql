-- What institutions answer to disputes about their reporting. The latest of each stands.
CREATE TABLE dispute_answers (
  id uuid PRIMARY KEY,
  dispute_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  verdict text NOT NULL CHECK (verdict IN ('VERIFIED', 'CORRECTED', 'NOT_OURS')),
  answer text NOT NULL,
  correction_event_ids uuid[] NOT NULL,
  answered_at timestamptz NOT NULL,
  FOREIGN KEY (institution_id, dispute_id)
    REFERENCES dispute_institutions (institution_id, dispute_id)
);
CREATE INDEX dispute_answers_of_dispute ON dispute_answers (dispute_id, id DESC);

-- Of the answer that stands, for listings of what waits for one.
ALTER TABLE dispute_institutions ADD COLUMN answered_at timestamptz;

-- Answering takes an idempotency key.
CREATE TABLE idempotency_records (
  institution_id text NOT NULL,
  endpoint text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  answer bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (institution_id, endpoint, key)
) WITH (fillfactor = 80);
CREATE INDEX idempotency_expiry ON idempotency_records (expires_at);
