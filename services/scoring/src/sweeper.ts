import { systemContext } from '@credit/platform/context';
import { type Database, sweepKeys } from '@credit/platform/db';
import { type Clock, type Logger, toTimestamp, type Worker } from '@credit/platform/runtime';
import { dayOfInstant } from './domain/model';
import { sweepDocuments, sweepTickets } from './store/reports';
import { sweepInquiries } from './store/subject-files';

export interface SweeperOptions {
  readonly db: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly pause_ms: number;
}

/** 24 months: older inquiries are shown nowhere and count in nothing. */
const INQUIRY_DAYS_KEPT = 731;
const ROWS = 500;
/** Then the rest is left to the next sweep. */
const MAX_ROUNDS = 100;

/** Deletes what is over: expired documents, used tickets, old inquiries, old keys. */
export class Sweeper implements Worker {
  readonly name = 'sweeper';
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: SweeperOptions) {}

  start(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.sweep()
        .catch((error: unknown) => this.options.logger.warn({ err: error }, 'a sweep failed'))
        .then(() => this.start());
    }, this.options.pause_ms);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  async sweep(): Promise<void> {
    const { db, clock } = this.options;
    const now_ms = clock.now_ms();
    const first_day_kept = dayOfInstant(now_ms) - INQUIRY_DAYS_KEPT;
    for (const environment of db.environments) {
      const on = db.read(systemContext(environment));
      const sweeps = [
        () => sweepDocuments(on, toTimestamp(now_ms), ROWS),
        () => sweepTickets(on, ROWS),
        () => sweepInquiries(on, first_day_kept, ROWS),
        () => sweepKeys(on, ROWS),
      ];
      for (const sweepSome of sweeps) {
        for (let round = 0; round < MAX_ROUNDS && !this.stopped; round += 1) {
          if ((await sweepSome()) < ROWS) break;
        }
      }
    }
  }
}
