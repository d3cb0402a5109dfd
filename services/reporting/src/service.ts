import { pathOf } from '@credit/platform/rpc';
import { type ServiceDeps, type ServiceParts, sweeping } from '@credit/platform/runtime';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import type { ReportingConfig } from './config';
import { reportingConsumers } from './consumers';
import { importSweeper } from './imports/workers/import-sweeper';
import { ImportWorker } from './imports/workers/import-worker';
import { Traffic } from './imports/workers/traffic';
import { RETENTION } from './retention';
import { reportingService } from './rpc';
import { sweepRejections } from './store/rejections';
import { sweepSubjectRequests } from './store/subject-requests';
import { eventLogWorker } from './workers/event-log-worker';
import { healthKeeper } from './workers/health-keeper';
import { hourFolder } from './workers/hour-folder';
import { nameNormaliser } from './workers/name-normaliser';
import { stateRefolder } from './workers/state-refolder';
import { submissionCounter } from './workers/submissions';

const paths = (...methods: readonly (keyof typeof ReportingServiceDefinition.methods)[]) =>
  methods.map((method) => pathOf(ReportingServiceDefinition, method));

/** What the other services need of the system of record, and no more. */
export const CALLERS = {
  scoring: paths(
    'getAccount',
    'getInquiry',
    'getSubject',
    'getSubjectFile',
    'getSubjectFileAt',
    'listSubjectHeads',
    'listSubjectEventsAt',
    'listSubjectChanges',
    'listOwnRecords',
    'followSubject',
    'simulateSubjectFile',
    'mergeSubjects',
    'splitSubject',
    'recordInquiry',
  ),
  disputes: paths(
    'locateRecords',
    'locateSandboxEvent',
    'setNetworkReview',
    'correctForDispute',
    'setSuppression',
    'explainCorrection',
    'locatePersonRecord',
    'rehearseOutcome',
    'forecastReportingHealth',
    'listContestedAccounts',
    'listContestedInquiries',
    'getContestedRecord',
    'voidInquiries',
  ),
};

/** One institution's turn: others do not wait much longer for theirs. */
const IMPORT_TURN_MS = 5_000;
const IMPORT_SWEEP_MS = 60_000;
const HEALTH_PAUSE_MS = 10_000;
const FOLD_PAUSE_MS = 3_600_000;

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export function build(deps: ServiceDeps<ReportingConfig>): ServiceParts {
  const { config, db, logger, clock, newId } = deps;
  const submissions = submissionCounter({ db, clock, logger });
  const max_batch = config.REPORTING_MAX_BATCH;
  const traffic = new Traffic();
  const importers = db.environments.map(
    (environment) =>
      new ImportWorker({
        environment,
        db,
        logger,
        clock,
        newId,
        poll_ms: config.IMPORT_POLL_MS,
        turn_ms: IMPORT_TURN_MS,
        load_percent: config.IMPORT_LOAD_PERCENT,
        traffic,
      }),
  );
  const imports = {
    wake: () => {
      for (const importer of importers) importer.wake();
    },
  };
  return {
    retention: RETENTION,
    services: [
      traffic.counted(reportingService({ db, clock, newId, max_batch, submissions, imports })),
    ],
    callers: CALLERS,
    keyed_writes: true,
    consumers: reportingConsumers(),
    workers: [
      nameNormaliser({ db, clock, logger }),
      submissions,
      stateRefolder({ db, clock, logger }),
      ...importers,
      importSweeper({ db, logger, pause_ms: IMPORT_SWEEP_MS }),
      sweeping({
        name: 'sweep',
        db,
        logger,
        pause_ms: FOLD_PAUSE_MS,
        sweeps: () => [sweepRejections, sweepSubjectRequests],
      }),
      healthKeeper({ db, clock }, { logger, pause_ms: HEALTH_PAUSE_MS }),
      hourFolder({ db, clock }, { logger, pause_ms: FOLD_PAUSE_MS }),
      eventLogWorker({ db, clock, config }, { logger, pause_ms: config.EVENT_LOG_POLL_MS }),
    ],
  };
}
