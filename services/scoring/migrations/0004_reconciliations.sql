-- What the last comparison with reporting came to; metrics show it.
CREATE TABLE reconciliation (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  finished_at timestamptz NOT NULL,
  subjects integer NOT NULL,
  mismatches integer NOT NULL,
  -- Those that are still wrong.
  unmended integer NOT NULL,
  -- Whether the facts were compared too, not only the versions.
  deep boolean NOT NULL
);
