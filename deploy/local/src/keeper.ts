import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@credit/platform/values';
import type { Output } from './output';

/** A process that was started; `stop` asks it to end and bounds the wait. */
export interface Running {
  pid: number;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stop(): Promise<void>;
}

const DELAYS = { first_ms: 100, longest_ms: 5_000 };
/** What ran for this long before it died was well: the next delay is the first one again. */
const WELL_AFTER_MS = 10_000;

/** How long to wait before the start after so many deaths in a row. */
export function restartDelay_ms(deaths: number): number {
  return backoffMs(DELAYS, deaths);
}

/** Keeps one process running until told to stop. */
export class Keeper {
  private running: Running | undefined;
  private begun: Promise<void> | undefined;
  private kept: Promise<void> | undefined;
  private readonly halt = new AbortController();
  private expected = false;
  private deaths = 0;
  private last_death = '';

  constructor(
    readonly name: string,
    private readonly start: () => Promise<Running>,
    private readonly output: Output,
    /** Called whenever the process is another one. */
    private readonly changed: () => void,
  ) {}

  get pid(): number | undefined {
    return this.running?.pid;
  }

  /** Deaths in a row, and how the last one came about. */
  get troubles(): { deaths: number; last: string } {
    return { deaths: this.deaths, last: this.last_death };
  }

  /** The first start; what it throws is the caller's to report. */
  begin(): Promise<void> {
    this.begun = this.startOnce();
    return this.begun;
  }

  private async startOnce(): Promise<void> {
    const running = await this.start();
    if (this.halt.signal.aborted) {
      await running.stop();
      return;
    }
    this.running = running;
    this.changed();
    this.kept = this.keep(running);
  }

  private async keep(first: Running): Promise<void> {
    let running: Running | undefined = first;
    for (;;) {
      if (running) {
        const since_ms = Date.now();
        const { code, signal } = await running.exited;
        this.running = undefined;
        if (this.halt.signal.aborted) return;
        if (Date.now() - since_ms >= WELL_AFTER_MS) this.deaths = 0;
        if (this.expected) {
          this.expected = false;
        } else {
          await this.pauseAfter(signal ? `was ended by ${signal}` : `ended with code ${code}`);
        }
      }
      if (this.halt.signal.aborted) return;
      running = await this.start().catch((error) =>
        this.pauseAfter(`did not start: ${error instanceof Error ? error.message : error}`),
      );
      if (running && this.halt.signal.aborted) return running.stop();
      this.running = running;
      this.changed();
    }
  }

  private async pauseAfter(death: string): Promise<undefined> {
    this.deaths++;
    this.last_death = death;
    const wait_ms = restartDelay_ms(this.deaths);
    if (this.halt.signal.aborted) return;
    this.output.say('warn', `${this.name} ${death}; it is started again in ${wait_ms} ms.`);
    await delay(wait_ms, undefined, { signal: this.halt.signal }).catch(() => undefined);
  }

  /** Another process of the same at once, for changed code. */
  async restart(): Promise<void> {
    if (!this.running) return;
    this.expected = true;
    await this.running.stop();
  }

  /** Nothing of it runs afterwards, and nothing of it will. */
  async stop(): Promise<void> {
    this.halt.abort();
    await this.begun?.catch(() => undefined);
    await this.running?.stop();
    await this.kept;
  }
}
