import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import { Background, type Worker, workLeased } from '@credit/platform/runtime';
import { carryOutMove, type MoveDeps } from '../commands/carry-out-move';
import { LOCATED_AT_ONCE, locateOldest } from '../commands/locate-disputes';
import { RETOLD_AT_ONCE, retellDisputes } from '../commands/retell-disputes';
import { SUPPRESSED_AT_ONCE, suppressOverdue, suppressWanted } from '../commands/suppress-disputes';
import { claimDueMoves } from '../store/moves';

/** What the worker needs. */
export interface DisputeWorkerOptions extends MoveDeps {
  readonly environment: Environment;
  /** Whether what was not decided in time is left out of the file until it is. */
  readonly suppresses_overdue: boolean;
  /** How often it looks without being woken. */
  readonly poll_ms: number;
}

const MOVES_AT_ONCE = 4;
const LOCATE_TIMEOUT_MS = 8_000;

/**
 * Finds out whose reporting new disputes are about, completes the moves that whoever began them did not,
 * and leaves out what is to be. Any number of these run at once.
 */
export class DisputeWorker implements Worker {
  readonly name: string;
  private is_retold = false;
  private readonly loop: Background;

  constructor(private readonly options: DisputeWorkerOptions) {
    this.loop = new Background({
      name: `disputes-${options.environment}`,
      logger: options.logger,
      work: () => this.work(),
      pause_ms: options.poll_ms,
    });
    this.name = this.loop.name;
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
    const ctx = systemContext(this.options.environment, {
      deadline_at_ms: Date.now() + LOCATE_TIMEOUT_MS,
    });
    const parts = await Promise.allSettled([
      locateOldest(this.options, ctx).then((count) => count === LOCATED_AT_ONCE),
      this.carryOut(),
      this.retell(ctx),
      this.suppress(ctx),
    ]);
    const failed = parts.find((part) => part.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return parts.some((part) => part.status === 'fulfilled' && part.value);
  }

  /** Only a migration asks for it: when nothing is left, nothing comes after. */
  private async retell(ctx: CallContext): Promise<boolean> {
    if (this.is_retold) return false;
    this.is_retold = (await retellDisputes(this.options.db, ctx)) < RETOLD_AT_ONCE;
    return !this.is_retold;
  }

  private async suppress(ctx: CallContext): Promise<boolean> {
    const overdue = this.options.suppresses_overdue ? await suppressOverdue(this.options, ctx) : 0;
    const wanted = await suppressWanted(this.options, ctx);
    return Math.max(overdue, wanted) === SUPPRESSED_AT_ONCE;
  }

  private carryOut(): Promise<boolean> {
    const { db, environment, lease_ms, newId } = this.options;
    const on = db.read(systemContext(environment));
    return workLeased(
      {
        at_once: MOVES_AT_ONCE,
        claim: (lease_token, at_once) => claimDueMoves(on, lease_token, lease_ms, at_once),
        // A failure is logged where it happens, and the move is given back.
        carryOut: (move) => carryOutMove(this.options, environment, move).catch(() => undefined),
      },
      newId,
    );
  }
}
