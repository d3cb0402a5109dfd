import { count, serviceConfig, twoDatabases } from '@credit/platform/runtime';
import { z } from 'zod';

/** The environment of the reporting service. */
export const reportingConfig = serviceConfig.extend(twoDatabases.shape).extend({
  /** Single requests that may commit together. */
  REPORTING_MAX_BATCH: count(128),
  /** How much older than the newest an event's id may be when it is committed: clocks and queues. */
  EVENT_LOG_SETTLE_S: count(300),
  /** How long an event in a log waits to be signed at most; a thousand of them wait for nothing. */
  EVENT_LOG_EVERY_S: z.coerce.number().int().positive().max(3_000).default(3_000),
  EVENT_LOG_POLL_MS: count(60_000),
  IMPORT_POLL_MS: count(5_000),
  /** How much of its time an import works beside requests: they wait for the same database. */
  IMPORT_LOAD_PERCENT: z.coerce.number().int().min(1).max(100).default(50),
});

/** The parsed environment of the reporting service. */
export type ReportingConfig = z.output<typeof reportingConfig>;
