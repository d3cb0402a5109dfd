import { count, serviceConfig, twoDatabases } from '@credit/platform/runtime';
import type { z } from 'zod';

/** The environment of the reporting service. */
export const reportingConfig = serviceConfig.extend(twoDatabases.shape).extend({
  /** Single requests that may commit together. */
  REPORTING_MAX_BATCH: count(128),
  /** Pause between two sweeps of expired idempotency records. */
  IDEMPOTENCY_SWEEP_MS: count(60_000),
});

/** The parsed environment of the reporting service. */
export type ReportingConfig = z.output<typeof reportingConfig>;
