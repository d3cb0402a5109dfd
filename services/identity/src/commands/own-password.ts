import type { CallContext } from '@credit/platform/context';
import { invalid, rateLimited, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { findUserWithPassword, type UserWithPassword } from '../store/users';
import { userOf } from './actor';
import { guarded, type Limit } from './password-guard';
import { tellFailedAttempts } from './tell-failed-attempts';

export const WINDOW_S = 15 * 60;

/** The calling user, when the password given is its own. A session alone may be stolen. */
export async function requireOwnPassword(
  deps: Dependencies,
  ctx: CallContext,
  current_password: string,
): Promise<UserWithPassword> {
  const user = await findUserWithPassword(deps.db.read(ctx), userOf(ctx));
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
    (await deps.passwords.verify(user.password_hash, current_password)) ? true : undefined,
  );
  if (guard.outcome === 'matched') return user;
  deps.logger.info(
    { outcome: guard.outcome, user_id: user.id, request_id: ctx.request_id },
    'current password not taken',
  );
  await tellFailedAttempts(deps, ctx, user, guard, {
    action: 'user.password_change_failed',
    limit: deps.config.PASSWORD_CHANGE_FAILURES,
  });
  if (guard.outcome === 'failed') throw invalid('current_password', 'is wrong');
  throw tooManyAttempts(guard.wait_s);
}

export function tooManyAttempts(wait_s: number) {
  return rateLimited(
    'There were too many failed attempts; try again later.',
    wait_s,
    'TOO_MANY_ATTEMPTS',
  );
}
