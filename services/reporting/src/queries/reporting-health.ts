import type { CallContext } from '@credit/platform/context';
import type { Database, Queryable } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf, pageLimit } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import {
  ACCOUNT_METRICS,
  type AccountMetric,
  FRESH_DAYS,
  type Health,
  type HealthFigures,
  healthOf,
  STALE_FLAG_DAYS,
  STALE_PAYMENT_DAYS,
  WINDOW_DAYS,
  whyLow,
} from '../domain/reporting-health';
import { findLowAccounts, type LowAccount, listKeptLowAccounts } from '../store/health-accounts';
import { type HealthDay, largeBook, lastLongLook, listHealthDays } from '../store/health-days';
import {
  type FoundAccount,
  type HealthWindow,
  healthFigures,
  healthFindings,
} from '../store/reporting-health';

const DAY_MS = 86_400_000;
const ACCOUNTS_A_FINDING = 20;
const LOW_ACCOUNTS = { fallback: 5, maximum: 20 };
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
): Promise<{
  readonly health: Health;
  readonly figures: HealthFigures;
  readonly low: readonly LowAccount[];
}> {
  const window = windowTo(now_ms);
  const figures = await healthFigures(on, institution_id, window);
  const low = await findLowAccounts(on, institution_id, {
    metrics: ACCOUNT_METRICS,
    fresh_from: window.fresh_from,
    limit: LOW_ACCOUNTS.maximum,
  });
  return { health: healthOf(figures), figures, low };
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

/** The accounts that lower a metric most, the worst first. */
export interface LowAccounts {
  readonly looked_at: string;
  readonly accounts: readonly (LowAccount & { readonly text: string })[];
}

/**
 * The accounts of the caller's institution that lower a metric most. Of a book that takes long to
 * read, those that the keeper of days found at its last look and that are as low still.
 */
export async function listLowAccounts(
  db: Database,
  ctx: CallContext,
  request: { readonly metric: string; readonly limit: number },
  now_ms: number,
): Promise<LowAccounts> {
  const institution_id = institutionOf(ctx);
  const metric = accountMetric(request.metric);
  const limit = pageLimit(request.limit, LOW_ACCOUNTS);
  const query = { metrics: [metric], fresh_from: windowTo(now_ms).fresh_from, limit };
  return db.snapshot(ctx, async (on) => {
    const long_ago = await lastLongLook(on, institution_id, LONG_LOOK_MS);
    const list = long_ago === undefined ? findLowAccounts : listKeptLowAccounts;
    const low = await list(on, institution_id, query);
    return {
      looked_at: long_ago ?? toTimestamp(now_ms),
      accounts: low.map((account) => ({ ...account, text: whyLow(metric, account, now_ms) })),
    };
  });
}

function accountMetric(name: string): AccountMetric {
  const metric = ACCOUNT_METRICS.find((known) => known === name);
  if (metric === undefined) throw invalid('metric', `must be one of ${ACCOUNT_METRICS.join(', ')}`);
  return metric;
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
