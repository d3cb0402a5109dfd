-- Mails that tell a user what became of its second factor.
CREATE TABLE second_factor_mails (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  event text NOT NULL CHECK (event IN ('SET_UP', 'REMOVED', 'RESET', 'CODES_RENEWED', 'CODE_USED')),
  due_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  sent_at timestamptz,
  given_up_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX second_factor_mails_due ON second_factor_mails (due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;
CREATE INDEX second_factor_mails_old ON second_factor_mails (created_at);

-- A replica of before there was a second factor does not ask for one, and one that is added while it
-- still runs must hold against it: no session begins by the password alone of who has a factor. Both
-- hold the user's row while they decide.
CREATE FUNCTION refuse_session_without_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM second_factors WHERE user_id = NEW.user_id AND confirmed_at IS NOT NULL
  ) THEN
    RAISE EXCEPTION 'a session of a user with a second factor begins with it'
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER sessions_take_the_factor BEFORE INSERT ON sessions
  FOR EACH ROW WHEN (NEW.amr = 'pwd') EXECUTE FUNCTION refuse_session_without_factor();
