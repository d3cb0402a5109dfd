-- Furnishers' identifiers come without outer white space from now on; those on record lose it too,
-- or a retry of " A 1" would be taken for something new. As text/index.ts of the platform has it.
CREATE FUNCTION without_outer_space(identifier text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT btrim(identifier, E' \t\n\x0B\f\r\u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005'
    || E'\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF')
$$;

-- Accounts: the first of several gets the bare identifier unless another has it.
CREATE TABLE spaced_accounts AS
SELECT spaced.account_id, spaced.subject_id, spaced.external_account_id, spaced.bare,
  coalesce(known.account_id, first_value(spaced.account_id) OVER same) AS existing_id,
  known.account_id IS NULL AND spaced.bare <> '' AND row_number() OVER same = 1 AS is_first
FROM (
  SELECT *, without_outer_space(external_account_id) AS bare FROM account_directory
  WHERE external_account_id <> without_outer_space(external_account_id)
) AS spaced
LEFT JOIN account_directory AS known
  ON known.institution_id = spaced.institution_id AND known.external_account_id = spaced.bare
WINDOW same AS (PARTITION BY spaced.institution_id, spaced.bare ORDER BY spaced.account_id);

INSERT INTO identifier_collisions (kind, record_id, value, existing_id)
SELECT 'external_account_id', account_id, external_account_id,
  CASE WHEN bare <> '' AND existing_id <> account_id THEN existing_id END
FROM spaced_accounts WHERE NOT is_first;

UPDATE account_directory AS directory SET external_account_id = spaced.bare
FROM spaced_accounts AS spaced
WHERE spaced.is_first AND directory.account_id = spaced.account_id;

UPDATE accounts SET external_account_id = spaced.bare
FROM spaced_accounts AS spaced
WHERE spaced.is_first AND accounts.subject_id = spaced.subject_id
  AND accounts.id = spaced.account_id;

-- Events: the same within an account. What would come to look like the network's own stays.
CREATE TABLE spaced_events AS
SELECT spaced.id, spaced.subject_id, spaced.account_id, spaced.sequence, spaced.source_reference,
  spaced.bare,
  CASE WHEN spaced.is_free THEN coalesce(known.id, first_value(spaced.id) OVER same) END
    AS existing_id,
  spaced.is_free AND known.id IS NULL AND row_number() OVER same = 1 AS is_first
FROM (
  SELECT *, bare <> '' AND bare NOT LIKE 'dispute:%' AND bare NOT LIKE 'review:%' AS is_free
  FROM (
    SELECT id, subject_id, account_id, sequence, source_reference,
      without_outer_space(source_reference) AS bare
    FROM credit_events
    WHERE source_reference <> without_outer_space(source_reference)
  ) AS found
) AS spaced
LEFT JOIN credit_events AS known
  ON known.subject_id = spaced.subject_id AND known.account_id = spaced.account_id
    AND known.source_reference = spaced.bare
WINDOW same AS (
  PARTITION BY spaced.subject_id, spaced.account_id, spaced.bare ORDER BY spaced.sequence
);

INSERT INTO identifier_collisions (kind, record_id, value, existing_id)
SELECT 'source_reference', id, source_reference, existing_id
FROM spaced_events WHERE NOT is_first;

UPDATE credit_events AS events SET source_reference = spaced.bare
FROM spaced_events AS spaced
WHERE spaced.is_first AND events.subject_id = spaced.subject_id
  AND events.account_id = spaced.account_id AND events.sequence = spaced.sequence;

-- Made above: nobody else has seen them.
-- squawk-ignore ban-drop-table
DROP TABLE spaced_accounts, spaced_events;
DROP FUNCTION without_outer_space;
