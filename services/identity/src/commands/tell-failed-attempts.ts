import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { isTold } from '../domain/sign-ins';
import type { User } from '../domain/users';
import type { Guarded } from './password-guard';
import { tellAudit } from './tell';

/**
 * Puts somebody's wrong guesses, with a session that may be stolen, into the audit log: as many as
 * the limit lets through, and the first that it stops.
 */
export async function tellFailedAttempts(
  deps: Pick<Dependencies, 'clock' | 'db'>,
  ctx: CallContext,
  user: User,
  { counts, outcome }: Guarded<unknown>,
  { action, limit }: { readonly action: string; readonly limit: number },
): Promise<void> {
  const attempts = counts[0]?.count ?? 1;
  if (!isTold(attempts, limit + 1)) return;
  await deps.db.transaction(ctx, async (tx) => {
    tellAudit(tx, deps.clock, {
      institution_id: user.institution_id,
      action,
      target_type: 'user',
      target_id: user.id,
      changes: { outcome, attempts },
    });
  });
}
