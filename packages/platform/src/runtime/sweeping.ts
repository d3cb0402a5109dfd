import { systemContext } from '../context';
import type { Database, Queryable } from '../db';
import { Background } from './background';
import type { Logger } from './logger';

/** Deletes up to so many rows that are over; returns how many. */
export type Sweep = (on: Queryable, rows: number) => Promise<number>;

export interface SweepingOptions {
  readonly name: string;
  readonly db: Database;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly pause_ms: number;
  /** In this order, made anew each time: what is over depends on the day. */
  readonly sweeps: () => readonly Sweep[];
}

/** Rows a statement: a sweep goes on while it finds that many. */
const ROWS = 1_000;
/** Of each kind and environment; what is left waits for the next time. */
const MAX_ROUNDS = 100;

/** Deletes what is over, in small statements, about every `pause_ms`. */
export function sweeping({ name, db, logger, pause_ms, sweeps }: SweepingOptions): Background {
  return new Background({
    name,
    logger,
    pause_ms,
    // Replicas that started together need not sweep together.
    sooner: 0.5,
    rests_first: true,
    work: async (isStopping) => {
      let deleted = 0;
      for (const environment of db.environments) {
        const on = db.read(systemContext(environment));
        for (const sweep of sweeps()) {
          for (let round = 0; round < MAX_ROUNDS && !isStopping(); round += 1) {
            const rows = await sweep(on, ROWS);
            deleted += rows;
            if (rows < ROWS) break;
          }
        }
      }
      if (deleted > 0) logger.info({ work: name, deleted }, 'swept what is over');
      return false;
    },
  });
}
