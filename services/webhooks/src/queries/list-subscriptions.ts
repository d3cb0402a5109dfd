import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { idFromCursor, type Page, type PageRequest, readPage } from '@credit/platform/requests';
import { listSubscriptionRows, type SubscriptionHealthRow } from '../store/subscriptions';

/** A page of an institution's subscriptions, newest first, disabled ones included. */
export function listSubscriptions(
  db: Database,
  ctx: CallContext,
  { institution_id, ...page }: PageRequest & { institution_id: string },
): Promise<Page<SubscriptionHealthRow>> {
  const before_id = idFromCursor(page.cursor);
  return readPage(
    page,
    (limit) => listSubscriptionRows(db.read(ctx), institution_id, before_id, limit),
    (last) => [last.id],
  );
}
