import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { type AccountCount, countAccountsByStatus } from '../store/account-totals';
import { type Figures, readFigures, TOTALS } from '../store/totals';

/** What administrators watch of an environment; all of it is kept as it comes. */
export async function getReportingFigures(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<Figures & { accounts_by_status: AccountCount[] }> {
  const [figures, accounts_by_status] = await Promise.all([
    readFigures(db.read(ctx), toTimestamp(now_ms)),
    countAccountsByStatus(db.read(ctx)),
  ]);
  return { ...figures, accounts_by_status };
}

/** What came on record lately, by hours and by days. */
export function getReportingTraffic(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): ReturnType<typeof TOTALS.until> {
  return db.snapshot(ctx, (on) => TOTALS.until(on, toTimestamp(now_ms)));
}
