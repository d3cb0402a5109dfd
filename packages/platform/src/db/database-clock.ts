import type { Logger } from 'pino';
import { systemContext } from '../context';
import type { Clock } from '../core';
import type { Database } from './database';
import type { Queryable } from './queryable';
import { statement } from './statement';

const NOW = statement<{ at_ms: number }>(
  'database_clock_now',
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at_ms',
);

const LOOK_EVERY_MS = 250;
const ASK_EVERY_MS = 5_000;
/** By so much a clock of this machine that was set differs from one that goes a little fast. */
const SET_BY_MS = 200;
const TOLD_FROM_MS = 1_000;

/** Of the wall clock of this machine, beside time that nobody sets. */
const wallOffset = () => Date.now() - performance.now();

/**
 * The clock of a service is its database's, which all replicas share: what a lender reports and what is
 * due does not depend on which of them it comes to, nor on a machine whose clock is wrong or jumps.
 * Between two looks it goes by monotonic time, and is as right as the last answer was quick.
 */
export class DatabaseClock implements Clock {
  private offset_ms = wallOffset();
  private wall_offset_ms = this.offset_ms;
  private ask_at_ms = 0;
  private is_told = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly on: Pick<Queryable, 'one'>,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {}

  now_ms(): number {
    return Math.floor(performance.now() + this.offset_ms);
  }

  /** Asks now, and from now on. */
  async start(): Promise<void> {
    await this.look();
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Asks when it is time to, or when this machine's clock was set: the database's may be the same. */
  private async look(): Promise<void> {
    const is_set = Math.abs(wallOffset() - this.wall_offset_ms) > SET_BY_MS;
    if (!is_set && performance.now() < this.ask_at_ms) return;
    this.wall_offset_ms = wallOffset();
    this.ask_at_ms = performance.now() + ASK_EVERY_MS;
    try {
      await this.adjust();
    } catch {
      // It goes on as it did, and a database that is away is told of by whoever needs it.
    }
  }

  private async adjust(): Promise<void> {
    const asked_ms = performance.now();
    const { at_ms } = await this.on.one(NOW);
    const heard_ms = performance.now();
    // It was that late at some moment between the two, and no nearer than that is known.
    this.offset_ms = Math.min(Math.max(this.offset_ms, at_ms - heard_ms), at_ms - asked_ms);
    const off_ms = Math.round(wallOffset() - this.offset_ms);
    const is_off = Math.abs(off_ms) >= TOLD_FROM_MS;
    if (is_off && !this.is_told) {
      this.logger.warn({ off_ms }, "this machine's clock is not the database's, which is gone by");
    } else if (!is_off && this.is_told) {
      this.logger.info("this machine's clock is the database's again");
    }
    this.is_told = is_off;
  }
}

/** Of one of a service's databases: all are on one server. */
export function databaseClock(
  db: Pick<Database, 'read'>,
  logger: Pick<Logger, 'warn' | 'info'>,
): DatabaseClock {
  return new DatabaseClock(db.read(systemContext('live')), logger);
}
