import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import type { User } from '../domain/users';
import { tooManyAttempts, WINDOW_S } from './own-password';
import { type Guarded, guarded, type Limit } from './password-guard';
import { tellFailedAttempts } from './tell-failed-attempts';

/**
 * Runs an attempt at a user's second factor within its limit. It counts for the user as a whole:
 * whoever comes here has the password, or a session, so no stranger shuts anybody out by it.
 */
export function guardedFactor<T>(
  deps: Pick<Dependencies, 'db' | 'config'>,
  ctx: CallContext,
  user_id: string,
  attempt: () => Promise<T | undefined>,
): Promise<Guarded<T>> {
  const limit: Limit = {
    subject: `second factor ${user_id}`,
    limit: deps.config.SECOND_FACTOR_FAILURES,
    window_s: WINDOW_S,
    starts_anew: true,
  };
  return guarded(deps, ctx, [limit], attempt);
}

/** As {@link guardedFactor}, for who is signed in: a wrong code is told, and `fault` thrown. */
export async function requireFactor<T>(
  deps: Dependencies,
  ctx: CallContext,
  user: User,
  attempt: () => Promise<T | undefined>,
  fault: () => Error,
): Promise<T> {
  const guard = await guardedFactor(deps, ctx, user.id, attempt);
  if (guard.outcome === 'matched') return guard.value;
  await tellFailedAttempts(deps, ctx, user, guard, {
    action: 'user.second_factor_failed',
    limit: deps.config.SECOND_FACTOR_FAILURES,
  });
  throw guard.outcome === 'throttled' ? tooManyAttempts(guard.wait_s) : fault();
}
