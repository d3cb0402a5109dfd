import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { institutionOf } from '@credit/platform/requests';
import { DAY_MS, monthsBefore } from '../domain/calendar';
import { type PurposeCount, purposesOf } from '../store/inquiry-purposes';

const DAYS_MS = 30 * DAY_MS;

/** How often the caller's institution looked in 30 days and in 12 months, and what for. */
export function listInquiryPurposes(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<PurposeCount[]> {
  const since = { days_ms: now_ms - DAYS_MS, months_ms: monthsBefore(now_ms, 12) };
  return purposesOf(db.read(ctx), institutionOf(ctx), since);
}
