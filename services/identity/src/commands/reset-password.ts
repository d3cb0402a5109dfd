import type { CallContext } from '@credit/platform/context';
import { notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { endPasswordResets } from '../store/password-resets';
import { endSessions } from '../store/sessions';
import { lockUser, setPassword } from '../store/users';
import { requirePlatformRole } from './actor';
import { tellAdministration } from './tell';
import { newTemporaryPassword } from './temporary-password';

/** Puts a temporary password in place of a user's own and ends its sessions. */
export async function resetPassword(
  deps: Dependencies,
  ctx: CallContext,
  user_id: string,
): Promise<{ temporary_password: string; expires_at: string }> {
  const temporary_password = newTemporaryPassword();
  const password_hash = await deps.passwords.hash(temporary_password);
  return deps.db.transaction(ctx, async (tx) => {
    await requirePlatformRole(tx, ctx, 'SVC_SUPERADMIN');
    const user = await lockUser(tx, user_id);
    if (user === undefined) throw notFound('There is no such user.');
    const lifetime_s = deps.config.TEMPORARY_PASSWORD_LIFETIME_S;
    const expires_at = await setPassword(tx, user_id, password_hash, lifetime_s);
    if (expires_at === undefined) throw new Error('A temporary password got no end.');
    await endSessions(tx, user_id);
    await endPasswordResets(tx, user_id);
    const told = {
      action: 'user.password_reset',
      target_type: 'user',
      target_id: user_id,
      changes: { expires_at },
    };
    tellAdministration(tx, deps.clock, told, [user.institution_id]);
    return { temporary_password, expires_at };
  });
}
