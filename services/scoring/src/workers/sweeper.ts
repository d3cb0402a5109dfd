import type { Database } from '@credit/platform/db';
import {
  type Background,
  type Clock,
  type Logger,
  sweeping,
  toTimestamp,
} from '@credit/platform/runtime';
import { dayOfInstant } from '../domain/model';
import { sweepDocuments, sweepTickets } from '../reports/store/reports';
import { sweepInquiries } from '../store/subject-files';

/** 24 months: older inquiries are shown nowhere and count in nothing. */
const INQUIRY_DAYS_KEPT = 731;

/** Deletes what is over: expired documents, used tickets, old inquiries. */
export function scoringSweeper(options: {
  readonly db: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly pause_ms: number;
}): Background {
  const { clock } = options;
  return sweeping({
    ...options,
    name: 'sweep',
    sweeps: () => {
      const now_ms = clock.now_ms();
      const first_day_kept = dayOfInstant(now_ms) - INQUIRY_DAYS_KEPT;
      return [
        (on, rows) => sweepDocuments(on, toTimestamp(now_ms), rows),
        sweepTickets,
        (on, rows) => sweepInquiries(on, first_day_kept, rows),
      ];
    },
  });
}
