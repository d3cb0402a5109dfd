import { randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import type { AddressRange } from '../domain/address';
import { parseEventNames } from '../domain/event-catalogue';
import { type KeyRing, makeSecret, sealSecret } from '../domain/secret';
import { parseWebhookUrl, refusedAddress } from '../domain/webhook-url';
import { insertSubscription, type SubscriptionRow, takePlace } from '../store/subscriptions';

/** Enabled subscriptions that an institution may have in one environment. */
export const MAX_SUBSCRIPTIONS = 20;

/** What creating a subscription takes beside the database. */
export interface CreateSubscriptionTools {
  readonly keys: KeyRing;
  readonly opened: readonly AddressRange[];
  /** Whether a name resolves to addresses that are refused; false when it does not resolve. */
  readonly isRefusedName: (host: string) => Promise<boolean>;
}

/**
 * Creates a subscription; the secret is in the answer and nowhere else. A name
 * that does not resolve yet is accepted, for DNS may follow: every attempt checks
 * again anyway.
 */
export async function createSubscription(
  db: Database,
  tools: CreateSubscriptionTools,
  ctx: CallContext,
  command: { id: string; institution_id: string; url: string; events: string[]; at: string },
): Promise<{ subscription: SubscriptionRow; secret: string }> {
  const receiver = parseWebhookUrl(command.url, tools.opened);
  const events = parseEventNames(command.events);
  if (!receiver.is_address && (await tools.isRefusedName(receiver.host))) throw refusedAddress();
  const secret = makeSecret(randomBytes);
  const subscription = await db.transaction(ctx, async (tx) => {
    if (!(await takePlace(tx, command.institution_id, MAX_SUBSCRIPTIONS))) {
      throw conflict(`An institution has at most ${MAX_SUBSCRIPTIONS} enabled webhooks.`, {
        reason: 'LIMIT_REACHED',
      });
    }
    const created = await insertSubscription(
      tx,
      {
        id: command.id,
        institution_id: command.institution_id,
        url: command.url,
        events,
        created_at: command.at,
      },
      sealSecret(tools.keys, command.id, secret, randomBytes),
    );
    tx.audit(
      {
        institution_id: command.institution_id,
        action: 'webhook.created',
        target_type: 'webhook',
        target_id: command.id,
        changes: { url: command.url, events },
        at: command.at,
      },
      ctx,
    );
    return created;
  });
  return { subscription, secret };
}
