import { count, serviceConfig, twoDatabases } from '@credit/platform/runtime';
import { z } from 'zod';

/** The environment of the disputes service. */
export const disputesConfig = serviceConfig.extend(twoDatabases.shape).extend({
  REPORTING_ADDRESS: z.string().min(1),
  /** How often disputes are looked for that another process took in or left behind. */
  DISPUTES_POLL_MS: count(1_000),
  /** How long a process may be silent about a decision before another completes it. */
  DISPUTES_LEASE_MS: count(30_000),
  /** What becomes of a record whose dispute is not decided by its due date. */
  DISPUTE_OVERDUE: z.enum(['SUPPRESS', 'KEEP']).default('KEEP'),
});

/** The parsed environment of the disputes service. */
export type DisputesConfig = z.output<typeof disputesConfig>;
