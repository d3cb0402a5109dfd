import type { CallContext } from '@credit/platform/context';
import { conflict, invalid, rateLimited, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { assertPassword, passwordText } from '../domain/passwords';
import { isTold } from '../domain/sign-ins';
import { endPasswordResets } from '../store/password-resets';
import { endRefreshing } from '../store/sessions';
import { findUserWithPassword, lockUser, setPassword, type UserWithPassword } from '../store/users';
import { needsUser } from './actor';
import { type Guarded, guarded, type Limit } from './password-guard';
import { tellAudit } from './tell';

const WINDOW_S = 15 * 60;

/**
 * Changes the calling user's password. All its refresh tokens end; access tokens run out
 * by themselves within minutes, the caller's own among them.
 */
export async function changePassword(
  deps: Dependencies,
  ctx: CallContext,
  given: { current_password: string; new_password: string },
): Promise<void> {
  if (ctx.actor.type !== 'user') throw needsUser();
  const user = await findUserWithPassword(deps.db.read(ctx), ctx.actor.id);
  if (user?.status !== 'ACTIVE') throw unauthenticated();

  // Counted by itself: only who holds a session of the user comes here, and failed sign-ins of
  // strangers, or of neighbours behind the same address, are none of its business.
  const limit: Limit = {
    subject: `password ${user.id}`,
    limit: deps.config.PASSWORD_CHANGE_FAILURES,
    window_s: WINDOW_S,
    starts_anew: true,
  };
  const guard = await guarded(deps, ctx, [limit], async () =>
    (await deps.passwords.verify(user.password_hash, given.current_password)) ? true : undefined,
  );
  if (guard.outcome !== 'matched') {
    await recordFailure(deps, ctx, user, guard);
    if (guard.outcome === 'failed') throw invalid('current_password', 'is wrong');
    throw rateLimited(
      'There were too many failed attempts; try again later.',
      guard.wait_s,
      'TOO_MANY_ATTEMPTS',
    );
  }
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

/** A wrong current password is somebody's guess at it, with a session that may be stolen. */
async function recordFailure(
  deps: Dependencies,
  ctx: CallContext,
  user: UserWithPassword,
  { outcome, counts }: Guarded<true>,
): Promise<void> {
  const attempts = counts[0]?.count ?? 1;
  deps.logger.info(
    { outcome, user_id: user.id, request_id: ctx.request_id },
    'password not changed',
  );
  if (!isTold(attempts, deps.config.PASSWORD_CHANGE_FAILURES + 1)) return;
  await deps.db.transaction(ctx, async (tx) => {
    tellAudit(tx, deps.clock, {
      institution_id: user.institution_id,
      action: 'user.password_change_failed',
      target_type: 'user',
      target_id: user.id,
      changes: { outcome, attempts },
    });
  });
}
