-- include: platform/0001

CREATE TABLE notes (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  amount_minor bigint NOT NULL CHECK (amount_minor >= 0)
);
