-- Who opened a dispute in test and decides it as the network's desk would; empty in live.
ALTER TABLE disputes ADD COLUMN sandbox_institution_id uuid;

-- How much an institution has done with the sandbox; of the test environment alone, and so empty in live.
CREATE TABLE sandboxes (
  institution_id uuid PRIMARY KEY,
  -- Disputes of this day.
  day date NOT NULL,
  disputes integer NOT NULL
) WITH (fillfactor = 50);
