import { randomBytes } from 'node:crypto';
import { hashSecret } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import type { Role } from '../domain/roles';
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
  const token = `svc_inv_${randomBytes(32).toString('base64url')}`;
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
  return { invitation, token };
}
