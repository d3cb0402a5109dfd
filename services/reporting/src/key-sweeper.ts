import { systemContext } from '@credit/platform/context';
import { type Database, sweepKeys } from '@credit/platform/db';
import type { Logger, Worker } from '@credit/platform/runtime';

/** Rows a statement; a sweep goes on while it finds that many. */
const SWEEP_ROWS = 1_000;
/** Then it leaves the rest to the next one. */
const MAX_ROUNDS = 100;

/** What the sweeper needs. */
export interface KeySweeperDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly pause_ms: number;
}

/** Deletes expired idempotency records, a bounded number at a time. */
export function keySweeper({ db, logger, pause_ms }: KeySweeperDeps): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  const sweep = async () => {
    for (const environment of db.environments) {
      const on = db.read(systemContext(environment));
      for (let round = 0; round < MAX_ROUNDS && !stopped; round += 1) {
        if ((await sweepKeys(on, SWEEP_ROWS)) < SWEEP_ROWS) break;
      }
    }
  };

  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = sweep()
        .catch((error: unknown) => logger.warn({ err: error }, 'sweep of keys failed'))
        .then(schedule);
    }, pause_ms);
    timer.unref();
  };

  return {
    name: 'key-sweeper',
    start: schedule,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
