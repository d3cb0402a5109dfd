import type { CallContext } from '@credit/platform/context';
import type { Database, Queryable } from '@credit/platform/db';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import {
  FRESH_DAYS,
  type Health,
  type HealthFigures,
  healthOf,
  STALE_FLAG_DAYS,
  STALE_PAYMENT_DAYS,
  WINDOW_DAYS,
} from '../domain/reporting-health';
import { type HealthDay, largeBook, listHealthDays } from '../store/health-days';
import {
  type FoundAccount,
  type HealthWindow,
  healthFigures,
  healthFindings,
} from '../store/reporting-health';

const DAY_MS = 86_400_000;
const ACCOUNTS_A_FINDING = 20;
/** Longer than anybody should wait for what was known a moment ago. */
const LONG_LOOK_MS = 250;

/** The health of an institution's reporting, and when it was looked at. */
export interface ReportingHealth extends Health {
  readonly institution_id: string;
  readonly from: string;
  readonly to: string;
  readonly found: readonly FoundAccount[];
}

const before = (now_ms: number, days: number) => toTimestamp(now_ms - days * DAY_MS);

/** How well an institution reported lately, and what that was made of. Reads all its accounts. */
export async function lookAtHealth(
  on: Queryable,
  institution_id: string,
  now_ms: number,
): Promise<{ readonly health: Health; readonly figures: HealthFigures }> {
  const figures = await healthFigures(on, institution_id, windowTo(now_ms));
  return { health: healthOf(figures), figures };
}

function windowTo(now_ms: number): HealthWindow {
  return { from: before(now_ms, WINDOW_DAYS), fresh_from: before(now_ms, FRESH_DAYS) };
}

/**
 * How well the caller's institution reported lately. Reads all its accounts, but of a book that takes
 * long to read: of such a one they are as the keeper of days saw them last, some minutes ago.
 */
export async function getReportingHealth(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<ReportingHealth> {
  const institution_id = institutionOf(ctx);
  const stale_before = {
    payment: before(now_ms, STALE_PAYMENT_DAYS),
    flag: before(now_ms, STALE_FLAG_DAYS),
  };
  const [from, to] = [before(now_ms, WINDOW_DAYS), toTimestamp(now_ms)];
  return db.snapshot(ctx, async (on) => {
    const figures = await figuresSoon(on, institution_id, now_ms);
    const found = await healthFindings(on, institution_id, stale_before, ACCOUNTS_A_FINDING);
    return { institution_id, from, to, ...healthOf(figures), found };
  });
}

/** What health is made of, of a large book as it was seen last. */
export async function figuresSoon(
  on: Queryable,
  institution_id: string,
  now_ms: number,
): Promise<HealthFigures> {
  const known = await largeBook(on, institution_id, toTimestamp(now_ms), LONG_LOOK_MS);
  return healthFigures(on, institution_id, windowTo(now_ms), known);
}

/** The health of the caller's institution's reporting by day, as it was kept; the oldest first. */
export async function getHealthByDay(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<HealthDay[]> {
  const institution_id = institutionOf(ctx);
  return db.snapshot(ctx, (on) =>
    listHealthDays(on, institution_id, toTimestamp(now_ms), WINDOW_DAYS),
  );
}
