import type { ServiceDeps, ServiceParts } from '@credit/platform/runtime';
import { CatchUp } from './commands/catch-up';
import type { ScoringConfig } from './config';
import { scoringConsumers } from './consumers';
import { ProfileReader } from './queries/read-profile';
import { scoringRpc, wholeFromReporting } from './rpc';

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export function build(deps: ServiceDeps<ScoringConfig>): ServiceParts {
  const { clock, config, db, logger, newId } = deps;
  const readWhole = wholeFromReporting(deps.channel(config.REPORTING_ADDRESS));
  const makings = { clock, newId };
  const catchUp = new CatchUp({
    ...makings,
    db,
    logger,
    readWhole,
    grace_ms: config.SCORING_CATCH_UP_GRACE_MS,
  });
  const profiles = new ProfileReader({ ...makings, db, logger, readWhole, catchUp });
  return {
    services: [scoringRpc({ db, profiles })],
    consumers: scoringConsumers({ ...makings, catchUp }),
    workers: [catchUp],
  };
}
