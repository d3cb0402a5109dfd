import { type Queryable, statement } from '@credit/platform/db';
import type { Role } from '../domain/roles';

/** A mail that this process may try to send, until the pause is over. */
export interface DueMail {
  readonly invitation_id: string;
  /** This one counted in. */
  readonly attempts: number;
  /** As it was invited, or as its user has it when it is a user's. */
  readonly email: string;
  /** The address is a user's: the invitation cannot be accepted. */
  readonly is_known: boolean;
  readonly role: Role;
  readonly expires_at: string;
  readonly institution_name: string;
  /** The invitation can still be accepted. */
  readonly is_open: boolean;
}

const INSERT = statement(
  'invitation_mails_insert',
  'INSERT INTO invitation_mails (invitation_id) VALUES ($1)',
);

const CLAIM = statement<DueMail>(
  'invitation_mails_claim',
  `WITH due AS (
     SELECT invitation_id FROM invitation_mails
     WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= now()
     ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
   ), claimed AS (
     UPDATE invitation_mails AS mail
     SET attempts = attempts + 1,
       due_at = now() + make_interval(secs => ($1::integer[])[least(attempts + 1, cardinality($1))])
     FROM due WHERE mail.invitation_id = due.invitation_id
     RETURNING mail.invitation_id, mail.attempts
   )
   SELECT claimed.invitation_id, claimed.attempts, invitation.role, invitation.expires_at,
     coalesce(known.email, invitation.email) AS email, known.id IS NOT NULL AS is_known,
     institution.name AS institution_name,
     invitation.accepted_at IS NULL AND invitation.ended_at IS NULL
       AND invitation.expires_at > now() AND institution.status = 'ACTIVE' AS is_open
   FROM claimed
   JOIN invitations AS invitation ON invitation.id = claimed.invitation_id
   JOIN institutions AS institution ON institution.id = invitation.institution_id
   LEFT JOIN users AS known ON known.email_key = invitation.email_key`,
);

const ADD_TOKEN = statement(
  'invitation_tokens_insert',
  'INSERT INTO invitation_tokens (token_hash, invitation_id) VALUES ($1, $2)',
);

const SENT = statement(
  'invitation_mails_sent',
  'UPDATE invitation_mails SET sent_at = now(), last_error = NULL WHERE invitation_id = $1',
);

const FAILED = statement(
  'invitation_mails_failed',
  `UPDATE invitation_mails
   SET last_error = $2, given_up_at = CASE WHEN $3::boolean THEN now() END
   WHERE invitation_id = $1 AND sent_at IS NULL`,
);

/** Owes a mail, with the invitation. */
export async function insertInvitationMail(on: Queryable, invitation_id: string): Promise<void> {
  await on.execute(INSERT, [invitation_id]);
}

/** Takes the mail that is due the longest; `pauses_s` are those after the 1st attempt and so on. */
export function claimDueMail(
  on: Queryable,
  pauses_s: readonly number[],
): Promise<DueMail | undefined> {
  return on.maybe(CLAIM, [pauses_s]);
}

export async function insertInvitationToken(
  on: Queryable,
  token_hash: Buffer,
  invitation_id: string,
): Promise<void> {
  await on.execute(ADD_TOKEN, [token_hash, invitation_id]);
}

export async function markMailSent(on: Queryable, invitation_id: string): Promise<void> {
  await on.execute(SENT, [invitation_id]);
}

export async function markMailFailed(
  on: Queryable,
  invitation_id: string,
  failure: { error: string; give_up: boolean },
): Promise<void> {
  await on.execute(FAILED, [invitation_id, failure.error, failure.give_up]);
}
