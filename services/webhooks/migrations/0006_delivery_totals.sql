-- What came of deliveries, counted as it happens: by the hour, for who watches a day, and by the day
-- from when that is over. Nothing is counted of before.
CREATE TABLE hourly_totals (
  hour timestamptz NOT NULL,
  slot smallint NOT NULL,
  delivered bigint NOT NULL,
  failed_attempts bigint NOT NULL,
  given_up bigint NOT NULL,
  PRIMARY KEY (hour, slot)
) WITH (fillfactor = 50);
CREATE TABLE daily_totals (
  day date NOT NULL,
  slot smallint NOT NULL,
  delivered bigint NOT NULL,
  failed_attempts bigint NOT NULL,
  given_up bigint NOT NULL,
  PRIMARY KEY (day, slot)
);
