import { type CallContext, systemContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { cancelDeliveries } from '../store/deliveries';
import { freePlace, lockSubscription, markDisabled } from '../store/subscriptions';

/** Which subscription, and when. */
export interface Target {
  readonly subscription_id: string;
  readonly institution_id: string;
  readonly at: string;
}

/**
 * Disables a subscription and cancels what it still had to deliver. A second
 * time changes nothing and is no error: the caller has what it wanted.
 */
export function disableSubscription(
  db: Database,
  ctx: CallContext,
  command: Target,
): Promise<void> {
  return db.transaction(ctx, async (tx) => {
    const found = await disable(tx, ctx, command, 'REQUESTED');
    if (!found) throw notFound('There is no such webhook.');
  });
}

/** Disables a subscription whose receiver said that it is gone for good. */
export async function disableGoneEndpoint(tx: Transaction, command: Target): Promise<void> {
  await disable(tx, systemContext(tx.ctx.environment), command, 'GONE');
}

async function disable(
  tx: Transaction,
  ctx: CallContext,
  command: Target,
  reason: 'REQUESTED' | 'GONE',
): Promise<boolean> {
  const { subscription_id, institution_id } = command;
  const subscription = await lockSubscription(tx, subscription_id, institution_id);
  if (subscription === undefined) return false;
  if (!subscription.enabled) return true;
  await disableLocked(tx, ctx, command, reason);
  return true;
}

/** Disables a subscription that is enabled and locked. */
export async function disableLocked(
  tx: Transaction,
  ctx: CallContext,
  { subscription_id, institution_id, at }: Target,
  reason: 'REQUESTED' | 'GONE',
): Promise<void> {
  await markDisabled(tx, subscription_id, reason);
  await freePlace(tx, institution_id);
  const cancelled = await cancelDeliveries(tx, subscription_id);
  tx.audit(
    {
      institution_id,
      action: 'webhook.disabled',
      target_type: 'webhook',
      target_id: subscription_id,
      changes: { reason, cancelled_deliveries: cancelled },
      at,
    },
    ctx,
  );
}
