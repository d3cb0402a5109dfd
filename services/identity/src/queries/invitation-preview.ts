import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import type { Role } from '@credit/platform/values';
import { badInvitation } from '../commands/accept-invitation';
import { inactive } from '../commands/actor';
import type { Dependencies } from '../dependencies';
import { findInstitution } from '../store/institutions';
import { findInvitation } from '../store/invitations';

/** What an invitation is for. */
export interface InvitationPreview {
  readonly institution_name: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: string;
}

/**
 * What an open invitation is for, by its token. Whether the address has an account is not looked
 * at: the inviter holds the token too.
 */
export async function previewInvitation(
  { db }: Pick<Dependencies, 'db'>,
  ctx: CallContext,
  token: string,
): Promise<InvitationPreview> {
  const on = db.read(ctx);
  const found = await findInvitation(on, hashSecret(token));
  if (!found?.is_open) throw badInvitation();
  const institution = await findInstitution(on, found.institution_id);
  if (institution?.status !== 'ACTIVE') throw inactive();
  const { email, role, expires_at } = found;
  return { institution_name: institution.name, email, role, expires_at };
}
