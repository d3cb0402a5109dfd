import type { CallContext } from '@credit/platform/context';
import type { Role } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { assertChange } from '../domain/texts';
import { changedAccess, type User, type UserStatus } from '../domain/users';
import { lockAccess } from '../store/users';
import { changeUser } from './change-user';
import { assertMayChange, requireColleague } from './colleague';
import { tellAudit } from './tell';

/**
 * Changes the role of a user of the caller's institution, disables or enables it.
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
    const { actor, before } = await requireColleague(tx, ctx, user_id);
    const { role, status } = change;
    const access = changedAccess(before, { status, role: role && { to: role } });
    if (access.role !== undefined) assertMayChange(actor, access.role);
    const { email, display_name } = before;
    const { after, told } = await changeUser(tx, deps, before, { ...access, email, display_name });
    if (Object.keys(told.changes ?? {}).length > 0) {
      tellAudit(tx, deps.clock, { ...told, institution_id: actor.institution_id });
    }
    return after;
  });
}
