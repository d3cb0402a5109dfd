-- What subjects were called before, as it was written; searches find it in search_text.
CREATE TABLE subject_former_names (
  subject_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('current_username', 'forum_id', 'trading_name')),
  name text NOT NULL,
  replaced_at timestamptz NOT NULL,
  replaced_by_institution_id uuid NOT NULL,
  -- A name that comes and goes again is kept once, with the last time it went.
  PRIMARY KEY (subject_id, kind, name)
);

-- What an institution reported, by day. Written with the events; a slot per connection, so that
-- connections need not wait for each other.
CREATE TABLE reporting_days (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  slot smallint NOT NULL,
  events bigint NOT NULL,
  -- Those that had happened at most 7 days before.
  timely_events bigint NOT NULL,
  -- Of corrections: 1 for one of the institution's own before any dispute, else 2.
  correction_halves bigint NOT NULL,
  PRIMARY KEY (institution_id, day, slot)
) WITH (fillfactor = 50);

-- Items that came in, and those that were refused: apart from the events, because what refuses an
-- item rolls its events back.
CREATE TABLE submission_days (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  slot smallint NOT NULL,
  submitted bigint NOT NULL,
  rejected bigint NOT NULL,
  PRIMARY KEY (institution_id, day, slot)
) WITH (fillfactor = 50);

-- Disputes that were resolved against what an institution had reported, as the disputes service
-- tells it.
CREATE TABLE corrected_disputes (
  dispute_id uuid PRIMARY KEY,
  institution_id uuid NOT NULL,
  resolved_at timestamptz NOT NULL
);
CREATE INDEX corrected_disputes_of_institution ON corrected_disputes (institution_id, resolved_at);
