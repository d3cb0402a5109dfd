import type { CallContext } from '@credit/platform/context';
import { conflict, invalid, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { assertPassword, passwordText } from '../domain/passwords';
import { endPasswordResets } from '../store/password-resets';
import { endRefreshing } from '../store/sessions';
import { lockUser, setPassword } from '../store/users';
import { requireOwnPassword } from './own-password';
import { tellAudit } from './tell';

/**
 * Changes the calling user's password. All its refresh tokens end; access tokens run out
 * by themselves within minutes, the caller's own among them.
 */
export async function changePassword(
  deps: Dependencies,
  ctx: CallContext,
  given: { current_password: string; new_password: string },
): Promise<void> {
  const user = await requireOwnPassword(deps, ctx, given.current_password);
  assertPassword(given.new_password, user.email, 'new_password');
  if (passwordText(given.new_password) === passwordText(given.current_password)) {
    throw invalid('new_password', 'must differ from the current one');
  }

  const password_hash = await deps.passwords.hash(given.new_password);
  await deps.db.transaction(ctx, async (tx) => {
    const locked = await lockUser(tx, user.id);
    if (locked?.status !== 'ACTIVE') throw unauthenticated();
    if (locked.password_hash !== user.password_hash) {
      throw conflict('The password was changed in the meantime.', { reason: 'CHANGED_MEANWHILE' });
    }
    await setPassword(tx, user.id, password_hash, undefined);
    await endRefreshing(tx, user.id);
    await endPasswordResets(tx, user.id);
    tellAudit(tx, deps.clock, {
      institution_id: user.institution_id,
      action: 'user.password_changed',
      target_type: 'user',
      target_id: user.id,
    });
  });
}
