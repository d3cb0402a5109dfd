-- What was refused of an institution's reporting, by day and cause: the count, and the last request to look
-- at. What was sent is not kept.
CREATE TABLE rejections (
  institution_id uuid NOT NULL,
  day date NOT NULL,
  -- Empty of what has no row of its own: a day has a bound.
  operation text NOT NULL,
  reason text NOT NULL,
  -- The path of the field, without the number of the item; empty when none is at fault.
  field text NOT NULL,
  count bigint NOT NULL,
  request_id text NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (institution_id, day, operation, reason, field)
);
CREATE INDEX rejections_by_day ON rejections (day);
