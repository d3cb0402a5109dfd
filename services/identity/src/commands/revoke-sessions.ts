import type { CallContext } from '@credit/platform/context';
import { notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { endSessions } from '../store/sessions';
import { lockUser } from '../store/users';
import { requirePlatformRole } from './actor';
import { tellAdministration } from './tell';

/** Ends a user's sessions, access tokens included. Returns how many ended. */
export async function revokeSessions(
  deps: Dependencies,
  ctx: CallContext,
  user_id: string,
): Promise<number> {
  return deps.db.transaction(ctx, async (tx) => {
    await requirePlatformRole(tx, ctx, 'SVC_SUPERADMIN');
    // A login that is under way has the row: its session is seen, or comes after.
    const user = await lockUser(tx, user_id);
    if (user === undefined) throw notFound('There is no such user.');
    const revoked = await endSessions(tx, user_id);
    const told = {
      action: 'user.sessions_revoked',
      target_type: 'user',
      target_id: user_id,
      changes: { revoked },
    };
    tellAdministration(tx, deps.clock, told, [user.institution_id]);
    return revoked;
  });
}
