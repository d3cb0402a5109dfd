import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { conflict, notFound } from '@credit/platform/errors';
import { MAX_ATTEMPTS } from '../domain/retry-schedule';
import { type DeliveryRow, lockDelivery, requeueDelivery } from '../store/deliveries';

/** Makes a delivery that waits for its next attempt due now. */
export function retryDelivery(
  db: Database,
  wakeSender: () => void,
  ctx: CallContext,
  command: { delivery_id: string; institution_id: string; at: string },
): Promise<DeliveryRow> {
  return db.transaction(ctx, async (tx) => {
    const delivery = await lockDelivery(tx, command.delivery_id, command.institution_id);
    if (delivery === undefined) throw notFound('There is no such delivery.');
    refuseUnlessWaiting(delivery);
    const requeued = await requeueDelivery(tx, delivery.id);
    tx.audit(
      {
        institution_id: command.institution_id,
        action: 'webhook.delivery_retried',
        target_type: 'webhook_delivery',
        target_id: delivery.id,
        changes: { webhook_id: delivery.subscription_id, attempts: delivery.attempts },
        at: command.at,
      },
      ctx,
    );
    tx.afterCommit(wakeSender);
    return requeued;
  });
}

function refuseUnlessWaiting(delivery: DeliveryRow): void {
  switch (delivery.status) {
    case 'DELIVERED':
      throw conflict('The delivery has arrived already.', { reason: 'NOT_RETRYABLE' });
    case 'CANCELLED':
      throw conflict('The delivery was cancelled.', { reason: 'NOT_RETRYABLE' });
    case 'FAILED':
      throw conflict(`The delivery has had its ${MAX_ATTEMPTS} attempts.`, {
        reason: 'NOT_RETRYABLE',
      });
    case 'PENDING':
      if (delivery.in_flight)
        throw conflict('An attempt of the delivery is under way.', { reason: 'NOT_RETRYABLE' });
      return;
    default:
      delivery.status satisfies never;
  }
}
