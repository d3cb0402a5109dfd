import { count, serviceConfig, twoDatabases } from '@credit/platform/runtime';
import type { z } from 'zod';

/** The environment of the reporting service. */
export const reportingConfig = serviceConfig.extend(twoDatabases.shape).extend({
  /** Single requests that may commit together. */
  REPORTING_MAX_BATCH: count(128),
});

/** The parsed environment of the reporting service. */
export type ReportingConfig = z.output<typeof reportingConfig>;
