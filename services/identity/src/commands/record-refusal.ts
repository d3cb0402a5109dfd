import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { countAttempt } from '../store/attempts';
import { tellAudit } from './tell';

/** Why a call was refused; the answer to it does not tell. */
export type RefusalReason =
  | 'SCOPE'
  | 'ROLE'
  | 'INSTITUTION_STATUS'
  | 'ADDRESS'
  | 'PASSWORD'
  | 'SECOND_FACTOR'
  | 'ENVIRONMENT';

const WINDOW_S = 60;

/**
 * Puts a refusal into the caller's audit log. The same one again within a minute is left
 * out: a caller in a loop must not fill the log.
 */
export async function recordRefusal(
  deps: Dependencies,
  ctx: CallContext,
  refusal: { reason: RefusalReason; operation: string },
): Promise<void> {
  const { reason, operation } = refusal;
  const { actor } = ctx;
  if (actor.id === '') return;
  const subject = `refusal ${actor.type} ${actor.id} ${reason} ${operation}`;
  await deps.db.transaction(ctx, async (tx) => {
    const [counted] = await countAttempt(tx, [{ subject, window_s: WINDOW_S }]);
    if (counted !== undefined && counted.count > 1) return;
    tellAudit(tx, deps.clock, {
      institution_id: ctx.institution_id,
      action: 'call.refused',
      target_type: 'operation',
      target_id: operation,
      changes: { reason },
    });
  });
}
