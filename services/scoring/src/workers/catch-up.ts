import type { Environment } from '@credit/platform/context';
import { type CallContext, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import type { Logger, Worker } from '@credit/platform/runtime';
import { applyWholeSubject } from '../commands/apply-whole-subject';
import type { Makings } from '../commands/evaluate';
import { isWhole, type WholeSubject } from '../domain/subject-file';
import { loadSubjectHead } from '../store/subject-files';

/** Asks reporting for the whole of a subject. */
export type ReadWhole = (ctx: CallContext, subject_id: string) => Promise<WholeSubject>;

export interface CatchUpOptions extends Makings {
  readonly db: Database;
  readonly logger: Logger;
  readonly readWhole: ReadWhole;
  /** How long a missing message may take before the subject is asked for. */
  readonly grace_ms: number;
}

interface Waiting {
  readonly environment: Environment;
  readonly subject_id: string;
  version: number;
  readonly due_at_ms: number;
}

/** More subjects than this are not remembered; their next read or event names them again. */
const MAX_WAITING = 10_000;
const BATCH = 8;
const TIMEOUT_MS = 10_000;

/**
 * Mends projections that a message never reached. A gap mostly closes by itself, because events
 * of a subject come on two consumers, so each subject gets a moment of grace first.
 */
export class CatchUp implements Worker {
  readonly name = 'catch-up';
  /** In the order they are due, because each waits equally long. */
  private readonly waiting = new Map<string, Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private started = false;

  constructor(private readonly options: CatchUpOptions) {}

  start(): void {
    this.started = true;
    this.arm();
  }

  async stop(): Promise<void> {
    this.started = false;
    clearTimeout(this.timer);
    await this.running;
  }

  /** The projection should come to `version` soon; if it does not, it is mended. */
  expect(environment: Environment, subject_id: string, version: number): void {
    const key = `${environment}/${subject_id}`;
    const known = this.waiting.get(key);
    if (known !== undefined) {
      known.version = Math.max(known.version, version);
      return;
    }
    if (this.waiting.size >= MAX_WAITING) return;
    const due_at_ms = this.options.clock.now_ms() + this.options.grace_ms;
    this.waiting.set(key, { environment, subject_id, version, due_at_ms });
    this.arm();
  }

  /** Mends all that is waiting now, due or not. */
  async flush(): Promise<void> {
    await this.running;
    while (this.waiting.size > 0) await this.mendFirst(Number.POSITIVE_INFINITY);
  }

  private arm(): void {
    if (!this.started || this.running !== undefined) return;
    const [first] = this.waiting.values();
    if (first === undefined) return;
    clearTimeout(this.timer);
    const wait_ms = Math.max(0, first.due_at_ms - this.options.clock.now_ms());
    this.timer = setTimeout(() => {
      this.running = this.mendFirst(this.options.clock.now_ms()).finally(() => {
        this.running = undefined;
        this.arm();
      });
    }, wait_ms);
  }

  private async mendFirst(now_ms: number): Promise<void> {
    const due: Waiting[] = [];
    for (const [key, one] of this.waiting) {
      if (one.due_at_ms > now_ms || due.length >= BATCH) break;
      this.waiting.delete(key);
      due.push(one);
    }
    await Promise.all(due.map((one) => this.mend(one)));
  }

  private async mend({ environment, subject_id, version }: Waiting): Promise<void> {
    const { db, logger, readWhole } = this.options;
    const ctx = systemContext(environment, {
      deadline_at_ms: Date.now() + TIMEOUT_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    try {
      const head = await loadSubjectHead(db.read(ctx), subject_id);
      if (head !== undefined && head.complete_version >= version && isWhole(head)) return;
      const whole = await readWhole(ctx, subject_id);
      const mended = await db.transaction(ctx, (tx) => applyWholeSubject(tx, whole, this.options));
      if (mended) {
        logger.info(
          { environment, subject_id, from: head?.complete_version ?? 0, to: whole.subject_version },
          'caught up with reporting',
        );
      }
    } catch (error) {
      // The next event or read of the subject brings it up again.
      logger.warn({ err: error, environment, subject_id }, 'catching up failed');
    }
  }
}
