-- outside a transaction
-- What the findings of an institution's health are looked for among: a small part of most books.
CREATE INDEX CONCURRENTLY IF NOT EXISTS accounts_in_trouble ON accounts (institution_id, id)
  WHERE NOT voided
    AND (underlying_status IN ('DELINQUENT', 'WRITTEN_OFF', 'PAST_DUE') OR status = 'DISPUTED');
