import { type ServiceDeps, type ServiceParts, sweeping } from '@credit/platform/runtime';
import type { DisputesConfig } from './config';
import { disputesConsumers } from './consumers';
import { observeDisputes } from './dispute-metrics';
import { reportingClient } from './reporting-client';
import { RETENTION } from './retention';
import { disputesRpc } from './rpc';
import { deleteContacts } from './store/disputes';
import { DisputeWorker } from './workers/dispute-worker';

const SWEEP_EVERY_MS = 60 * 60_000;

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export function build(deps: ServiceDeps<DisputesConfig>): ServiceParts {
  const { channel, clock, config, db, logger, newId } = deps;
  observeDisputes(db);
  const reporting = reportingClient(channel(config.REPORTING_ADDRESS));
  const moves = { db, clock, newId, logger, reporting, lease_ms: config.DISPUTES_LEASE_MS };
  const workers = db.environments.map(
    (environment) =>
      new DisputeWorker({
        ...moves,
        environment,
        suppresses_overdue: config.DISPUTE_OVERDUE === 'SUPPRESS',
        poll_ms: config.DISPUTES_POLL_MS,
      }),
  );
  const onUnlocated = () => {
    for (const worker of workers) worker.wake();
  };
  return {
    retention: RETENTION,
    services: [disputesRpc({ ...moves, onUnlocated })],
    consumers: disputesConsumers(),
    workers: [
      ...workers,
      sweeping({
        name: 'sweep-contacts',
        db,
        logger,
        pause_ms: SWEEP_EVERY_MS,
        sweeps: () => [deleteContacts],
      }),
    ],
    keyed_writes: true,
  };
}
