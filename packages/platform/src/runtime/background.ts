import { Alarm } from '../core';
import { backoffMs, sooner } from '../values';
import { BackgroundMetrics } from './background-metrics';
import type { Logger } from './logger';
import type { Worker } from './worker';

/** One piece of work that a service does by itself. */
export interface BackgroundOptions {
  /** Names it in the log, in metrics and in docs/ARCHITECTURE.md. */
  readonly name: string;
  readonly logger: Pick<Logger, 'warn'>;
  /**
   * Does what there is to do now; true when there may be more. Bounded: it looks at `isStopping`
   * between the parts of what takes long. What it throws is logged, and tried again after a pause.
   */
  readonly work: (isStopping: () => boolean) => Promise<boolean>;
  /** How long to look away when there was no more, unless woken. */
  readonly pause_ms: number;
  /** A share of the pause that chance may take from it: replicas need not work at once. */
  readonly sooner?: number;
  /** Whether it begins with a pause. */
  readonly rests_first?: boolean;
  /** Ends what it works with, after the last of its work. */
  readonly close?: () => Promise<void> | void;
}

/** After failures in a row, unless its own pause is longer. */
const LONGEST_FAILURE_PAUSE_MS = 30_000;

/**
 * Works while there is something to do, and looks again after a pause or when told that there is.
 * What it is told while it works is not lost. The only loop of a service's own work.
 */
export class Background implements Worker {
  readonly name: string;
  private readonly alarm = new Alarm();
  private readonly metrics = new BackgroundMetrics();
  private stopping = false;
  private failures = 0;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: BackgroundOptions) {
    this.name = options.name;
  }

  start(): void {
    this.running = this.run();
  }

  /** Finishes what is in hand. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.alarm.ring();
    await this.running;
    await this.options.close?.();
  }

  /** Says that there is something to do. */
  wake(): void {
    this.alarm.ring();
  }

  /** Does what there is to do now; true when there may be more and nothing failed. */
  async once(): Promise<boolean> {
    const started_ms = performance.now();
    const { logger, name, work } = this.options;
    try {
      const more = await work(() => this.stopping);
      this.failures = 0;
      this.metrics.ran(name, 'done', performance.now() - started_ms);
      return more;
    } catch (error) {
      this.failures += 1;
      this.metrics.ran(name, 'failed', performance.now() - started_ms);
      logger.warn({ err: error, work: name, failures: this.failures }, 'background work failed');
      return false;
    }
  }

  private async run(): Promise<void> {
    if (this.options.rests_first) await this.rest();
    while (!this.stopping) {
      if (!(await this.once())) await this.rest();
    }
  }

  private async rest(): Promise<void> {
    if (this.stopping) return;
    const { pause_ms, sooner: share = 0 } = this.options;
    const longest_ms = Math.max(pause_ms, LONGEST_FAILURE_PAUSE_MS);
    const rest_ms =
      this.failures === 0
        ? pause_ms
        : backoffMs({ first_ms: pause_ms, longest_ms }, this.failures + 1);
    await this.alarm.wait(sooner(rest_ms, share));
  }
}
