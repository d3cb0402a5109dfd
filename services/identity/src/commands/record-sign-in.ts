import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { isTold, type SignInFault } from '../domain/sign-ins';
import type { User } from '../domain/users';
import { countAttempt } from '../store/attempts';
import { tellAudit } from './tell';

/** A sign-in that was not let through. */
export interface RefusedSignIn {
  readonly outcome: 'failed' | 'throttled';
  /** Undefined when nobody has the e-mail. */
  readonly user: Pick<User, 'id' | 'institution_id'> | undefined;
  readonly fault: SignInFault | undefined;
  readonly place: string;
}

const WINDOW_S = 15 * 60;
/** Of one user's in the window; of nobody's the first only. */
const TOLD_IN_FULL = 50;

/**
 * Puts a refused sign-in into the log of the user's institution, or the network's when it is
 * nobody's, and into the process's log. Never what was typed: it may be a password, and whom a
 * stranger looks for is nobody else's business.
 *
 * The same work is done for a known e-mail as for an unknown one, so that its time tells nothing.
 */
export async function recordRefusedSignIn(
  deps: Pick<Dependencies, 'db' | 'clock' | 'logger' | 'sign_ins'>,
  ctx: CallContext,
  refused: RefusedSignIn,
): Promise<void> {
  const { outcome, user, fault, place } = refused;
  deps.sign_ins.record(outcome);
  deps.logger.info(
    { outcome, fault, user_id: user?.id, place, request_id: ctx.request_id },
    'sign-in refused',
  );
  const subject = `told ${outcome} ${user === undefined ? `nobody ${place}` : user.id}`;
  await deps.db.transaction(ctx, async (tx) => {
    const [counted] = await countAttempt(tx, [{ subject, window_s: WINDOW_S }]);
    const attempts = counted?.count ?? 1;
    if (!isTold(attempts, user === undefined ? 1 : TOLD_IN_FULL)) return;
    tellAudit(tx, deps.clock, {
      institution_id: user?.institution_id,
      action: outcome === 'failed' ? 'user.login_failed' : 'user.login_throttled',
      target_type: user === undefined ? 'address' : 'user',
      target_id: user?.id ?? place,
      changes: { fault, attempts },
    });
  });
}
