import type { Logger } from 'pino';

const REMINDER_MS = 60_000;

/** Logs a lasting failure when it begins, once a minute while it lasts, and when it is over. */
export class FailureLog {
  private failing = false;
  private logged_at_ms = 0;

  constructor(
    private readonly logger: Logger,
    private readonly what: string,
  ) {}

  failed(error: unknown): void {
    const now_ms = Date.now();
    if (this.failing && now_ms - this.logged_at_ms < REMINDER_MS) return;
    this.failing = true;
    this.logged_at_ms = now_ms;
    this.logger.warn({ err: error }, `${this.what} failed; trying again`);
  }

  succeeded(): void {
    if (!this.failing) return;
    this.failing = false;
    this.logger.info(`${this.what} works again`);
  }
}
