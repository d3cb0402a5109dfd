import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { lowestIdAt } from '@credit/platform/values';
import { countOutcomes, type DeliveryStatus, readFigures } from '../store/deliveries';
import { TOTALS } from '../store/totals';

const COUNT_LIMIT = 10_000;
const OUTCOME_LIMIT = 100_000;
const DAY_MS = 86_400_000;

/** How far an environment's queue is behind. */
export interface DeliveryFigures {
  /** Deliveries that could be sent now; counted up to 10,000. */
  readonly due: number;
  /** How long the oldest of them has been due; 0 when none is. */
  readonly oldest_due_ms: number;
  /** Deliveries under way, on all replicas. */
  readonly in_flight: number;
}

/** Reads the queue's figures, for metrics. */
export function deliveryFigures(db: Database, ctx: CallContext): Promise<DeliveryFigures> {
  return readFigures(db.read(ctx), COUNT_LIMIT);
}

/** Counts the deliveries made in the last 24 hours by the state they are in: the latest 100,000 of them. */
export function deliveryOutcomes(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<Record<DeliveryStatus, number>> {
  return countOutcomes(db.read(ctx), lowestIdAt(now_ms - DAY_MS), OUTCOME_LIMIT);
}

/** What came of deliveries lately, by hours and by days. */
export function deliveryTraffic(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): ReturnType<typeof TOTALS.until> {
  return db.snapshot(ctx, (on) => TOTALS.until(on, toTimestamp(now_ms)));
}
