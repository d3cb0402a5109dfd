-- An institution's health as it was last looked at on each day. To work it out reads all accounts of a
-- book: what many ask for, and what a large book's figures were a moment ago, is read here.
CREATE TABLE health_days (
  institution_id uuid NOT NULL,
  -- In UTC.
  day date NOT NULL,
  -- Both absent while nothing was measured.
  score smallint,
  grade text,
  looked_at timestamptz NOT NULL,
  -- How long that took: what takes long is looked at less often.
  took_ms integer NOT NULL DEFAULT 0,
  -- What the accounts came to; all absent until the first look of a day ends.
  accounts bigint,
  covered_accounts bigint,
  open_accounts bigint,
  fresh_accounts bigint,
  PRIMARY KEY (institution_id, day)
);
