import { randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { type KeyRing, sealSecret } from '@credit/platform/credentials';
import type { Database, Transaction } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import { makeSecret } from '@credit/platform/signing';
import type { AddressRange } from '../domain/address';
import { parseEventNames } from '../domain/event-catalogue';
import { parseWebhookUrl, refusedAddress } from '../domain/webhook-url';
import { insertSubscription, type SubscriptionRow, takePlace } from '../store/subscriptions';

/** Enabled subscriptions that an institution may have in one environment. */
export const MAX_SUBSCRIPTIONS = 20;

/** What a receiver's address is checked with. */
export interface ReceiverTools {
  readonly opened: readonly AddressRange[];
  /** Whether a name resolves to addresses that are refused; false when it does not resolve. */
  readonly isRefusedName: (host: string) => Promise<boolean>;
}

/** What creating a subscription takes beside the database. */
export interface CreateSubscriptionTools extends ReceiverTools {
  readonly keys: KeyRing;
}

/**
 * VALIDATION_ERROR for a URL that nothing may be sent to. A name that does not resolve yet is
 * accepted, for DNS may follow: every attempt checks again anyway.
 */
export async function checkReceiver(
  { isRefusedName, opened }: ReceiverTools,
  url: string,
): Promise<void> {
  const receiver = parseWebhookUrl(url, opened);
  if (!receiver.is_address && (await isRefusedName(receiver.host))) throw refusedAddress();
}

/** Counts one more enabled subscription; 409 when there are as many as there may be. */
export async function takePlaceOrRefuse(tx: Transaction, institution_id: string): Promise<void> {
  if (await takePlace(tx, institution_id, MAX_SUBSCRIPTIONS)) return;
  throw conflict(`An institution has at most ${MAX_SUBSCRIPTIONS} enabled webhooks.`, {
    reason: 'LIMIT_REACHED',
  });
}

/** Creates a subscription; the secret is in the answer and nowhere else. */
export async function createSubscription(
  db: Database,
  tools: CreateSubscriptionTools,
  ctx: CallContext,
  command: { id: string; institution_id: string; url: string; events: string[]; at: string },
): Promise<{ subscription: SubscriptionRow; secret: string }> {
  const events = parseEventNames(command.events);
  await checkReceiver(tools, command.url);
  const secret = makeSecret(randomBytes);
  const subscription = await db.transaction(ctx, async (tx) => {
    await takePlaceOrRefuse(tx, command.institution_id);
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
