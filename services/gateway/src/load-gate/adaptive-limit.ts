/** What is thought slow enough to take fewer, however long it takes in calm times. */
const TOLERATED_MS = 250;
/** The same of what depends on how much there is: batches, files. */
const TOLERATED_OF_SIZED_MS = 1_000;
/** Slow is what takes so many times as long as in calm times. */
const TOLERATED_TIMES = 4;
const MOST_TOLERATED_MS = 5_000;
/** Of a window's answers, how many may be slow. */
const SLOW_SHARE = 0.2;
const FEWEST_SAMPLES = 5;
/** Timers that are so late mean that the process itself cannot keep up. */
const LATE_MS = 100;
const DECREASE = 0.8;
const GROWTH = 0.125;
const SMALLEST_GROWTH = 4;
/** What calm times take is forgotten by so much a second, so that a slower network becomes usual. */
const FORGETTING_PER_S = 0.01;

/** A request that has been answered. */
export interface Sample {
  readonly operation: string;
  /** How long it takes depends on how much it holds. */
  readonly is_sized: boolean;
  /** It was answered with what it asked for: others say nothing of calm times. */
  readonly is_served: boolean;
  readonly latency_ms: number;
}

/** What happened since the last turn. */
export interface Turn {
  readonly elapsed_ms: number;
  /** The most requests that were worked on at once. */
  readonly peak: number;
  /** Some had to wait. */
  readonly has_waited: boolean;
  /** How late a timer was at most. */
  readonly late_ms: number;
}

/**
 * How many requests are worked on at once, found out by how long they take: fewer by a fifth while
 * many are slow against what the same operation takes in calm times, more while all are wanted and
 * few are slow. Never under `min`, so that neither a slow database nor a machine that is held up
 * makes the gateway turn away what it could serve when that is over.
 */
export class AdaptiveLimit {
  readonly #min: number;
  readonly #max: number;
  readonly #calm_ms = new Map<string, number>();
  #fastest_ms = new Map<string, number>();
  #limit: number;
  #samples = 0;
  #slow = 0;

  constructor(bounds: { readonly min: number; readonly max: number }) {
    this.#max = bounds.max;
    this.#min = Math.min(bounds.min, bounds.max);
    this.#limit = Math.min(2 * this.#min, this.#max);
  }

  get value(): number {
    return Math.floor(this.#limit);
  }

  record({ operation, is_sized, is_served, latency_ms }: Sample): void {
    const calm_ms = this.#calm_ms.get(operation) ?? 0;
    const floor_ms = is_sized ? TOLERATED_OF_SIZED_MS : TOLERATED_MS;
    const tolerated_ms = Math.min(Math.max(floor_ms, calm_ms * TOLERATED_TIMES), MOST_TOLERATED_MS);
    const is_slow = latency_ms > tolerated_ms;
    // An error that came fast is no sign of room.
    if (!is_served && !is_slow) return;
    this.#samples += 1;
    if (is_slow) this.#slow += 1;
    if (!is_served) return;
    const fastest_ms = this.#fastest_ms.get(operation) ?? Infinity;
    if (latency_ms < fastest_ms) this.#fastest_ms.set(operation, latency_ms);
  }

  /** Draws the conclusion of what was recorded since the last time. */
  turn({ elapsed_ms, peak, has_waited, late_ms }: Turn): void {
    const share = this.#samples < FEWEST_SAMPLES ? undefined : this.#slow / this.#samples;
    const is_slow = late_ms > LATE_MS || (share ?? 0) > SLOW_SHARE;
    if (is_slow && peak >= this.#limit / 2) {
      this.#limit = Math.max(this.#min, Math.min(this.#limit, peak) * DECREASE);
    } else if (!is_slow && has_waited && share !== undefined) {
      const growth = Math.max(SMALLEST_GROWTH, this.#limit * GROWTH);
      this.#limit = Math.min(this.#max, this.#limit + growth);
    }
    // Few answers are kept until there are enough of them to tell.
    if (share === undefined) return;
    this.#samples = 0;
    this.#slow = 0;
    this.#remember(elapsed_ms);
  }

  #remember(elapsed_ms: number): void {
    const forgetting = 1 + (FORGETTING_PER_S * elapsed_ms) / 1_000;
    for (const [operation, fastest_ms] of this.#fastest_ms) {
      const calm_ms = this.#calm_ms.get(operation);
      const now_ms =
        calm_ms === undefined ? fastest_ms : Math.min(fastest_ms, calm_ms * forgetting);
      this.#calm_ms.set(operation, now_ms);
    }
    this.#fastest_ms = new Map();
  }
}
