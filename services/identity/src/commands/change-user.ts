import { errorCode, type Transaction } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { mayStillInvite } from '../domain/invitations';
import {
  type Access,
  assertSomebodyIsLeft,
  endsSessions,
  losesOwner,
  losesSuperadmin,
  type User,
} from '../domain/users';
import { lockWaitingOfInviter } from '../store/invitations';
import { endPasswordResets } from '../store/password-resets';
import { endSessions } from '../store/sessions';
import { countOtherOwners, countOtherSuperadmins, updateUserRow } from '../store/users';
import { endWaiting } from './invite';
import { type Told, withNulls } from './tell';

const UNIQUE_VIOLATION = '23505';

/**
 * Gives a user another access or identity, and ends what went with the one before: sessions,
 * invitations that it could not give any more, links that set its password. Called under the lock
 * of access, with the user's row locked. Returns what the audit log is to be told.
 */
export async function changeUser(
  tx: Transaction,
  deps: Pick<Dependencies, 'clock'>,
  before: User,
  wanted: Access & Pick<User, 'email' | 'display_name'>,
): Promise<{ after: User; told: Omit<Told, 'institution_id'> }> {
  const institution_id = losesOwner(before, wanted);
  assertSomebodyIsLeft({
    owners:
      institution_id === undefined
        ? undefined
        : await countOtherOwners(tx, institution_id, before.id),
    superadmins: losesSuperadmin(before, wanted)
      ? await countOtherSuperadmins(tx, before.id)
      : undefined,
  });
  const after = await save(tx, before.id, wanted);
  if (endsSessions(before, wanted)) await endSessions(tx, before.id);
  // A link that was mailed to another address is not this user's.
  if (after.email !== before.email) await endPasswordResets(tx, before.id);
  const given = await lockWaitingOfInviter(tx, before.id);
  const lost = given.filter((invitation) => !mayStillInvite(wanted, invitation));
  await endWaiting(tx, deps, lost, 'INVITER_LOST_RIGHT');
  const told = {
    action: actionOf(before, after),
    target_type: 'user',
    target_id: before.id,
    changes: differences(before, after),
  };
  return { after, told };
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
