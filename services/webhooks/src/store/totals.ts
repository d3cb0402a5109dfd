import { HourlyTotals } from '@credit/platform/db';

/** Deliveries that arrived, attempts that failed, and deliveries whose attempts are used up. */
export const TOTALS = new HourlyTotals('delivered', 'failed_attempts', 'given_up');
