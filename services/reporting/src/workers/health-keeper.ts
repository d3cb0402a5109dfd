import type { Database } from '@credit/platform/db';
import { Background, type Clock, eachEnvironment, type Logger } from '@credit/platform/runtime';
import { keepHealth } from '../commands/keep-health';

/** Keeps the health of each institution's reporting by day, so that pages need not count books. */
export function healthKeeper(
  deps: { readonly db: Database; readonly clock: Clock },
  options: { readonly logger: Logger; readonly pause_ms: number },
): Background {
  const { db, clock } = deps;
  return new Background({
    name: 'health-keeper',
    ...options,
    work: (isStopping) =>
      eachEnvironment(db.environments, isStopping, (environment) =>
        keepHealth(db, environment, clock, isStopping),
      ),
  });
}
