-- Where counts are kept as they come, from here on: by the hour, for who watches a day. What is older
-- than that is folded into the days, where all of it was counted before.
CREATE TABLE hourly_totals (
  hour timestamptz NOT NULL,
  slot smallint NOT NULL,
  subjects bigint NOT NULL,
  accounts bigint NOT NULL,
  events bigint NOT NULL,
  inquiries bigint NOT NULL,
  PRIMARY KEY (hour, slot)
) WITH (fillfactor = 50);
