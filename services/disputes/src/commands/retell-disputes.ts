import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { isOnRecord } from '../domain/place';
import { openedEvent } from '../messages';
import { takeDisputesToRetell } from '../store/disputes';
import { institutionsOf } from '../store/places';

/** As many as are told of in one transaction. */
export const RETOLD_AT_ONCE = 100;

/**
 * Tells of open disputes again that an earlier version told of, or kept to itself because they
 * repeated others: who counts what is open did not listen then. Returns how many there were.
 */
export function retellDisputes(db: Database, ctx: CallContext): Promise<number> {
  return db.transaction(ctx, async (tx) => {
    const disputes = await takeDisputesToRetell(tx, RETOLD_AT_ONCE);
    const concerned = await institutionsOf(
      tx,
      disputes.map(({ id }) => id),
    );
    for (const dispute of disputes) {
      const { account_id, located_subject_id: subject_id } = dispute;
      const institution_ids = concerned.get(dispute.id) ?? [];
      const place = { subject_id, account_id, institution_ids };
      const was_told = dispute.duplicate_of === undefined && institution_ids.length > 0;
      if (isOnRecord(place)) tx.outbox(openedEvent(dispute, place, was_told));
    }
    return disputes.length;
  });
}
