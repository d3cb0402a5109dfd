import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { findDispute, keepReinsertion, type NewReinsertion } from '../store/disputes';

/** A reinsertion, and whose furnishing it is. */
export interface Reinsertion extends NewReinsertion {
  readonly institution_id: string;
}

/**
 * Keeps that a fact which the outcome of a dispute took away was certified and reported again: the
 * opener and the desk see it, and the logs of the network and the furnisher say so.
 */
export async function keepCertified(
  tx: Transaction,
  ctx: CallContext,
  { institution_id, ...reinsertion }: Reinsertion,
): Promise<void> {
  const { certification, credit_event_id, dispute_id, reported_at } = reinsertion;
  if ((await findDispute(tx, dispute_id)) === undefined) {
    throw new Error(`A fact was reinserted after the dispute ${dispute_id}, which has no row.`);
  }
  const shown = await keepReinsertion(tx, reinsertion);
  for (const log of ['', institution_id]) {
    tx.audit(
      {
        institution_id: log,
        action: 'dispute.reinserted',
        target_type: 'dispute',
        target_id: dispute_id,
        changes: { credit_event_id, certification, shown_count: shown.length },
        at: reported_at,
      },
      ctx,
    );
  }
}
