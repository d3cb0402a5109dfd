-- Rows of before are looked at without holding up writes.
ALTER TABLE credit_events VALIDATE CONSTRAINT credit_events_effect_check;
