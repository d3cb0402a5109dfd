import { HOURS_KEPT_MS } from '@credit/platform/db';
import { type Sweep, toTimestamp } from '@credit/platform/runtime';
import { lowestIdAt } from '@credit/platform/values';
import { retentionBounds } from '../domain/retention';
import { sweepDeliveries, sweepEvents } from '../store/deliveries';
import { sweepFeed } from '../store/feed';
import { sweepTestSends } from '../store/test-sends';
import { TOTALS } from '../store/totals';

/**
 * What removes what is past its retention at a moment: deliveries before the events they
 * need. Counts of hours become those of days.
 */
export function expirySweeps(now_ms: number): readonly Sweep[] {
  const bounds = retentionBounds(now_ms);
  const feed_before = toTimestamp(bounds.feed_before_ms);
  const events_before = toTimestamp(bounds.events_before_ms);
  const hours_before = toTimestamp(now_ms - HOURS_KEPT_MS);
  const deliveries_before = lowestIdAt(bounds.deliveries_before_ms);
  return [
    (on, rows) => sweepFeed(on, feed_before, rows),
    (on, rows) => sweepDeliveries(on, deliveries_before, rows),
    (on, rows) => sweepEvents(on, events_before, rows),
    sweepTestSends,
    (on, rows) => TOTALS.fold(on, hours_before, rows),
  ];
}
