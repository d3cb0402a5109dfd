import type { CallContext } from '@credit/platform/context';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import type { GetDispute, GetDisputeDeps } from '../queries/get-dispute';
import { type DisputeRecord, getDisputeRecord } from '../queries/get-dispute-record';

/**
 * Shows the record that a dispute is about, and keeps who saw it: in the network's log and in those of
 * the institutions whose accounts are shown. Nothing is shown that could not be logged.
 */
export async function readDisputeRecord(
  deps: GetDisputeDeps & { readonly clock: Clock },
  ctx: CallContext,
  wanted: GetDispute,
): Promise<DisputeRecord> {
  const found = await getDisputeRecord(deps, ctx, wanted);
  const accounts = found.record?.accounts ?? [];
  const at = toTimestamp(deps.clock.now_ms());
  await deps.db.transaction(ctx, async (tx) => {
    for (const log of new Set(['', ...accounts.map(({ institution_id }) => institution_id)])) {
      const shown = accounts.filter(({ institution_id }) => log === '' || institution_id === log);
      tx.audit(
        {
          institution_id: log,
          action: 'dispute.record_read',
          target_type: 'dispute',
          target_id: found.dispute.id,
          changes: { account_ids: shown.map(({ id }) => id) },
          at,
        },
        ctx,
      );
    }
  });
  return found;
}
