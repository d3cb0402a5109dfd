import type { CallContext } from '@credit/platform/context';
import { forbidden, invalid } from '@credit/platform/errors';
import { isEmail, type Role } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { mayInvite } from '../domain/roles';
import { lockInstitution } from '../store/institutions';
import { lockUser } from '../store/users';
import { requirePermission, userOf } from './actor';
import { type IssuedInvitation, invite } from './invite';

/** Invites somebody into the caller's institution. */
export async function createInvitation(
  deps: Dependencies,
  ctx: CallContext,
  wanted: { email: string; role: Role },
): Promise<IssuedInvitation> {
  const email = wanted.email.trim();
  if (!isEmail(email)) throw invalid('email', 'is not an e-mail address');
  return deps.db.transaction(ctx, async (tx) => {
    // Whoever takes the inviter's right away waits, and then finds the invitation, or comes first.
    await lockUser(tx, userOf(ctx));
    const inviter = await requirePermission(tx, ctx, 'institution.users.manage');
    if (!mayInvite(inviter.role, wanted.role)) {
      throw forbidden(`A user who is ${inviter.role} cannot invite a user as ${wanted.role}.`, {
        reason: 'ROLE',
      });
    }
    const { institution_id } = inviter;
    await lockInstitution(tx, institution_id);
    return invite(tx, deps, {
      ...wanted,
      institution_id,
      invited_by: inviter.id,
      invited_as: 'MEMBER',
    });
  });
}
