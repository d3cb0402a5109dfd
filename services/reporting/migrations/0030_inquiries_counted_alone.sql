-- outside a transaction
-- What it found the index that carries more finds too.
DROP INDEX CONCURRENTLY IF EXISTS inquiries_of_institution;
