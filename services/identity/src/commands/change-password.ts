import type { CallContext } from '@credit/platform/context';
import { conflict, forbidden, invalid, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { meteredPlace, normalizeAddress } from '../domain/addresses';
import { emailKey } from '../domain/emails';
import { assertPassword, passwordText } from '../domain/passwords';
import { endRefreshing } from '../store/sessions';
import { findUserWithPassword, lockUser, setPassword } from '../store/users';
import { guarded } from './password-guard';
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
  if (ctx.actor.type !== 'user') throw forbidden();
  const user = await findUserWithPassword(deps.db.read(ctx), ctx.actor.id);
  if (user?.status !== 'ACTIVE') throw unauthenticated();

  const email_key = emailKey(user.email);
  const place = meteredPlace(normalizeAddress(ctx.client_address));
  const matches = await guarded(deps, ctx, { email_key, place }, async () =>
    (await deps.passwords.verify(user.password_hash, given.current_password)) ? true : undefined,
  );
  if (matches === undefined) throw invalid('current_password', 'is wrong');
  assertPassword(given.new_password, user.email, 'new_password');
  if (passwordText(given.new_password) === passwordText(given.current_password)) {
    throw invalid('new_password', 'must differ from the current one');
  }

  const password_hash = await deps.passwords.hash(given.new_password);
  await deps.db.transaction(ctx, async (tx) => {
    const locked = await lockUser(tx, user.id);
    if (locked?.status !== 'ACTIVE') throw unauthenticated();
    if (locked.password_hash !== user.password_hash) {
      throw conflict('The password was changed in the meantime.');
    }
    await setPassword(tx, user.id, password_hash, null);
    await endRefreshing(tx, user.id);
    tellAudit(tx, deps.clock, {
      institution_id: user.institution_id,
      action: 'user.password_changed',
      target_type: 'user',
      target_id: user.id,
    });
  });
}
