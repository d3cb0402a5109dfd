import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { pageLimit } from '@credit/platform/requests';
import { type DeliveryRow, listDeliveryRows } from '../store/deliveries';
import { findSubscription } from '../store/subscriptions';

/** The listing shows the latest deliveries only. */
const BOUNDS = { fallback: 100, maximum: 100 };

/** The latest deliveries of an institution's subscription, newest first. */
export async function listDeliveries(
  db: Database,
  ctx: CallContext,
  query: { subscription_id: string; institution_id: string; limit: number },
): Promise<DeliveryRow[]> {
  const limit = pageLimit(query.limit, BOUNDS);
  const on = db.read(ctx);
  const subscription = await findSubscription(on, query.subscription_id, query.institution_id);
  if (subscription === undefined) throw notFound('There is no such webhook.');
  return listDeliveryRows(on, subscription.id, limit);
}
