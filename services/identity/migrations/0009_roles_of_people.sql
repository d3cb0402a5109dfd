-- Checked of new rows at once and of old ones in the next migration: reading through them all must
-- not stop who writes. Who has the roles of before keeps them.
ALTER TABLE users DROP CONSTRAINT users_role_check;
ALTER TABLE users ADD CONSTRAINT users_role_check
  CHECK (role IN ('OWNER', 'ADMIN', 'COMPLIANCE', 'LOAN_OFFICER', 'DEVELOPER', 'VIEWER')) NOT VALID;

ALTER TABLE invitations DROP CONSTRAINT invitations_role_check;
ALTER TABLE invitations ADD CONSTRAINT invitations_role_check
  CHECK (role IN ('OWNER', 'ADMIN', 'COMPLIANCE', 'LOAN_OFFICER', 'DEVELOPER', 'VIEWER')) NOT VALID;
