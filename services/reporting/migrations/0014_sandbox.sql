-- What an institution has done with the sandbox; of the test environment alone, and so empty in live.
CREATE TABLE sandboxes (
  institution_id uuid PRIMARY KEY,
  -- Personas of this day.
  day date NOT NULL,
  personas integer NOT NULL
) WITH (fillfactor = 50);
