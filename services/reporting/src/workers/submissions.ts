import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { isAppError } from '@credit/platform/errors';
import {
  Background,
  type Clock,
  type Logger,
  toTimestamp,
  type Worker,
} from '@credit/platform/runtime';
import { countSubmissions, type Submissions } from '../store/reporting-health';

const PAUSE_MS = 1_000;

/** Counts what came in and what was refused. */
export interface SubmissionCounter extends Worker {
  /** Runs a report of some items and counts how it went. */
  count<Res>(ctx: CallContext, items: number, run: () => Promise<Res>): Promise<Res>;
  /** Writes what was counted so far. */
  flush(environment: Environment): Promise<void>;
}

/**
 * Submissions are counted in memory and written every second, apart from the transactions that
 * refuse them: a process that is killed forgets a second of two figures that only tell a trend.
 */
export function submissionCounter(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): SubmissionCounter {
  const { db, clock, logger } = deps;
  const counts: Record<Environment, Map<string, Submissions>> = {
    live: new Map(),
    test: new Map(),
  };

  const add = (environment: Environment, institution_id: string, more: [number, number]) => {
    const { submitted, rejected } = counts[environment].get(institution_id) ?? {
      submitted: 0,
      rejected: 0,
    };
    counts[environment].set(institution_id, {
      institution_id,
      submitted: submitted + more[0],
      rejected: rejected + more[1],
    });
  };

  const flush = async (environment: Environment) => {
    const written = [...counts[environment].values()];
    if (written.length === 0) return;
    counts[environment] = new Map();
    try {
      const on = db.read(systemContext(environment));
      await countSubmissions(on, toTimestamp(clock.now_ms()), written);
    } catch (error) {
      for (const { institution_id, submitted, rejected } of written) {
        add(environment, institution_id, [submitted, rejected]);
      }
      throw error;
    }
  };

  const flushAll = async () => {
    for (const environment of db.environments) await flush(environment);
    return false;
  };
  const writing = new Background({
    name: 'submission-counter',
    logger,
    pause_ms: PAUSE_MS,
    work: flushAll,
    close: async () => {
      await writing.once();
    },
  });

  return {
    name: writing.name,
    async count(ctx, items, run) {
      const { environment, institution_id } = ctx;
      try {
        const result = await run();
        const replayed = ctx.reply_metadata.get('idempotent-replayed') === 'true';
        if (institution_id !== '' && !replayed) add(environment, institution_id, [items, 0]);
        return result;
      } catch (error) {
        const refused = Math.min(items, refusedItems(error));
        if (institution_id !== '' && isAppError(error) && error.retry_after_s === undefined) {
          add(environment, institution_id, [items, refused]);
        }
        throw error;
      }
    },
    flush,
    start: () => writing.start(),
    stop: () => writing.stop(),
  };
}

const INDEX = /\[(\d+)\]/;

/** A batch that is refused names the items that were at fault. */
function refusedItems(error: unknown): number {
  if (!isAppError(error)) return 0;
  if (error.code !== 'VALIDATION_ERROR' && error.code !== 'INVALID_STATE_TRANSITION') return 0;
  const indexes = error.details.flatMap(({ path }) => INDEX.exec(path)?.[1] ?? []);
  return Math.max(1, new Set(indexes).size);
}
