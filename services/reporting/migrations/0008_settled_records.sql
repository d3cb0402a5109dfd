ALTER TABLE credit_events
  -- Of an ACCOUNT_OPENED: when the trouble began, as its furnisher said. Of a CORRECTION of one:
  -- the terms that it changes. Null otherwise, as nearly always.
  ADD COLUMN opening_facts json,
  -- What was verified and how, of a fact that a dispute had taken away.
  ADD COLUMN certification text;

ALTER TABLE accounts
  -- The terms that the account was opened on, once a correction has changed them.
  ADD COLUMN original_terms json,
  -- What outcomes of disputes have settled about it; null when nothing.
  ADD COLUMN settled json;

-- An account that is taken off the file gives its external id free and is still found by it.
ALTER TABLE account_directory
  ALTER COLUMN external_account_id DROP NOT NULL,
  ADD COLUMN former_external_account_id text;
CREATE INDEX account_directory_former ON account_directory (institution_id, former_external_account_id)
  WHERE former_external_account_id IS NOT NULL;

-- Who was told of a default or delinquency: the same are told when it is gone or changed.
CREATE TABLE told_notices (
  credit_event_id uuid PRIMARY KEY,
  receiver_institution_ids uuid[] NOT NULL
);

-- Disputes as the disputes service tells of them. An outcome that comes before its opening stays,
-- so that the opening then finds it.
CREATE TABLE known_disputes (
  dispute_id uuid PRIMARY KEY,
  subject_id uuid,
  account_id uuid,
  credit_event_id uuid,
  institution_ids uuid[] NOT NULL,
  resolved_at timestamptz
);
CREATE INDEX known_disputes_open ON known_disputes (subject_id) WHERE resolved_at IS NULL;

-- How far the states of all accounts were folded anew, by the version of their encoding.
CREATE TABLE state_refolds (
  state_version smallint PRIMARY KEY,
  after_subject_id uuid NOT NULL,
  after_account_id uuid NOT NULL,
  done_at timestamptz
);
