import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { isTold } from '../domain/sign-ins';
import type { User } from '../domain/users';
import { tooManyAttempts, WINDOW_S } from './own-password';
import { type Guarded, guarded, type Limit } from './password-guard';
import { tellAudit } from './tell';

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
  const { outcome, counts } = guard;
  const attempts = counts[0]?.count ?? 1;
  if (isTold(attempts, deps.config.SECOND_FACTOR_FAILURES + 1)) {
    await deps.db.transaction(ctx, async (tx) => {
      tellAudit(tx, deps.clock, {
        institution_id: user.institution_id,
        action: 'user.second_factor_failed',
        target_type: 'user',
        target_id: user.id,
        changes: { outcome, attempts },
      });
    });
  }
  throw guard.outcome === 'throttled' ? tooManyAttempts(guard.wait_s) : fault();
}
