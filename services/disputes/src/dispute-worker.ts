import { type Environment, systemContext } from '@credit/platform/context';
import { WakefulLoop, type Worker } from '@credit/platform/runtime';
import { carryOutMove, type MoveDeps } from './commands/carry-out-move';
import { LOCATED_AT_ONCE, locateOldest } from './commands/locate-disputes';
import { claimDueMoves } from './store/moves';

/** What the worker needs. */
export interface DisputeWorkerOptions extends MoveDeps {
  readonly environment: Environment;
  /** How often it looks without being woken. */
  readonly poll_ms: number;
}

const MOVES_AT_ONCE = 4;
const LOCATE_TIMEOUT_MS = 8_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Finds out whose reporting new disputes are about, and completes the moves that whoever began
 * them did not. Any number of these run at once.
 */
export class DisputeWorker implements Worker {
  readonly name: string;
  private failures = 0;
  private readonly loop: WakefulLoop;

  constructor(private readonly options: DisputeWorkerOptions) {
    this.name = `disputes-${options.environment}`;
    this.loop = new WakefulLoop({
      work: () => this.work(),
      // Longer after each failure in a row.
      pause_ms: () =>
        Math.min(LONGEST_PAUSE_MS, options.poll_ms * 2 ** Math.min(this.failures, 10)),
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Finishes what is in hand. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Says that a dispute has come in. */
  wake(): void {
    this.loop.wake();
  }

  /** Does what there is to do now; true when there may be more. */
  async work(): Promise<boolean> {
    const { environment, logger } = this.options;
    const ctx = systemContext(environment, { deadline_at_ms: Date.now() + LOCATE_TIMEOUT_MS });
    const parts = await Promise.allSettled([
      locateOldest(this.options, ctx).then((count) => count === LOCATED_AT_ONCE),
      this.carryOut(),
    ]);
    const failed = parts.find((part) => part.status === 'rejected');
    if (failed !== undefined) {
      this.failures += 1;
      const { failures } = this;
      logger.warn({ err: failed.reason, environment, failures }, 'disputes have to wait');
      return false;
    }
    this.failures = 0;
    return parts.some((part) => part.status === 'fulfilled' && part.value);
  }

  private async carryOut(): Promise<boolean> {
    const { db, environment, lease_ms, newId } = this.options;
    const on = db.read(systemContext(environment));
    const moves = await claimDueMoves(on, newId(), lease_ms, MOVES_AT_ONCE);
    // A failure is logged where it happens, and the move is given back.
    await Promise.allSettled(moves.map((move) => carryOutMove(this.options, environment, move)));
    return moves.length === MOVES_AT_ONCE;
  }
}
