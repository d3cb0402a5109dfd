/** How work is run: see {@link Lanes}. */
export interface LanesOptions<Item> {
  /** Lanes that may run at once. */
  readonly concurrency: number;
  /** Items of one lane given to one run. */
  readonly max_batch: number;
  /** Must not reject. */
  readonly run: (lane: string, items: Item[]) => Promise<void>;
}

/**
 * Keeps order within a lane and runs lanes side by side. What queued while a lane's last run
 * was busy makes the next batch, so batches grow with the load and nothing waits for a timer.
 */
export class Lanes<Item> {
  /** Every lane that runs or has items. */
  private readonly queues = new Map<string, Item[]>();
  /** Lanes that have items and do not run, in turn. */
  private readonly ready: string[] = [];
  private running = 0;
  private scheduled = false;
  private count = 0;
  private waiters: Array<{ at_most: number; resolve: () => void }> = [];

  constructor(private readonly options: LanesOptions<Item>) {}

  /** Items queued and running. */
  get size(): number {
    return this.count;
  }

  push(lane: string, item: Item): void {
    this.count += 1;
    const queue = this.queues.get(lane);
    if (queue === undefined) {
      this.queues.set(lane, [item]);
      this.ready.push(lane);
    } else {
      queue.push(item);
    }
    if (this.scheduled) return;
    this.scheduled = true;
    // What arrives in the same turn of the event loop goes into the same batch.
    setImmediate(() => {
      this.scheduled = false;
      this.start();
    });
  }

  /** Resolves when no more than this many items are queued and running. */
  whenAtMost(at_most: number): Promise<void> {
    if (this.count <= at_most) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiters.push({ at_most, resolve });
    });
  }

  /** Takes back everything that has not begun. */
  clear(): Item[] {
    const dropped = [...this.queues.values()].flatMap((queue) => queue.splice(0));
    this.settle(dropped.length);
    return dropped;
  }

  private start(): void {
    while (this.running < this.options.concurrency) {
      const lane = this.ready.shift();
      if (lane === undefined) return;
      const items = this.queues.get(lane)?.splice(0, this.options.max_batch) ?? [];
      if (items.length === 0) {
        this.queues.delete(lane);
        continue;
      }
      this.running += 1;
      void this.options.run(lane, items).finally(() => {
        this.running -= 1;
        if (this.queues.get(lane)?.length === 0) this.queues.delete(lane);
        else this.ready.push(lane);
        this.settle(items.length);
        this.start();
      });
    }
  }

  private settle(done: number): void {
    this.count -= done;
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) {
      if (this.count <= waiter.at_most) waiter.resolve();
      else this.waiters.push(waiter);
    }
  }
}
