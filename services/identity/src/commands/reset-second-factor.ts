import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { deleteSecondFactor, findSecondFactor } from '../store/second-factors';
import { endSessions } from '../store/sessions';
import { lockAccess, lockUser } from '../store/users';
import { requirePlatformRole } from './actor';
import { requireColleague } from './colleague';
import { tellAdministration, tellAudit } from './tell';
import { tellOfFactor } from './tell-of-factor';

/**
 * Takes the factor off a user of the caller's institution who has lost it, and ends its sessions;
 * again is no error.
 */
export async function resetMemberSecondFactor(
  deps: Dependencies,
  ctx: CallContext,
  user_id: string,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    await lockAccess(tx);
    const { actor, before } = await requireColleague(tx, ctx, user_id);
    const told = await takeOff(tx, deps, before.id);
    tellAudit(tx, deps.clock, { ...told, institution_id: actor.institution_id });
  });
}

/** As {@link resetMemberSecondFactor}, of any user: for who runs the network. */
export async function resetSecondFactor(
  deps: Dependencies,
  ctx: CallContext,
  user_id: string,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    await requirePlatformRole(tx, ctx, 'SVC_SUPERADMIN');
    const user = await lockUser(tx, user_id);
    if (user === undefined) throw notFound('There is no such user.');
    const told = await takeOff(tx, deps, user_id);
    tellAdministration(tx, deps.clock, told, [user.institution_id]);
  });
}

async function takeOff(tx: Transaction, deps: Dependencies, user_id: string) {
  // One that was only offered was asked of nobody.
  const removed = (await findSecondFactor(tx, user_id))?.is_confirmed === true;
  await deleteSecondFactor(tx, user_id);
  if (removed) await tellOfFactor(tx, deps, user_id, 'RESET');
  const sessions_ended = await endSessions(tx, user_id);
  return {
    action: 'user.second_factor_reset',
    target_type: 'user',
    target_id: user_id,
    changes: { removed, sessions_ended },
  };
}
