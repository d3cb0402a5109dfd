-- Who has shown that a subject asked for its own file by their hand: whose access link it used, and when
-- last. Rows of which the time is over are deleted.
CREATE TABLE subject_requests (
  subject_id uuid NOT NULL,
  institution_id uuid NOT NULL,
  asked_at timestamptz NOT NULL,
  PRIMARY KEY (subject_id, institution_id)
);
CREATE INDEX subject_requests_by_time ON subject_requests (asked_at);
