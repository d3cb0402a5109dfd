import type { Database } from '@credit/platform/db';
import { Background, type Clock, eachEnvironment, type Logger } from '@credit/platform/runtime';
import { refoldStates } from '../commands/refold-states';

/** Whether another replica has ended the work, or has died over it. */
const PAUSE_MS = 60_000;

/** After an upgrade, folds anew what earlier rules have folded; then it has nothing to do. */
export function stateRefolder(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): Background {
  const { db, clock, logger } = deps;
  return new Background({
    name: 'state-refolder',
    logger,
    pause_ms: PAUSE_MS,
    work: (isStopping) =>
      eachEnvironment(db.environments, isStopping, (environment) =>
        refoldStates(db, environment, clock),
      ),
  });
}
