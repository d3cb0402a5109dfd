import type { CallContext } from '@credit/platform/context';
import type { Queryable } from '@credit/platform/db';
import { type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { assertChange, requiredEmail, requiredText } from '../domain/texts';
import { type Access, type AccessChange, changedAccess, type User } from '../domain/users';
import { findInstitution } from '../store/institutions';
import { lockAccess, lockUser } from '../store/users';
import { requirePlatformRole } from './actor';
import { changeUser } from './change-user';
import { tellAdministration } from './tell';

/** A change of a user; what is not named stays. */
export interface UserChange extends AccessChange {
  readonly email?: string | undefined;
  readonly display_name?: string | undefined;
}

/** Changes a user's status, identity or access; sessions of the old access end. */
export async function updateUser(
  deps: Dependencies,
  ctx: CallContext,
  user_id: string,
  change: UserChange,
): Promise<User> {
  assertChange(change, [
    'status',
    'email',
    'display_name',
    'institution_id',
    'role',
    'platform_role',
  ]);
  const { email, display_name } = checkIdentity(change);
  return deps.db.transaction(ctx, async (tx) => {
    // The lock first: whether the actor may, and who would be left, is asked under it.
    await lockAccess(tx);
    await requirePlatformRole(tx, ctx, 'SVC_SUPERADMIN');
    const before = await lockUser(tx, user_id);
    if (before === undefined) throw notFound('There is no such user.');
    const access = changedAccess(before, change);
    await assertInstitution(tx, before, access);
    const { after, told } = await changeUser(tx, deps, before, {
      ...access,
      email: email ?? before.email,
      display_name: display_name ?? before.display_name,
    });
    // Both institutions of a move are told.
    tellAdministration(tx, deps.clock, told, [before.institution_id, after.institution_id]);
    return after;
  });
}

function checkIdentity(change: UserChange) {
  const faults: ErrorDetail[] = [];
  const email =
    change.email === undefined ? undefined : requiredEmail(faults, 'email', change.email);
  const display_name =
    change.display_name === undefined
      ? undefined
      : requiredText(faults, 'display_name', change.display_name, TEXTS.person_name);
  if (faults.length > 0) throw invalid(faults);
  return { email, display_name };
}

async function assertInstitution(on: Queryable, before: Access, after: Access): Promise<void> {
  if (after.institution_id === undefined || after.institution_id === before.institution_id) return;
  if ((await findInstitution(on, after.institution_id)) === undefined) {
    throw notFound('There is no such institution.');
  }
}
