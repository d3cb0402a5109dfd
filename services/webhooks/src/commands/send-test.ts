import type { CallContext } from '@credit/platform/context';
import type { KeyRing } from '@credit/platform/credentials';
import type { Database, Transaction } from '@credit/platform/db';
import { conflict, notFound, rateLimited } from '@credit/platform/errors';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { errorClass, hasArrived } from '../domain/attempt';
import type { ShownAttempt } from '../queries/delivery-attempts';
import { testDelivery } from '../queries/test-delivery';
import type { Egress } from '../sending/egress';
import { findSubscription } from '../store/subscriptions';
import { countTestSends } from '../store/test-sends';

/** Test messages that a subscription may send in a minute, and all of an institution together. */
export const MAX_PER_SUBSCRIPTION = 5;
export const MAX_PER_INSTITUTION = 20;
const WINDOW_S = 60;

/** What is left of the caller's deadline to bring the answer back. */
const MARGIN_MS = 500;

/** What a test is sent with. */
export interface SendTestTools {
  readonly clock: Clock;
  readonly keys: KeyRing;
  readonly egress: Pick<Egress, 'post'>;
}

/** What was sent and what came of it. */
export interface SentTest {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly sent: ShownAttempt;
}

/**
 * Sends the test event to a subscription's receiver, once, by the way of deliveries and beside
 * their records: it costs no health, opens and closes no circuit, and is sent while one is open,
 * for then one wants to know. Also a 410 disables nothing. Counted before it is sent, so that
 * nobody can have strangers' servers knocked at without end.
 */
export async function sendTest(
  db: Database,
  { clock, keys, egress }: SendTestTools,
  ctx: CallContext,
  command: { subscription_id: string; institution_id: string },
): Promise<SentTest> {
  const { subscription_id, institution_id } = command;
  const url = await db.transaction(ctx, async (tx) => {
    const found = await findSubscription(tx, subscription_id, institution_id);
    if (found === undefined) throw notFound('There is no such webhook.');
    if (!found.enabled) throw conflict('The webhook is disabled.', { reason: 'WEBHOOK_DISABLED' });
    await countOrRefuse(tx, command);
    tx.audit(
      {
        institution_id,
        action: 'webhook.test_sent',
        target_type: 'webhook',
        target_id: subscription_id,
        changes: { url: found.url },
        at: toTimestamp(clock.now_ms()),
      },
      ctx,
    );
    return found.url;
  });
  const started_at_ms = clock.now_ms();
  const signed = await testDelivery(db, keys, ctx, { ...command, now_ms: started_at_ms });
  const within_ms = ctx.deadline_at_ms - Date.now() - MARGIN_MS;
  const result = await egress.post(url, signed.headers, signed.body, within_ms);
  return {
    ...signed,
    sent: {
      attempt: 1,
      started_at: toTimestamp(started_at_ms),
      duration_ms: Math.max(0, Math.round(clock.now_ms() - started_at_ms)),
      response_status: result.kind === 'answered' ? result.status : undefined,
      error_class: hasArrived(result) ? undefined : errorClass(result),
      ...(result.kind === 'answered' && result.answer && { response: result.answer }),
    },
  };
}

async function countOrRefuse(
  tx: Transaction,
  { subscription_id, institution_id }: { subscription_id: string; institution_id: string },
): Promise<void> {
  const limits = [
    { subject: `subscription ${subscription_id}`, limit: MAX_PER_SUBSCRIPTION },
    { subject: `institution ${institution_id}`, limit: MAX_PER_INSTITUTION },
  ];
  const counts = await countTestSends(
    tx,
    limits.map(({ subject }) => ({ subject, window_s: WINDOW_S })),
  );
  const reached = counts.filter(({ count }, at) => count > (limits[at]?.limit ?? 0));
  if (reached.length === 0) return;
  throw rateLimited(
    `At most ${MAX_PER_SUBSCRIPTION} test messages a minute are sent of a webhook, and ` +
      `${MAX_PER_INSTITUTION} of an institution.`,
    Math.max(...reached.map(({ ends_in_s }) => ends_in_s)),
    'TEST_DELIVERY_RATE',
  );
}
