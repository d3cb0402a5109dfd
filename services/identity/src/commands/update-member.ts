import type { CallContext } from '@credit/platform/context';
import { forbidden, notFound } from '@credit/platform/errors';
import type { Role } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { mayInvite } from '../domain/roles';
import { assertChange } from '../domain/texts';
import { changedAccess, type User, type UserStatus } from '../domain/users';
import { lockAccess, lockUser } from '../store/users';
import { requirePermission } from './actor';
import { changeUser } from './change-user';
import { tellAudit } from './tell';

/**
 * Changes the role of a user of the caller's institution, disables or enables it. What an OWNER
 * has is an OWNER's to give and to take. Who also has a role on the platform is changed by those
 * who run it alone.
 */
export async function updateMember(
  deps: Dependencies,
  ctx: CallContext,
  user_id: string,
  change: { role?: Role | undefined; status?: UserStatus | undefined },
): Promise<User> {
  assertChange(change, ['role', 'status']);
  return deps.db.transaction(ctx, async (tx) => {
    // The lock first: whether the actor may, and who would be left, is asked under it.
    await lockAccess(tx);
    const actor = await requirePermission(tx, ctx, 'institution.users.manage');
    const before = await lockUser(tx, user_id);
    if (before === undefined || before.institution_id !== actor.institution_id) {
      throw notFound('There is no such user in the institution.');
    }
    const { role, status } = change;
    const access = changedAccess(before, { status, role: role && { to: role } });
    for (const held of [before.role, access.role]) {
      if (held !== undefined && !mayInvite(actor.role, held)) {
        throw forbidden(`A user who is ${actor.role} cannot change who is ${held}.`, {
          reason: 'ROLE',
        });
      }
    }
    if (before.platform_role !== undefined) {
      throw forbidden('The user has a role on the platform: its administrators change it.', {
        reason: 'ROLE',
      });
    }
    const { email, display_name } = before;
    const { after, told } = await changeUser(tx, deps, before, { ...access, email, display_name });
    if (Object.keys(told.changes ?? {}).length > 0) {
      tellAudit(tx, deps.clock, { ...told, institution_id: actor.institution_id });
    }
    return after;
  });
}
