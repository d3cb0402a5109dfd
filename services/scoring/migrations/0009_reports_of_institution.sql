-- outside a transaction
-- An institution lists its own reports, newest first: their ids are in the order of their time.
CREATE INDEX CONCURRENTLY IF NOT EXISTS reports_of_institution ON reports (institution_id, id);
