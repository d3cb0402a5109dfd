import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { conflict, invalid, notFound } from '@credit/platform/errors';
import { insertReplays } from '../store/deliveries';
import { listReplayable } from '../store/feed';
import { lockSubscription } from '../store/subscriptions';

/** Deliveries that one replay may make. */
export const MAX_REPLAYED = 1_000;

/**
 * Makes new deliveries of the events that a subscription names and that were made in
 * a span of time, `from` included, as far as the feed still has them. The events keep
 * their ids. What is on its way already is left out. Returns how many that were.
 */
export function replayDeliveries(
  db: Database,
  tools: { newId: () => string; wakeSender: () => void },
  ctx: CallContext,
  command: {
    subscription_id: string;
    institution_id: string;
    from: string;
    to: string;
    at: string;
  },
): Promise<number> {
  const { subscription_id, institution_id, from, to } = command;
  if (Date.parse(from) >= Date.parse(to)) throw invalid('to', 'must be later than from');
  return db.transaction(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, subscription_id, institution_id);
    if (subscription === undefined) throw notFound('There is no such webhook.');
    if (!subscription.enabled)
      throw conflict('The webhook is disabled.', { reason: 'WEBHOOK_DISABLED' });
    const events = await listReplayable(tx, {
      institution_id,
      from,
      to,
      types: subscription.events,
      subscription_id,
      limit: MAX_REPLAYED + 1,
    });
    if (events.length > MAX_REPLAYED) {
      throw invalid('to', `must leave at most ${MAX_REPLAYED} events between from and it`);
    }
    if (events.length > 0) {
      await insertReplays(
        tx,
        events.map((event) => ({
          id: tools.newId(),
          subscription_id,
          institution_id,
          ...event,
        })),
      );
      tx.afterCommit(tools.wakeSender);
    }
    tx.audit(
      {
        institution_id,
        action: 'webhook.replayed',
        target_type: 'webhook',
        target_id: subscription_id,
        changes: { from, to, deliveries: events.length },
        at: command.at,
      },
      ctx,
    );
    return events.length;
  });
}
