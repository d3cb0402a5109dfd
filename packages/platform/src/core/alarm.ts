/** A sleep that can be cut short. A ring while nobody waits ends the next wait at once. */
export class Alarm {
  private rung = false;
  private end: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.end?.();
  }

  /** Returns after `timeout_ms`, or as soon as it rings. One waiter at a time. */
  async wait(timeout_ms: number): Promise<void> {
    if (!this.rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeout_ms);
        this.end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.end = undefined;
    }
    this.rung = false;
  }
}
