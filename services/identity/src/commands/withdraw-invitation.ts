import type { CallContext } from '@credit/platform/context';
import { conflict, notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { lockInvitationOf } from '../store/invitations';
import { requirePermission } from './actor';
import { endWaiting } from './invite';

/**
 * Withdraws an invitation of the caller's institution: its tokens are bad from the commit on.
 * Again, or after its time, is no error. It takes nothing from anybody but a way in, so whoever
 * may invite may withdraw what another gave, an OWNER's too.
 */
export async function withdrawInvitation(
  deps: Dependencies,
  ctx: CallContext,
  invitation_id: string,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const { institution_id } = await requirePermission(tx, ctx, 'institution.users.manage');
    const invitation = await lockInvitationOf(tx, institution_id, invitation_id);
    if (invitation === undefined) throw notFound('There is no such invitation.');
    if (invitation.is_accepted)
      throw conflict('The invitation was accepted already.', { reason: 'ALREADY_DECIDED' });
    if (invitation.is_open) await endWaiting(tx, deps, [invitation], 'WITHDRAWN');
  });
}
