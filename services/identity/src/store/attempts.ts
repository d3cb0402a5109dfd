import { attemptCounts } from '@credit/platform/db';

/** Attempts of people and addresses, such as failed sign-ins. */
export const {
  count: countAttempt,
  giveBack: giveBackAttempts,
  sweep: sweepAttempts,
} = attemptCounts('attempts');
