-- Taken off the file by a correction of its opening: kept, and of account to nobody but its
-- furnisher and the person.
ALTER TABLE accounts ADD COLUMN voided boolean NOT NULL DEFAULT false;

-- When the outcome of a dispute took the inquiry's effect away.
ALTER TABLE inquiries ADD COLUMN voided_at timestamptz;

-- What a dispute's outcome has voided, so that carrying it out again voids nothing else, however
-- late: by default it speaks of the inquiries of a time that moves on.
CREATE TABLE inquiry_voidings (
  dispute_id uuid PRIMARY KEY,
  inquiry_ids uuid[] NOT NULL,
  voided_at timestamptz NOT NULL
);
