import type { CallContext } from '@credit/platform/context';
import { type Database, encodeCursor } from '@credit/platform/db';
import { listSubscriptionRows, type SubscriptionHealthRow } from '../store/subscriptions';
import { idFromCursor, pageLimit } from './page';

const BOUNDS = { fallback: 25, maximum: 100 };

/** A page of an institution's subscriptions, newest first, disabled ones included. */
export async function listSubscriptions(
  db: Database,
  ctx: CallContext,
  query: { institution_id: string; limit: number; cursor: string | undefined },
): Promise<{ subscriptions: SubscriptionHealthRow[]; next_cursor: string | undefined }> {
  const limit = pageLimit(query.limit, BOUNDS);
  const before_id = idFromCursor(query.cursor);
  const rows = await listSubscriptionRows(db.read(ctx), query.institution_id, before_id, limit + 1);
  const subscriptions = rows.slice(0, limit);
  const last = subscriptions.at(-1);
  return {
    subscriptions,
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor([last.id]) : undefined,
  };
}
