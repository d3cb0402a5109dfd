import type { ServiceDeps, ServiceParts } from '@credit/platform/runtime';
import type { ReportingConfig } from './config';
import { keySweeper } from './key-sweeper';
import { reportingService } from './rpc';

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export function build(deps: ServiceDeps<ReportingConfig>): ServiceParts {
  const { config, db, logger, clock, newId } = deps;
  return {
    services: [reportingService({ db, clock, newId, max_batch: config.REPORTING_MAX_BATCH })],
    workers: [keySweeper({ db, logger, pause_ms: config.IDEMPOTENCY_SWEEP_MS })],
  };
}
