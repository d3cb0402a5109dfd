import { systemContext } from '@credit/platform/context';
import type { Queryable } from '@credit/platform/db';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { deleteSecondFactor, findSecondFactor } from '../store/second-factors';
import { endSessions } from '../store/sessions';
import { enableUser, listSuperadmins, lockAccess, lockUser, setPassword } from '../store/users';
import { tellAdministration } from './tell';
import { tellOfFactor } from './tell-of-factor';
import { newTemporaryPassword } from './temporary-password';

/** A mistake of the operator, in one sentence. */
export class NoSuchSuperadmin extends Error {}

/** What the operator is shown, once. */
export interface ResetSuperadmin {
  readonly email: string;
  readonly temporary_password: string;
  readonly expires_at: string;
}

/** Whom a reset is for: without an e-mail the only one that there is. */
export async function chooseSuperadmin(on: Queryable, email: string | undefined) {
  const superadmins = await listSuperadmins(on);
  const [chosen, ...others] =
    email === undefined
      ? superadmins
      : superadmins.filter((user) => emailKey(user.email) === emailKey(email));
  if (chosen === undefined) {
    throw new NoSuchSuperadmin(
      superadmins.length === 0
        ? 'There is no superadmin: start identity with BOOTSTRAP_EMAIL and BOOTSTRAP_PASSWORD.'
        : `${email} is no superadmin.`,
    );
  }
  if (others.length > 0) {
    throw new NoSuchSuperadmin('There is more than one superadmin: name the e-mail.');
  }
  return chosen;
}

/**
 * Lets a superadmin in again who has lost the password or the second factor, which is removed, or
 * was disabled in the database: for whoever may run commands of the service and therefore holds its
 * database already. It makes nobody a superadmin. Without an e-mail it is the only one that there is.
 */
export async function resetSuperadmin(
  deps: Pick<Dependencies, 'db' | 'clock' | 'config' | 'passwords' | 'mails' | 'newId'>,
  wanted: { email: string | undefined; reason: string; by?: string },
): Promise<ResetSuperadmin> {
  const temporary_password = newTemporaryPassword();
  const password_hash = await deps.passwords.hash(temporary_password);
  return deps.db.transaction(systemContext('live'), async (tx) => {
    await lockAccess(tx);
    const chosen = await chooseSuperadmin(tx, wanted.email);
    const user = await lockUser(tx, chosen.id);
    if (user === undefined) throw new Error('A superadmin is gone.');
    const lifetime_s = deps.config.TEMPORARY_PASSWORD_LIFETIME_S;
    const expires_at = await setPassword(tx, user.id, password_hash, lifetime_s);
    if (expires_at === undefined) throw new Error('A temporary password got no end.');
    if (user.status !== 'ACTIVE') await enableUser(tx, user.id);
    await endSessions(tx, user.id);
    const removed = (await findSecondFactor(tx, user.id))?.is_confirmed === true;
    await deleteSecondFactor(tx, user.id);
    if (removed) await tellOfFactor(tx, deps, user.id, 'RESET');
    const told = {
      action: 'user.reset_by_operator',
      target_type: 'user',
      target_id: user.id,
      changes: {
        expires_at,
        reason: wanted.reason,
        ...(wanted.by ? { by: wanted.by } : {}),
        ...(removed ? { second_factor: 'removed' } : {}),
        ...(user.status === 'ACTIVE' ? {} : { status: { from: user.status, to: 'ACTIVE' } }),
      },
    };
    tellAdministration(tx, deps.clock, told, [user.institution_id]);
    return { email: user.email, temporary_password, expires_at };
  });
}
