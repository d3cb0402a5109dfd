-- Rows of before are looked at without holding up writes.
ALTER TABLE dispute_moves VALIDATE CONSTRAINT dispute_moves_step_check;
