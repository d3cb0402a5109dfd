-- include: platform/0002

-- The log of an institution's events, in the order they were taken into it: after their commits, and
-- apart from them. Proofs are made of it.
CREATE TABLE event_logs (
  institution_id uuid PRIMARY KEY,
  size bigint NOT NULL,
  -- What identity was told of last, to sign it.
  told_size bigint NOT NULL,
  -- Since when an event after those has waited.
  waiting_since timestamptz(3)
);

CREATE TABLE event_log_entries (
  institution_id uuid NOT NULL,
  -- From 0, without gaps.
  place bigint NOT NULL,
  event_id uuid NOT NULL UNIQUE,
  PRIMARY KEY (institution_id, place)
);

-- Up to which event, in the order of their ids, all have been taken in; its row is the turn to go on.
CREATE TABLE event_log_progress (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  after_id uuid NOT NULL
);
INSERT INTO event_log_progress (after_id) VALUES ('00000000-0000-0000-0000-000000000000');
