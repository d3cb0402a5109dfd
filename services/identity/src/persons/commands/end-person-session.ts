import type { CallContext } from '@credit/platform/context';
import { personOf } from '@credit/platform/requests';
import { tellAudit } from '../../commands/tell';
import type { Dependencies } from '../../dependencies';
import { endPersonSession } from '../store/person-sessions';

/** Ends the calling person's session. */
export async function endOwnPersonSession(
  deps: Dependencies,
  ctx: CallContext,
  session_id: string,
): Promise<void> {
  const subject_id = personOf(ctx);
  await deps.db.transaction(ctx, async (tx) => {
    if (!(await endPersonSession(tx, session_id, subject_id))) return;
    tellAudit(tx, deps.clock, {
      institution_id: undefined,
      action: 'person_session.ended',
      target_type: 'person_session',
      target_id: session_id,
    });
  });
}
