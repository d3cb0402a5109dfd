-- Read through by themselves, while people go on signing in.
ALTER TABLE users VALIDATE CONSTRAINT users_role_check;
ALTER TABLE invitations VALIDATE CONSTRAINT invitations_role_check;
