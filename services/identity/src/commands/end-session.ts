import type { CallContext } from '@credit/platform/context';
import { notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { endSession as endSessionRow, lockSessionOf } from '../store/sessions';
import { requireUser } from './actor';
import { tellAudit } from './tell';

/**
 * Ends a session of the calling user, its access tokens included: the one that it calls with, or
 * another. Again is no error.
 */
export async function endSession(
  deps: Dependencies,
  ctx: CallContext,
  session_id: string,
  action: 'user.logged_out' | 'session.ended',
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const user = await requireUser(tx, ctx);
    const session = await lockSessionOf(tx, session_id, user.id);
    if (session === undefined) throw notFound('There is no such session.');
    // Of one that ended for refreshing alone, as with a change of the password, tokens may be left.
    const tokens = await endSessionRow(tx, session_id);
    if (session.is_ended && tokens === 0) return;
    tellAudit(tx, deps.clock, {
      institution_id: user.institution_id,
      action,
      target_type: 'session',
      target_id: session_id,
    });
  });
}
