-- include: platform/0001

CREATE TABLE disputes (
  id uuid PRIMARY KEY,
  status text NOT NULL DEFAULT 'OPEN'
    CHECK (status IN ('OPEN', 'UNDER_REVIEW', 'RESOLVED_CORRECTED', 'RESOLVED_UPHELD', 'REJECTED')),
  -- As the opener gave them: they may name nothing that exists.
  subject_id uuid,
  credit_event_id uuid,
  reported_institution_id uuid,
  opened_by text NOT NULL,
  reason text NOT NULL,
  description text NOT NULL,
  evidence_links text[] NOT NULL,
  -- The first unresolved dispute of the same event and reason; never shown.
  duplicate_of uuid REFERENCES disputes (id),
  resolution text,
  opened_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  resolved_at timestamptz,
  correction_event_id uuid,
  correction_pending boolean NOT NULL DEFAULT false,
  CHECK (num_nonnulls(subject_id, credit_event_id, reported_institution_id) > 0)
);
-- One original among identical intakes, however many arrive at once.
CREATE UNIQUE INDEX disputes_original ON disputes (credit_event_id, reason)
  WHERE duplicate_of IS NULL AND status IN ('OPEN', 'UNDER_REVIEW');
CREATE INDEX disputes_of_institution ON disputes (reported_institution_id, id DESC);
CREATE INDEX disputes_by_status ON disputes (status, id DESC);
