/** One slice of work: how much was done, in how long. */
export interface Slice {
  readonly count: number;
  readonly elapsed_s: number;
  /** Latencies where the load generator tells them. */
  readonly p50_ms?: number;
  readonly p99_ms?: number;
}

/** A system and the limit that it is measured against. */
export interface Contest {
  readonly unit: string;
  /** What the limit is, for the report. */
  readonly limit_name: string;
  system(slice_s: number): Promise<Slice>;
  limit(slice_s: number): Promise<Slice>;
}

/** Rates of one round, a second. */
export interface Round {
  readonly system: number;
  readonly limit: number;
  readonly ratio: number;
  readonly p50_ms?: number;
  readonly p99_ms?: number;
}

/** What all rounds say together. */
export interface Result {
  readonly rounds: readonly Round[];
  readonly median_ratio: number;
  readonly lowest_ratio: number;
  readonly highest_ratio: number;
}

export const MIN_ROUNDS = 4;

/** Middle value; of two middle ones, their mean. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1];
  const high = sorted[Math.floor(middle)];
  if (low === undefined || high === undefined) throw new Error('There is no value.');
  return (low + high) / 2;
}

/**
 * Runs system and limit by turns, the one that begins changing each round, so that
 * what else the machine does hits both. Only ratios of one round are compared.
 */
export async function interleave(
  contest: Contest,
  options: { rounds: number; slice_s: number; onRound?: (round: Round) => void },
): Promise<Result> {
  if (options.rounds < MIN_ROUNDS) throw new Error(`At least ${MIN_ROUNDS} rounds are needed.`);
  // Plans, pages and compiled code are warm before anything counts.
  await contest.system(options.slice_s / 2);
  await contest.limit(options.slice_s / 2);
  const rounds: Round[] = [];
  for (let number = 0; number < options.rounds; number += 1) {
    let system: Slice;
    let limit: Slice;
    if (number % 2 === 0) {
      system = await contest.system(options.slice_s);
      limit = await contest.limit(options.slice_s);
    } else {
      limit = await contest.limit(options.slice_s);
      system = await contest.system(options.slice_s);
    }
    const rate = (slice: Slice) => slice.count / slice.elapsed_s;
    const round: Round = {
      system: rate(system),
      limit: rate(limit),
      ratio: rate(system) / rate(limit),
      p50_ms: system.p50_ms,
      p99_ms: system.p99_ms,
    };
    rounds.push(round);
    options.onRound?.(round);
  }
  const ratios = rounds.map((round) => round.ratio);
  return {
    rounds,
    median_ratio: median(ratios),
    lowest_ratio: Math.min(...ratios),
    highest_ratio: Math.max(...ratios),
  };
}
