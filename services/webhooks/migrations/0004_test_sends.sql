-- Test messages that were sent on request, of a subscription and of an institution, in the minute
-- that runs: however many replicas are asked.
CREATE TABLE test_sends (
  id uuid PRIMARY KEY,
  window_ends_at timestamptz NOT NULL,
  count integer NOT NULL
);
CREATE INDEX test_sends_by_end ON test_sends (window_ends_at);
