import type { CallContext } from '@credit/platform/context';
import { forbidden, invalid } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { isEmail } from '../domain/emails';
import { mayInvite, type Role } from '../domain/roles';
import { requirePermission } from './actor';
import { type IssuedInvitation, invite } from './invite';

/** Invites somebody into the caller's institution. */
export async function createInvitation(
  deps: Dependencies,
  ctx: CallContext,
  wanted: { email: string; role: Role },
): Promise<IssuedInvitation> {
  if (!isEmail(wanted.email.trim())) throw invalid('email', 'is not an e-mail address');
  return deps.db.transaction(ctx, async (tx) => {
    const inviter = await requirePermission(tx, ctx, 'institution.users.manage');
    if (!mayInvite(inviter.role, wanted.role)) throw forbidden();
    return invite(deps, tx, {
      ...wanted,
      institution_id: inviter.institution_id,
      invited_by: inviter.id,
    });
  });
}
