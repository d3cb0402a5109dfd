-- The audit log in parts by the month in which an entry was written. It never goes back within a chain, so
-- that a chain's entries of a month are one piece of it, and what is dropped with old months is its beginning.

-- The release before finds the new table under the name: in one transaction, which waits for no long read.
-- squawk-ignore renaming-table
ALTER TABLE audit_events RENAME TO audit_events_before;
ALTER INDEX audit_events_pkey RENAME TO audit_events_before_pkey;
ALTER INDEX audit_events_by_time RENAME TO audit_events_before_by_time;
ALTER INDEX audit_events_by_target RENAME TO audit_events_before_by_target;
ALTER INDEX audit_events_by_id RENAME TO audit_events_before_by_id;
ALTER INDEX audit_events_of_batches RENAME TO audit_events_before_of_batches;
ALTER INDEX audit_events_of_batches_of_subjects RENAME TO audit_events_before_of_batches_of_subjects;

-- Keys and indexes are each part's own: those of before stay as they are, without being built anew.
CREATE TABLE audit_events (
  chain_id uuid NOT NULL,
  sequence bigint NOT NULL,
  id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  environment text NOT NULL,
  request_id text NOT NULL,
  ip text NOT NULL,
  -- JSON, byte for byte as it was hashed.
  changes text NOT NULL,
  prev_hash bytea NOT NULL,
  hash bytea NOT NULL,
  -- As the release before writes it, which does not know of it.
  month date NOT NULL DEFAULT (date_trunc('month', now() AT TIME ZONE 'UTC'))::date
) PARTITION BY RANGE (month);
ALTER TABLE audit_events
  ATTACH PARTITION audit_events_before FOR VALUES FROM (MINVALUE) TO ('2000-01-01');
ALTER TABLE audit_events_before DROP CONSTRAINT audit_events_without_month;
ALTER TABLE audit_events_before ALTER COLUMN month DROP DEFAULT;

-- What has no month of its own yet, so that nothing is ever refused; and what months are made like.
CREATE TABLE audit_events_other PARTITION OF audit_events
  (PRIMARY KEY (chain_id, sequence), UNIQUE (id)) DEFAULT;
CREATE INDEX audit_events_other_by_time ON audit_events_other (chain_id, at, id);
CREATE INDEX audit_events_other_by_target ON audit_events_other (chain_id, target_id);
CREATE INDEX audit_events_other_of_batches ON audit_events_other
  USING gin ((changes::jsonb -> 'account_ids'), (changes::jsonb -> 'subject_ids'))
  WHERE target_type = 'batch';

-- Makes the current month and so many after it; says how many there were not. What was written for want of
-- them moves there. A part is attached: made as one at once it would keep everybody from the whole log.
CREATE FUNCTION make_audit_months(ahead integer) RETURNS integer LANGUAGE plpgsql
  SET lock_timeout = '2s' AS
$$
DECLARE
  first_day date;
  part text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('make_audit_months', 0));
  FOR number IN 0..ahead LOOP
    first_day := date_trunc('month', now() AT TIME ZONE 'UTC') + number * interval '1 month';
    part := 'audit_events_' || to_char(first_day, 'YYYY_MM');
    CONTINUE WHEN to_regclass(part) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE audit_events_other INCLUDING ALL)', part);
    LOCK TABLE audit_events_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
      'WITH moved AS (DELETE FROM audit_events_other WHERE month = $1 RETURNING *)
       INSERT INTO %I SELECT * FROM moved', part) USING first_day;
    EXECUTE format(
      'ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      part, first_day, (first_day + interval '1 month')::date);
    made := made + 1;
  END LOOP;
  RETURN made;
END
$$;
