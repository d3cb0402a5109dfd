-- Read through by itself, while entries are written: what is attached next need not be.
ALTER TABLE audit_events VALIDATE CONSTRAINT audit_events_without_month;
