-- A session ends, however much it is used. The default is for replicas of before this migration, which do not name the column.
ALTER TABLE sessions
  ADD COLUMN expires_at timestamptz NOT NULL DEFAULT now() + interval '30 days';
UPDATE sessions SET expires_at = created_at + interval '30 days';

-- When another pair was given in place of the one it belongs to.
ALTER TABLE refresh_tokens ADD COLUMN superseded_at timestamptz;
-- The access token of the same pair, which ends with it.
ALTER TABLE refresh_tokens ADD COLUMN access_hash bytea;
-- A session that nobody uses ends after twelve hours, those that are there already too.
UPDATE refresh_tokens SET expires_at = least(expires_at, now() + interval '12 hours')
WHERE used_at IS NULL;

-- An invitation ends before its time when it is withdrawn, when its address is invited anew,
-- and with the right of whoever invited. It keeps the folded address, as users do.
ALTER TABLE invitations
  ADD COLUMN email_key text,
  ADD COLUMN invited_as text NOT NULL DEFAULT 'MEMBER' CHECK (invited_as IN ('MEMBER', 'PLATFORM')),
  ADD COLUMN ended_at timestamptz,
  ADD COLUMN ended_because text
    CHECK (ended_because IN ('WITHDRAWN', 'SUPERSEDED', 'INVITER_LOST_RIGHT')),
  ADD CHECK ((ended_at IS NULL) = (ended_because IS NULL));
UPDATE invitations SET email_key = lower(normalize(btrim(email), NFKC));
UPDATE invitations AS i SET invited_as = 'PLATFORM'
WHERE EXISTS (
  SELECT FROM applications a
  WHERE a.institution_id = i.institution_id AND a.reviewed_by = i.invited_by
    AND a.contact_email = i.email);
UPDATE invitations AS older SET ended_at = now(), ended_because = 'SUPERSEDED'
WHERE accepted_at IS NULL AND EXISTS (
  SELECT FROM invitations newer
  WHERE newer.institution_id = older.institution_id AND newer.email_key = older.email_key
    AND newer.accepted_at IS NULL AND newer.id > older.id);
UPDATE invitations AS i SET ended_at = now(), ended_because = 'INVITER_LOST_RIGHT'
WHERE accepted_at IS NULL AND ended_at IS NULL AND NOT EXISTS (
  SELECT FROM users u
  WHERE u.id = i.invited_by AND u.status = 'ACTIVE' AND (
    (i.invited_as = 'PLATFORM' AND u.platform_role IS NOT NULL)
    OR (u.institution_id = i.institution_id
        AND (u.role = 'OWNER' OR (u.role = 'ADMIN' AND i.role <> 'OWNER')))));
-- Of an institution's invitations to one address at most one is waiting. Those of replicas of
-- before this migration have no key and stay out.
CREATE UNIQUE INDEX invitations_waiting ON invitations (institution_id, email_key)
  WHERE accepted_at IS NULL AND ended_at IS NULL;
CREATE INDEX invitations_waiting_by_id ON invitations (institution_id, id)
  WHERE accepted_at IS NULL AND ended_at IS NULL;
CREATE INDEX invitations_waiting_of_inviter ON invitations (invited_by)
  WHERE accepted_at IS NULL AND ended_at IS NULL;

-- The name as it is compared: two institutions of one name are made on purpose only.
ALTER TABLE institutions ADD COLUMN name_key text;
UPDATE institutions
SET name_key = lower(regexp_replace(btrim(normalize(name, NFKC)), '\s+', ' ', 'g'));
CREATE INDEX institutions_by_name ON institutions (name_key);

-- Contact requests are answered, or closed without an answer.
ALTER TABLE contact_requests
  ADD COLUMN status text NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'ANSWERED', 'CLOSED')),
  ADD COLUMN answer text,
  ADD COLUMN answered_by uuid,
  ADD COLUMN answered_at timestamptz;
CREATE INDEX contact_requests_by_status ON contact_requests (status, id);
