import { type Database, HOURS_KEPT_MS } from '@credit/platform/db';
import {
  type Background,
  type Clock,
  type Logger,
  sweeping,
  toTimestamp,
} from '@credit/platform/runtime';
import { TOTALS } from '../store/totals';

/** Makes days of the hours that nobody looks at one by one any more. */
export function hourFolder(
  deps: { readonly db: Database; readonly clock: Clock },
  options: { readonly logger: Logger; readonly pause_ms: number },
): Background {
  const { db, clock } = deps;
  return sweeping({
    ...options,
    name: 'fold-hours',
    db,
    sweeps: () => {
      const before = toTimestamp(clock.now_ms() - HOURS_KEPT_MS);
      return [(on, rows) => TOTALS.fold(on, before, rows)];
    },
  });
}
