import { type Environment, systemContext } from '@credit/platform/context';
import type { Worker } from '@credit/platform/runtime';
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
  private stopping = false;
  private woken = false;
  private failures = 0;
  private wakeUp: () => void = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: DisputeWorkerOptions) {
    this.name = `disputes-${options.environment}`;
  }

  start(): void {
    this.running = this.run();
  }

  /** Finishes what is in hand. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
  }

  /** Says that a dispute has come in. */
  wake(): void {
    this.woken = true;
    this.wakeUp();
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
    this.failures = failed === undefined ? 0 : this.failures + 1;
    if (failed !== undefined) {
      const { failures } = this;
      logger.warn({ err: failed.reason, environment, failures }, 'disputes have to wait');
    }
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

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.woken = false;
      const is_more = await this.work();
      if (!is_more || this.failures > 0) await this.pause();
    }
  }

  /** Longer after each failure in a row, whoever wakes it: then somebody is away. */
  private async pause(): Promise<void> {
    const { poll_ms } = this.options;
    if (this.stopping || (this.woken && this.failures === 0)) return;
    const pause_ms = Math.min(LONGEST_PAUSE_MS, poll_ms * 2 ** Math.min(this.failures, 10));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause_ms);
      this.wakeUp = () => {
        if (this.failures > 0 && !this.stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = () => {};
  }
}
