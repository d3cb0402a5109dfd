import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { type Totals, totals } from '../store/totals';

/** Totals of the environment. */
export function getReportingTotals(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<Totals> {
  return totals(db.read(ctx), toTimestamp(now_ms));
}
