import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import type { Clock, Logger, Worker } from '@credit/platform/runtime';
import { sweepExpired } from '../commands/sweep-expired';

const EVERY_MS = 3_600_000;

/** Removes what is past its retention, about once an hour. */
export class ExpirySweeper implements Worker {
  readonly name = 'sweep-expired';
  private stopping = false;
  private wakeUp: () => void = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: {
      readonly db: Database;
      readonly logger: Logger;
      readonly clock: Clock;
      /** From 0 to 1. */
      readonly random: () => number;
    },
  ) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wakeUp();
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock, db, logger, random } = this.options;
    while (!this.stopping) {
      // Replicas that started together need not sweep together.
      await this.pause(EVERY_MS * (0.5 + random()));
      for (const environment of db.environments) {
        if (this.stopping) return;
        try {
          const ctx = systemContext(environment);
          const swept = await sweepExpired(db, ctx, clock.now_ms(), () => this.stopping);
          if (swept.feed + swept.deliveries + swept.events > 0) {
            logger.info({ environment, ...swept }, 'swept what is past its retention');
          }
        } catch (error) {
          logger.warn({ err: error, environment }, 'sweeping failed');
        }
      }
    }
  }

  private async pause(wait_ms: number): Promise<void> {
    if (this.stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait_ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
