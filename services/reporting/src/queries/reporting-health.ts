import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import {
  FRESH_DAYS,
  type Health,
  healthOf,
  STALE_FLAG_DAYS,
  STALE_PAYMENT_DAYS,
  WINDOW_DAYS,
} from '../domain/reporting-health';
import { type FoundAccount, healthFigures, healthFindings } from '../store/reporting-health';

const DAY_MS = 86_400_000;
const ACCOUNTS_A_FINDING = 20;

/** The health of an institution's reporting, and when it was looked at. */
export interface ReportingHealth extends Health {
  readonly institution_id: string;
  readonly from: string;
  readonly to: string;
  readonly found: readonly FoundAccount[];
}

/** How well the institution reported lately. Reads all its accounts. */
export async function getReportingHealth(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<ReportingHealth> {
  const institution_id = institutionOf(ctx);
  const before = (days: number) => toTimestamp(now_ms - days * DAY_MS);
  const from = before(WINDOW_DAYS);
  return db.snapshot(ctx, async (on) => {
    const fresh_from = before(FRESH_DAYS);
    const figures = await healthFigures(on, institution_id, { from, fresh_from });
    const stale_before = { payment: before(STALE_PAYMENT_DAYS), flag: before(STALE_FLAG_DAYS) };
    const found = await healthFindings(on, institution_id, stale_before, ACCOUNTS_A_FINDING);
    return { institution_id, from, to: toTimestamp(now_ms), ...healthOf(figures), found };
  });
}
