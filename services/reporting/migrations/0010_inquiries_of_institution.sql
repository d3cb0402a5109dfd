-- outside a transaction
-- An institution lists its own inquiries, newest first: their ids are in the order of their time.
CREATE INDEX CONCURRENTLY IF NOT EXISTS inquiries_of_institution ON inquiries (institution_id, id);
