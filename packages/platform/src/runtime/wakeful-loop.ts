/** What a {@link WakefulLoop} does. */
export interface LoopOptions {
  /** Does what there is to do now; true when there may be more. Must not throw. */
  readonly work: () => Promise<boolean>;
  /** How long to look away when there was no more, unless woken. */
  readonly pause_ms: () => number;
}

/**
 * Works while there is something to do, and looks again after a pause or when told that there is.
 * What it is told while it works is not lost.
 */
export class WakefulLoop {
  private stopping = false;
  private woken = false;
  private wakeUp: () => void = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    this.running = this.run();
  }

  /** Finishes what is in hand. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
  }

  /** Says that there is something to do. */
  wake(): void {
    this.woken = true;
    this.wakeUp();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.woken = false;
      if (!(await this.options.work())) await this.pause();
    }
  }

  private async pause(): Promise<void> {
    if (this.woken || this.stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.options.pause_ms());
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = () => {};
  }
}
