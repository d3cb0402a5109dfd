import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { endSession, lockSessionOf } from '../store/sessions';
import { requireUser } from './actor';
import { tellAudit } from './tell';

/** Ends a session of the calling user, its access tokens included. Again is no error. */
export async function logout(
  deps: Dependencies,
  ctx: CallContext,
  session_id: string,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const user = await requireUser(tx, ctx);
    if (!(await lockSessionOf(tx, session_id, user.id))) return;
    await endSession(tx, session_id);
    tellAudit(tx, deps.clock, {
      institution_id: user.institution_id,
      action: 'user.logged_out',
      target_type: 'session',
      target_id: session_id,
    });
  });
}
