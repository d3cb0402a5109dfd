import type { CallContext } from '@credit/platform/context';
import { type KeyRing, unsealSecret } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { deliveryHeaders } from '@credit/platform/signing';
import { TEST_EVENT_ID, testBody } from '../domain/event-body';
import { findSecret } from '../store/subscriptions';

/** What a delivery of the test event would send; nothing is sent. */
export async function testDelivery(
  db: Database,
  keys: KeyRing,
  ctx: CallContext,
  query: { subscription_id: string; institution_id: string; now_ms: number },
): Promise<{ headers: Record<string, string>; body: string }> {
  const row = await findSecret(db.read(ctx), query.subscription_id, query.institution_id);
  if (row === undefined) throw notFound('There is no such webhook.');
  const sealed = { key_id: row.secret_key_id, sealed: row.secret_sealed };
  const body = testBody(ctx.environment);
  const headers = deliveryHeaders({
    secret: unsealSecret(keys, row.id, sealed),
    event_id: TEST_EVENT_ID,
    body,
    now_ms: query.now_ms,
  });
  return { headers, body };
}
