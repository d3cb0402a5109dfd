-- What a dispute leaves out of the file until it is decided.
ALTER TABLE credit_events DROP CONSTRAINT credit_events_effect_check;
ALTER TABLE credit_events ADD CONSTRAINT credit_events_effect_check
  CHECK (effect IN ('EFFECTIVE', 'SUPERSEDED', 'IGNORED', 'SUPPRESSED')) NOT VALID;
