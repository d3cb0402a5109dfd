import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { lowestIdAt } from '@credit/platform/values';
import {
  type AccountCount,
  countAccountsByStatus,
  type Figures,
  readFigures,
} from '../store/figures';

const DAY_MS = 86_400_000;

/** What administrators watch of an environment. Counts rows: dearer than the totals. */
export async function getReportingFigures(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<Figures & { accounts_by_status: AccountCount[] }> {
  const since_ms = now_ms - DAY_MS;
  const since = { lowest_id: lowestIdAt(since_ms), at: toTimestamp(since_ms) };
  const [figures, accounts_by_status] = await Promise.all([
    readFigures(db.read(ctx), since),
    countAccountsByStatus(db.read(ctx)),
  ]);
  return { ...figures, accounts_by_status };
}
