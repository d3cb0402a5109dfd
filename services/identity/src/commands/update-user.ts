import type { CallContext } from '@credit/platform/context';
import { errorCode, type Queryable, type Transaction } from '@credit/platform/db';
import { conflict, type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { mayStillInvite } from '../domain/invitations';
import { assertChange, requiredEmail, requiredText } from '../domain/texts';
import {
  type Access,
  type AccessChange,
  assertSomebodyIsLeft,
  changedAccess,
  endsSessions,
  losesOwner,
  losesSuperadmin,
  type User,
} from '../domain/users';
import { findInstitution } from '../store/institutions';
import { lockWaitingOfInviter } from '../store/invitations';
import { endPasswordResets } from '../store/password-resets';
import { endSessions } from '../store/sessions';
import {
  countOtherOwners,
  countOtherSuperadmins,
  lockAccess,
  lockUser,
  updateUserRow,
} from '../store/users';
import { requirePlatformRole } from './actor';
import { endWaiting } from './invite';
import { tellAdministration, withNulls } from './tell';

/** A change of a user; what is not named stays. */
export interface UserChange extends AccessChange {
  readonly email?: string | undefined;
  readonly display_name?: string | undefined;
}

const UNIQUE_VIOLATION = '23505';

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
    await assertReplaceable(tx, before, access);

    const after = await save(tx, user_id, {
      ...access,
      email: email ?? before.email,
      display_name: display_name ?? before.display_name,
    });
    if (endsSessions(before, access)) await endSessions(tx, user_id);
    // A link that was mailed to another address is not this user's.
    if (after.email !== before.email) await endPasswordResets(tx, user_id);
    const given = await lockWaitingOfInviter(tx, user_id);
    const lost = given.filter((invitation) => !mayStillInvite(access, invitation));
    await endWaiting(tx, deps, lost, 'INVITER_LOST_RIGHT');
    const told = {
      action: actionOf(before, after),
      target_type: 'user',
      target_id: user_id,
      changes: differences(before, after),
    };
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

async function assertReplaceable(on: Queryable, before: User, after: Access): Promise<void> {
  const institution_id = losesOwner(before, after);
  assertSomebodyIsLeft({
    owners:
      institution_id === undefined
        ? undefined
        : await countOtherOwners(on, institution_id, before.id),
    superadmins: losesSuperadmin(before, after)
      ? await countOtherSuperadmins(on, before.id)
      : undefined,
  });
}

async function save(
  tx: Transaction,
  user_id: string,
  user: Access & Pick<User, 'email' | 'display_name'>,
): Promise<User> {
  try {
    return await updateUserRow(tx, user_id, { ...user, email_key: emailKey(user.email) });
  } catch (error) {
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
    throw conflict('A user with this e-mail exists already.', { reason: 'EMAIL_TAKEN' });
  }
}

function actionOf(before: User, after: User): string {
  if (before.status === after.status) return 'user.updated';
  return after.status === 'DISABLED' ? 'user.disabled' : 'user.enabled';
}

const SHOWN = [
  'email',
  'display_name',
  'status',
  'institution_id',
  'role',
  'platform_role',
] as const;

function differences(before: User, after: User): Record<string, unknown> {
  return Object.fromEntries(
    SHOWN.filter((field) => before[field] !== after[field]).map((field) => [
      field,
      withNulls({ from: before[field], to: after[field] }),
    ]),
  );
}
