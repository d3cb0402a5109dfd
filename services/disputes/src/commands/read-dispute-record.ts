import type { CallContext } from '@credit/platform/context';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import type { GetDispute } from '../queries/get-dispute';
import {
  type DisputeRecord,
  type GetDisputeRecordDeps,
  getDisputeRecord,
} from '../queries/get-dispute-record';

/**
 * Shows the record that a dispute is about, and keeps who saw it: in the network's log and in those of
 * the institutions whose accounts and inquiries are shown. Nothing is shown that could not be logged.
 */
export async function readDisputeRecord(
  deps: GetDisputeRecordDeps & { readonly clock: Clock },
  ctx: CallContext,
  wanted: GetDispute,
): Promise<DisputeRecord> {
  const found = await getDisputeRecord(deps, ctx, wanted);
  const accounts = found.record?.accounts ?? [];
  const { inquiries } = found.inquiries;
  const at = toTimestamp(deps.clock.now_ms());
  await deps.db.transaction(ctx, async (tx) => {
    const concerned = [...accounts, ...inquiries].map(({ institution_id }) => institution_id);
    for (const log of new Set(['', ...concerned])) {
      const shownOf = (records: readonly { id: string; institution_id: string }[]) =>
        records
          .filter(({ institution_id }) => log === '' || institution_id === log)
          .map(({ id }) => id);
      tx.audit(
        {
          institution_id: log,
          action: 'dispute.record_read',
          target_type: 'dispute',
          target_id: found.dispute.id,
          changes: {
            account_ids: shownOf(accounts),
            ...(inquiries.length > 0 && { inquiry_ids: shownOf(inquiries) }),
          },
          at,
        },
        ctx,
      );
    }
  });
  return found;
}
