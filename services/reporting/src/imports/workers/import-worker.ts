import { setTimeout as sleep } from 'node:timers/promises';
import { UnreadableFile } from '@credit/furnishing';
import { type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  Background,
  type Logger,
  toTimestamp,
  type Worker,
  workLeased,
} from '@credit/platform/runtime';
import { backoffMs } from '@credit/platform/values';
import type { CommandDeps } from '../../commands/batch';
import { LEASE_MS, OutOfHand, Turn } from '../commands/take-turn';
import { KEPT_MS, MAX_ATTEMPTS } from '../domain/import';
import { breakImport, type ClaimedImport, claimImports, releaseImport } from '../store/imports';
import { restMs, type Traffic } from './traffic';

export interface ImportWorkerOptions extends CommandDeps {
  readonly environment: Environment;
  readonly db: Database;
  readonly logger: Logger;
  /** How often the queue is looked at without being woken. */
  readonly poll_ms: number;
  /** How long one turn works on an import before others have theirs. */
  readonly turn_ms: number;
  /** How much of its time it works beside requests, which wait for the same database. */
  readonly load_percent: number;
  readonly traffic: Traffic;
}

/** Of this process and environment; of an institution's, one at all. */
const AT_ONCE = 1;
const RETRY = { first_ms: 1_000, longest_ms: 60_000, growth: 4 };

/**
 * Checks the imports of one environment and writes them, a turn each. However a turn ends, the next
 * goes on behind the last batch that was committed.
 */
export class ImportWorker implements Worker {
  readonly name: string;
  private readonly loop: Background;

  constructor(private readonly options: ImportWorkerOptions) {
    this.loop = new Background({
      name: `imports-${options.environment}`,
      logger: options.logger,
      work: (isStopping) => this.work(isStopping),
      pause_ms: options.poll_ms,
      sooner: 0.5,
    });
    this.name = this.loop.name;
  }

  start(): void {
    this.loop.start();
  }

  /** Finishes the batch in hand. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Says that a file is whole. */
  wake(): void {
    this.loop.wake();
  }

  /** A turn of what is due; true when there may be more. */
  work(isStopping: () => boolean = () => false): Promise<boolean> {
    const { db, environment, newId } = this.options;
    const on = db.read(systemContext(environment));
    return workLeased<ClaimedImport>(
      {
        at_once: AT_ONCE,
        claim: (lease_token, at_once) => claimImports(on, lease_token, at_once, LEASE_MS),
        carryOut: (found) => this.takeTurn(found, isStopping),
      },
      newId,
    );
  }

  private async takeTurn(found: ClaimedImport, isStopping: () => boolean): Promise<void> {
    const { options } = this;
    const { id, institution_id, actor_type, actor_id, attempts } = found;
    // What it writes is said to be of whoever ordered it.
    const ctx = systemContext(options.environment, {
      institution_id,
      actor: { type: actor_type, id: actor_id },
      request_id: id,
    });
    const on = options.db.read(ctx);
    const end_ms = performance.now() + options.turn_ms;
    let spentOnRequests = options.traffic.look();
    const turn = new Turn(
      {
        ...options,
        isOver: () => isStopping() || performance.now() >= end_ms,
        rest: async (took_ms) => {
          const rest_ms = restMs(options.load_percent, took_ms, spentOnRequests());
          if (rest_ms > 0) await sleep(rest_ms);
          spentOnRequests = options.traffic.look();
        },
      },
      ctx,
      found,
    );
    try {
      if (attempts > MAX_ATTEMPTS) {
        const now_ms = options.clock.now_ms();
        await breakImport(on, found, toTimestamp(now_ms), toTimestamp(now_ms + KEPT_MS));
      } else {
        await turn.take();
      }
    } catch (error) {
      if (error instanceof OutOfHand) return;
      if (error instanceof UnreadableFile) {
        await turn.endFaulty(faultOf(error));
        return;
      }
      options.logger.warn({ err: error, import_id: id, attempts }, 'an import could not go on');
      await releaseImport(on, found, backoffMs(RETRY, attempts));
    }
  }
}

const PLACED = /^Line (\d+): (.+?)\.?$/;

function faultOf({ message }: UnreadableFile) {
  const [, line = '1', text = message] = PLACED.exec(message) ?? [];
  return {
    line: Number(line),
    faults: [{ code: 'UNREADABLE_FILE', field: '', message: text }],
  };
}
