import { randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { type KeyRing, sealSecret } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import { conflict, notFound } from '@credit/platform/errors';
import { makeSecret } from '@credit/platform/signing';
import { lockSubscription, replaceSecret, type SubscriptionRow } from '../store/subscriptions';

/** Replaces a signing secret; the next attempt of any delivery is signed with the new one. */
export async function rotateSecret(
  db: Database,
  keys: KeyRing,
  ctx: CallContext,
  command: { subscription_id: string; institution_id: string; at: string },
): Promise<{ subscription: SubscriptionRow; secret: string }> {
  const secret = makeSecret(randomBytes);
  const subscription = await db.transaction(ctx, async (tx) => {
    const found = await lockSubscription(tx, command.subscription_id, command.institution_id);
    if (found === undefined) throw notFound('There is no such webhook.');
    if (!found.enabled) throw conflict('The webhook is disabled.', { reason: 'WEBHOOK_DISABLED' });
    await replaceSecret(tx, found.id, sealSecret(keys, found.id, secret, randomBytes));
    tx.audit(
      {
        institution_id: command.institution_id,
        action: 'webhook.secret_rotated',
        target_type: 'webhook',
        target_id: found.id,
        at: command.at,
      },
      ctx,
    );
    return found;
  });
  return { subscription, secret };
}
