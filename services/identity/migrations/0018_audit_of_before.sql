-- The month that an entry was written in, which parts the audit log from the next migration but one on. What
-- was there before has none, and becomes a part of its own as it is: neither read through under a lock nor written anew.
ALTER TABLE audit_chains ADD COLUMN month date NOT NULL DEFAULT '-infinity';
ALTER TABLE audit_events ADD COLUMN month date NOT NULL DEFAULT '-infinity';
ALTER TABLE audit_events
  ADD CONSTRAINT audit_events_without_month CHECK (month < '2000-01-01') NOT VALID;
