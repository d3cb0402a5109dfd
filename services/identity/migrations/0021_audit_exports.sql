-- Months of the audit log that are kept in files, and what they end with: of what was dropped, all that is left.
CREATE TABLE audit_exports (
  -- Of what was written before there were months: '-infinity'.
  month date PRIMARY KEY,
  entries bigint NOT NULL CHECK (entries > 0),
  -- SHA-256 of the file.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  -- A signed note over the ends, as they stand below.
  seal text NOT NULL,
  exported_at timestamptz NOT NULL DEFAULT now(),
  dropped_at timestamptz
);

CREATE TABLE audit_export_ends (
  month date NOT NULL REFERENCES audit_exports,
  place integer NOT NULL,
  chain_id uuid NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL CHECK (last >= first),
  hash bytea NOT NULL,
  -- Of the log's tree when the last entry was its last.
  root bytea NOT NULL,
  PRIMARY KEY (month, place)
);
CREATE INDEX audit_export_ends_of_chain ON audit_export_ends (chain_id, last);

CREATE FUNCTION audit_part(month date) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT 'audit_events_' || CASE WHEN month = '-infinity' THEN 'before' ELSE to_char(month, 'YYYY_MM') END $$;

-- Only what was exported as it stands: the part is locked, and holds that many entries.
CREATE FUNCTION drop_audit_month(of date) RETURNS void LANGUAGE plpgsql
  SET lock_timeout = '2s' AS
$$
DECLARE
  held bigint;
BEGIN
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', audit_part(of));
  EXECUTE format('SELECT count(*) FROM %I', audit_part(of)) INTO held;
  IF held IS DISTINCT FROM (SELECT entries FROM audit_exports WHERE month = of) THEN
    RAISE EXCEPTION 'the month holds % entries, and other ones were exported', held;
  END IF;
  EXECUTE format('DROP TABLE %I', audit_part(of));
  UPDATE audit_exports SET dropped_at = now() WHERE month = of;
END
$$;
