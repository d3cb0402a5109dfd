import { type Queryable, statement } from '@credit/platform/db';
import type { Role } from '@credit/platform/values';
import { mailQueue } from './mail-queue';

/** Mails of invitations, by the invitation. */
export const invitation_mails = mailQueue('invitation_mails', 'invitation_id');

/** What an invitation's mail says. */
export interface InvitationToMail {
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

const FIND = statement<InvitationToMail>(
  'invitation_mails_find',
  `SELECT invitation.role, invitation.expires_at,
     coalesce(known.email, invitation.email) AS email, known.id IS NOT NULL AS is_known,
     institution.name AS institution_name,
     invitation.accepted_at IS NULL AND invitation.ended_at IS NULL
       AND invitation.expires_at > now() AND institution.status = 'ACTIVE' AS is_open
   FROM invitations AS invitation
   JOIN institutions AS institution ON institution.id = invitation.institution_id
   LEFT JOIN users AS known ON known.email_key = invitation.email_key
   WHERE invitation.id = $1`,
);

const ADD_TOKEN = statement(
  'invitation_tokens_insert',
  'INSERT INTO invitation_tokens (token_hash, invitation_id) VALUES ($1, $2)',
);

export function findInvitationToMail(
  on: Queryable,
  invitation_id: string,
): Promise<InvitationToMail | undefined> {
  return on.maybe(FIND, [invitation_id]);
}

export async function insertInvitationToken(
  on: Queryable,
  token_hash: Buffer,
  invitation_id: string,
): Promise<void> {
  await on.execute(ADD_TOKEN, [token_hash, invitation_id]);
}
