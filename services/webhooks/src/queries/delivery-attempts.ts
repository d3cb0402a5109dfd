import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { type AttemptRow, isOwnDelivery, listAttempts } from '../store/deliveries';

/** The attempts of an institution's delivery, in order: at most as many as there may be. */
export async function deliveryAttempts(
  db: Database,
  ctx: CallContext,
  query: { delivery_id: string; institution_id: string },
): Promise<AttemptRow[]> {
  const on = db.read(ctx);
  const { delivery_id, institution_id } = query;
  if (!(await isOwnDelivery(on, delivery_id, institution_id))) {
    throw notFound('There is no such delivery.');
  }
  return listAttempts(on, delivery_id);
}
