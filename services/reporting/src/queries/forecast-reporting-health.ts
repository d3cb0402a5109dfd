import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { uuidFrom } from '@credit/platform/requests';
import { type Health, healthOf } from '../domain/reporting-health';
import { isCorrectedDispute } from '../store/corrected-disputes';
import { figuresSoon } from './reporting-health';

/** Whose health, and what would come to it. */
export interface HealthForecast {
  readonly institution_id: string;
  /** The group of the dispute: it counts once. */
  readonly group_id: string;
}

/** How an institution's health would change if a dispute were resolved against it now. */
export function forecastReportingHealth(
  db: Database,
  ctx: CallContext,
  wanted: HealthForecast,
  now_ms: number,
): Promise<{ readonly before: Health; readonly after: Health }> {
  const institution_id = uuidFrom('institution_id', wanted.institution_id);
  const group_id = uuidFrom('group_id', wanted.group_id);
  return db.snapshot(ctx, async (on) => {
    const figures = await figuresSoon(on, institution_id, now_ms);
    const is_counted = await isCorrectedDispute(on, group_id);
    const after = {
      ...figures,
      // What the network files for it counts in nothing else.
      corrected_disputes: figures.corrected_disputes + (is_counted ? 0n : 1n),
    };
    return { before: healthOf(figures), after: healthOf(after) };
  });
}
