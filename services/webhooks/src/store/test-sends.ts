import { attemptCounts } from '@credit/platform/db';

/** Test messages that were sent on request. */
export const { count: countTestSends, sweep: sweepTestSends } = attemptCounts('test_sends');
