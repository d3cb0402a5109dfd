import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import { requestError } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { mayResetByMail } from '../domain/password-resets';
import { assertPassword } from '../domain/passwords';
import { endPasswordResets, findPasswordResetByToken } from '../store/password-resets';
import { findSecondFactor } from '../store/second-factors';
import { endSessions } from '../store/sessions';
import { lockUser, setPassword } from '../store/users';
import { tellAudit } from './tell';

const badToken = () =>
  requestError('The link is unknown, was used, or is over.', 'TOKEN_NOT_VALID');

/** Sets a password with a mailed token, which is good once, and ends the user's sessions. */
export async function completePasswordReset(
  deps: Dependencies,
  ctx: CallContext,
  given: { token: string; new_password: string },
): Promise<void> {
  const token_hash = hashSecret(given.token);
  const found = await findPasswordResetByToken(deps.db.read(ctx), token_hash);
  if (!found?.is_open) throw badToken();
  assertPassword(given.new_password, found.email, 'new_password');
  // Slow on purpose, so before the transaction.
  const password_hash = await deps.passwords.hash(given.new_password);
  await deps.db.transaction(ctx, async (tx) => {
    // The user first: of two with links of one user, the second finds its own ended.
    const user = await lockUser(tx, found.user_id);
    const reset = await findPasswordResetByToken(tx, token_hash);
    if (user === undefined || !reset?.is_open) throw badToken();
    // The role on the platform may have come, or the factor gone, since the mail.
    const factor = await findSecondFactor(tx, user.id);
    const second_factor = factor?.is_confirmed === true;
    if (!mayResetByMail({ ...user, second_factor })) throw badToken();
    await setPassword(tx, user.id, password_hash, undefined);
    await endPasswordResets(tx, user.id);
    const sessions = await endSessions(tx, user.id);
    tellAudit(tx, deps.clock, {
      institution_id: user.institution_id,
      action: 'user.password_recovered',
      target_type: 'user',
      target_id: user.id,
      changes: { sessions_ended: sessions },
      actor: { type: 'user', id: user.id },
    });
  });
}
