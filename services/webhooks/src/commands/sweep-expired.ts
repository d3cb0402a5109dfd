import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { lowestIdAt } from '../domain/id';
import { retentionBounds } from '../domain/retention';
import { sweepDeliveries, sweepEvents } from '../store/deliveries';
import { sweepFeed } from '../store/feed';

const BATCH_ROWS = 1_000;
/** Of each kind and sweep; what is left waits for the next. */
const MAX_BATCHES = 100;

/** What a sweep removed. */
export interface Swept {
  readonly feed: number;
  readonly deliveries: number;
  readonly events: number;
}

/** Removes what is past its retention, in small statements. */
export async function sweepExpired(
  db: Database,
  ctx: CallContext,
  now_ms: number,
  isStopping: () => boolean = () => false,
): Promise<Swept> {
  const on = db.read(ctx);
  const bounds = retentionBounds(now_ms);
  const feed_before = toTimestamp(bounds.feed_before_ms);
  const events_before = toTimestamp(bounds.events_before_ms);
  const deliveries_before = lowestIdAt(bounds.deliveries_before_ms);
  const inBatches = async (sweep: () => Promise<number>) => {
    let count = 0;
    for (let batch = 0; batch < MAX_BATCHES && !isStopping(); batch += 1) {
      const swept = await sweep();
      count += swept;
      if (swept < BATCH_ROWS) break;
    }
    return count;
  };
  // Deliveries before the events that they need.
  return {
    feed: await inBatches(() => sweepFeed(on, feed_before, BATCH_ROWS)),
    deliveries: await inBatches(() => sweepDeliveries(on, deliveries_before, BATCH_ROWS)),
    events: await inBatches(() => sweepEvents(on, events_before, BATCH_ROWS)),
  };
}
