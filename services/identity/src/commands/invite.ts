import { randomBytes } from 'node:crypto';
import { hashSecret } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { invitationToken } from '../domain/invitation-tokens';
import type { Role } from '../domain/roles';
import { insertInvitationMail } from '../store/invitation-mails';
import { type Invitation, insertInvitation } from '../store/invitations';
import { findUserByEmail } from '../store/users';
import { tellAudit } from './tell';

/** An invitation with the token that is shown once and kept nowhere. */
export interface IssuedInvitation {
  readonly invitation: Invitation;
  readonly token: string;
}

/** Writes an invitation; INVALID_STATE_TRANSITION when the e-mail is a user's already. */
export async function invite(
  deps: Dependencies,
  tx: Transaction,
  wanted: { institution_id: string; email: string; role: Role; invited_by: string },
): Promise<IssuedInvitation> {
  const { institution_id, role, invited_by } = wanted;
  const email = wanted.email.trim();
  if ((await findUserByEmail(tx, emailKey(email))) !== undefined) {
    throw conflict('A user with this e-mail exists already.');
  }
  const token = invitationToken(randomBytes(32));
  const invitation = await insertInvitation(tx, {
    id: deps.newId(),
    institution_id,
    email,
    role,
    token_hash: hashSecret(token),
    invited_by,
    lifetime_s: deps.config.INVITATION_LIFETIME_S,
  });
  tellAudit(tx, deps.clock, {
    institution_id,
    action: 'user.invited',
    target_type: 'invitation',
    target_id: invitation.id,
    changes: { email, role, expires_at: invitation.expires_at },
  });
  const { mails } = deps;
  if (mails !== undefined) {
    await insertInvitationMail(tx, invitation.id);
    tx.afterCommit(() => mails.wake());
  }
  return { invitation, token };
}
