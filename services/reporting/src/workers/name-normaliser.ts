import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { Background, type Clock, type Logger, type Worker } from '@credit/platform/runtime';
import { normaliseNames } from '../commands/normalise-names';

/** Between looks for subjects that the release before has created. */
const PAUSE_MS = 60_000;

/**
 * After a change of how names are compared, brings those on record under the new rule: at the start
 * of a release, in one process at a time, page by page. Once it is through it has nothing to do.
 */
export function nameNormaliser(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): Worker {
  const { db, clock, logger } = deps;
  const open = new Set(db.environments);
  return new Background({
    name: 'name-normaliser',
    logger,
    pause_ms: PAUSE_MS,
    work: async () => {
      let more = false;
      for (const environment of open) {
        const ctx = systemContext(environment);
        const { subjects, collisions, finished } = await db.transaction(ctx, (tx) =>
          normaliseNames(tx, clock.now_ms()),
        );
        if (collisions > 0) logger.warn({ environment, collisions }, 'subjects look the same now');
        if (finished) open.delete(environment);
        more ||= subjects > 0;
      }
      return more;
    },
  });
}
