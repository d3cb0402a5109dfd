ALTER TABLE disputes
  -- SHA-256 of what the opener shows to see the dispute again; none for what was opened before
  -- there were such tokens.
  ADD COLUMN access_token_sha256 bytea,
  -- When reporting was asked where the contested record is; what it said, kept for good.
  ADD COLUMN located_at timestamptz,
  ADD COLUMN located_subject_id uuid,
  ADD COLUMN account_id uuid;
CREATE INDEX disputes_not_located ON disputes (id) WHERE located_at IS NULL;
CREATE INDEX disputes_duplicates ON disputes (duplicate_of) WHERE duplicate_of IS NOT NULL;

-- Whose reporting a dispute is about; each of them may see it.
CREATE TABLE dispute_institutions (
  institution_id uuid NOT NULL,
  dispute_id uuid NOT NULL REFERENCES disputes (id),
  PRIMARY KEY (institution_id, dispute_id)
);
CREATE INDEX dispute_institutions_of_dispute ON dispute_institutions (dispute_id);

-- How many reviews of an account are open, and how often it was put under review and back. It
-- stands under review in reporting when toggles_done is odd, and should when open_reviews > 0.
CREATE TABLE account_reviews (
  account_id uuid PRIMARY KEY,
  open_reviews integer NOT NULL CHECK (open_reviews >= 0),
  toggles_done bigint NOT NULL DEFAULT 0,
  -- Names the next change, so that it has its effect once, however often it is asked for.
  next_change_id uuid NOT NULL
);

-- What an administrator decided, until all that goes with it is done. Of originals only: their
-- duplicates go with them.
CREATE TABLE dispute_moves (
  id uuid PRIMARY KEY,
  dispute_id uuid NOT NULL REFERENCES disputes (id),
  status text NOT NULL
    CHECK (status IN ('UNDER_REVIEW', 'RESOLVED_CORRECTED', 'RESOLVED_UPHELD', 'REJECTED')),
  resolution text,
  -- A credit.reporting.v1.Replacement.
  correction bytea,
  -- Who decided, for the log, whoever completes it.
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  client_address text NOT NULL,
  request_id text NOT NULL,
  state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DONE', 'REFUSED')),
  step text NOT NULL DEFAULT 'LOCATE'
    CHECK (step IN ('LOCATE', 'CORRECT', 'COUNT', 'SETTLE', 'FINISH')),
  -- What came of CORRECT; none when the event's type allows no correction.
  correction_event_id uuid,
  -- Why CORRECT was refused: code, message and details of the error.
  refusal jsonb,
  attempts integer NOT NULL DEFAULT 1,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- Whose it is at the moment; a process that died is succeeded when the lease ends.
  lease_token uuid,
  lease_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE UNIQUE INDEX dispute_moves_pending ON dispute_moves (dispute_id) WHERE state = 'PENDING';
CREATE INDEX dispute_moves_due ON dispute_moves (next_attempt_at) WHERE state = 'PENDING';

-- Listings go by dispute_institutions now.
DROP INDEX disputes_of_institution;
