-- When a subject was taken out of the sandbox: its names are free, and it is found by its id alone.
ALTER TABLE subjects ADD COLUMN cleared_at timestamptz;
