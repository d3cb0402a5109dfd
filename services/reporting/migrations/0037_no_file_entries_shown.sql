-- outside a transaction
-- file_entries_told has taken its place.
DROP INDEX CONCURRENTLY IF EXISTS file_entries_shown;
