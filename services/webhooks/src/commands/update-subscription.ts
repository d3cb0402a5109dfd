import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid, notFound } from '@credit/platform/errors';
import { parseEventNames } from '../domain/event-catalogue';
import { changeSubscription, lockSubscription, type SubscriptionRow } from '../store/subscriptions';
import { checkReceiver, type ReceiverTools, takePlaceOrRefuse } from './create-subscription';
import { disableLocked } from './disable-subscription';

/** What changes of a subscription; what is absent stays as it is. */
export interface UpdateSubscription {
  readonly subscription_id: string;
  readonly institution_id: string;
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly at: string;
}

/**
 * Changes a subscription. Its secret stays. Deliveries that wait go to the new address; those of
 * events that are left out now still arrive, for they were subscribed to when they happened.
 */
export async function updateSubscription(
  db: Database,
  tools: ReceiverTools,
  ctx: CallContext,
  command: UpdateSubscription,
): Promise<SubscriptionRow> {
  const { subscription_id, institution_id, url, enabled, at } = command;
  if (url === undefined && command.events === undefined && enabled === undefined) {
    throw invalid('', 'must change at least one of url, events, enabled');
  }
  if (url !== undefined) await checkReceiver(tools, url);
  const events = command.events && parseEventNames([...command.events]);
  return db.transaction(ctx, async (tx) => {
    const found = await lockSubscription(tx, subscription_id, institution_id);
    if (found === undefined) throw notFound('There is no such webhook.');
    const wanted = {
      id: found.id,
      url: url ?? found.url,
      events: events ?? found.events,
      enabled: enabled ?? found.enabled,
    };
    const is_revived = wanted.enabled && !found.enabled;
    if (is_revived) await takePlaceOrRefuse(tx, institution_id);
    // Cancels what waits, and says so in the log.
    if (found.enabled && !wanted.enabled) await disableLocked(tx, ctx, command, 'REQUESTED');
    const begins_anew = is_revived || wanted.url !== found.url;
    const changed = await changeSubscription(tx, wanted, begins_anew);
    const changes = {
      ...(wanted.url !== found.url && { url: { from: found.url, to: wanted.url } }),
      ...(events !== undefined && { events: { from: found.events, to: events } }),
      ...(is_revived && { enabled: { from: false, to: true } }),
    };
    if (Object.keys(changes).length > 0) {
      tx.audit(
        {
          institution_id,
          action: 'webhook.updated',
          target_type: 'webhook',
          target_id: found.id,
          changes,
          at,
        },
        ctx,
      );
    }
    return changed;
  });
}
