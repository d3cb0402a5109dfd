-- Per institution: where its feed ends. Positions are given out under this row's
-- lock, which is held to the commit, so they become visible in their order and a
-- reader that has seen one has missed none before it.
CREATE TABLE feed_heads (
  institution_id uuid PRIMARY KEY,
  last_position bigint NOT NULL,
  -- The highest position whose event is kept no longer.
  swept_position bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

-- Which events an institution is entitled to, whether it subscribes to them or not.
CREATE TABLE feed (
  institution_id uuid NOT NULL,
  position bigint NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  event_created_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (institution_id, position),
  UNIQUE (institution_id, event_id)
);
-- Replays ask by time.
CREATE INDEX feed_by_time ON feed (institution_id, event_created_at);
-- The sweep.
CREATE INDEX feed_recorded ON feed (recorded_at);

ALTER TABLE events
  -- The trace of the request that caused it; empty when not traced.
  ADD COLUMN traceparent text NOT NULL DEFAULT '',
  ADD COLUMN recorded_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX events_recorded ON events (recorded_at);

-- Counts the deliveries of one event to one subscription: the first is 0.
ALTER TABLE deliveries ADD COLUMN replay integer NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_once
  UNIQUE (subscription_id, event_id, replay);
ALTER TABLE deliveries DROP CONSTRAINT deliveries_subscription_id_event_id_key;

-- Coarse, for a healthy endpoint's row is seldom written; attempts know better.
ALTER TABLE endpoints
  ADD COLUMN last_success_at timestamptz,
  ADD COLUMN last_failure_at timestamptz;

-- Null only in rows of an earlier version.
ALTER TABLE attempts ADD COLUMN subscription_id uuid;
UPDATE attempts SET subscription_id = d.subscription_id
  FROM deliveries d WHERE d.id = attempts.delivery_id;
-- How an endpoint fared of late.
CREATE INDEX attempts_of_subscription ON attempts (subscription_id, started_at DESC);
