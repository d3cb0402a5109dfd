import type { ServiceDeps, ServiceParts } from '@credit/platform/runtime';
import type { ScoringConfig } from './config';
import { scoringConsumers } from './consumers';
import { ProfileReader } from './queries/read-profile';
import { reportingClient } from './reporting-client';
import { PersonFileWriter } from './reports/commands/write-person-file';
import { DocumentThread } from './reports/documents/document-thread';
import { DocumentServer } from './reports/workers/document-server';
import { ReportWorker } from './reports/workers/report-worker';
import { RETENTION } from './retention';
import { scoringRpc } from './rpc';
import { CatchUp } from './workers/catch-up';
import { observeReconciliation } from './workers/reconciliation-metrics';
import { scoringSweeper } from './workers/sweeper';

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export function build(deps: ServiceDeps<ScoringConfig>): ServiceParts {
  const { clock, config, db, logger, newId } = deps;
  const reporting = reportingClient(deps.channel(config.REPORTING_ADDRESS));
  const makings = { clock, newId };
  observeReconciliation(db);
  const catchUp = new CatchUp({
    ...makings,
    db,
    logger,
    readWhole: reporting.readWhole,
    grace_ms: config.SCORING_CATCH_UP_GRACE_MS,
  });
  const profiles = new ProfileReader({
    ...makings,
    db,
    logger,
    reporting,
    catchUp,
    profiles_kept: config.SCORING_PROFILES_KEPT,
  });
  // One for both environments: what a process spends on documents has a bound.
  const documents = new DocumentThread({ timeout_ms: config.REPORT_TIMEOUT_MS });
  const reports = db.environments.map(
    (environment) =>
      new ReportWorker({
        ...makings,
        environment,
        db,
        logger,
        reporting,
        documents,
        lease_ms: config.REPORT_LEASE_MS,
        poll_ms: config.REPORT_POLL_MS,
      }),
  );
  return {
    retention: RETENTION,
    services: [
      scoringRpc({
        db,
        clock,
        profiles,
        reporting,
        person_files: new PersonFileWriter(documents),
        onReport: () => {
          for (const worker of reports) worker.wake();
        },
      }),
    ],
    consumers: scoringConsumers({ ...makings, catchUp, readWhole: reporting.readWhole }),
    workers: [
      catchUp,
      ...reports,
      { name: 'document-thread', start() {}, stop: () => documents.stop() },
      new DocumentServer({ db, logger, address: config.HTTP_ADDRESS, tls: deps.tls }),
      scoringSweeper({ db, logger, clock, pause_ms: config.SCORING_SWEEP_MS }),
    ],
  };
}
