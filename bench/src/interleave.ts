/** One slice of work: how much was done, in how long. */
export interface Slice {
  readonly count: number;
  readonly elapsed_s: number;
  /** Latencies where the load generator tells them. */
  readonly p50_ms?: number;
  readonly p99_ms?: number;
  /** Of a core, by all that answered, where that is measured. */
  readonly processor_s?: number;
  /** That its processes held between them, where that is measured. */
  readonly memory_mb?: number;
}

/** Does work for about so long. */
export type Run = (slice_s: number) => Promise<Slice>;

/** A system and the limit that it is measured against. */
export interface Contest {
  readonly unit: string;
  /** What the limit is, for the report. */
  readonly limit_name: string;
  readonly system: Run;
  readonly limit: Run;
  /** What both together take besides each time they run, before anything counts. */
  readonly beside_s?: number;
}

/** What is compared of two slices; of all but the rate, less is better. */
export type Measure = 'rate' | 'processor' | 'p99' | 'elapsed' | 'memory';

/** Two of those that take turns, and what is compared of them: a row of the report. */
export interface Comparison {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly limit_name: string;
  /** The ratio that is wanted: at least, or, where less is better, at most. */
  readonly target?: number;
  readonly measure: Measure;
  /** Their places among those that take turns. */
  readonly system: number;
  readonly limit: number;
}

/** Several that take turns in the same rounds. */
export interface Field {
  readonly runs: readonly Run[];
  readonly comparisons: readonly Comparison[];
  /** Of all of them together, as in {@link Contest}. */
  readonly beside_s?: number;
}

/** Values of one round, of what is measured. */
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

/** How long each runs before anything counts, for connections, plans and pages to be warm. */
export const WARM_UP_S = 2;

/** Middle value; of two middle ones, their mean. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1];
  const high = sorted[Math.floor(middle)];
  if (low === undefined || high === undefined) throw new Error('There is no value.');
  return (low + high) / 2;
}

/** A contest with what it is called and what is wanted of it. */
export interface NamedContest extends Contest {
  readonly name: string;
  readonly title: string;
  readonly target?: number;
}

/** Contests as a field in which all take turns, each with a system and a limit of its own. */
export function fieldOf(...contests: readonly NamedContest[]): Field {
  return {
    runs: contests.flatMap(({ system, limit }) => [system, limit]),
    beside_s: contests.reduce((sum_s, { beside_s = 0 }) => sum_s + beside_s, 0),
    comparisons: contests.map(({ name, title, target, unit, limit_name }, place) => ({
      ...{ name, title, target, unit, limit_name },
      ...{ measure: 'rate', system: 2 * place, limit: 2 * place + 1 },
    })),
  };
}

/**
 * Lets all run by turns, the one that begins changing each round, so that what else the machine
 * does hits all of them. Only values of one round are compared.
 */
export async function takeTurns(
  runs: readonly Run[],
  options: {
    rounds: number;
    slice_s: number;
    onRound?: (slices: readonly Slice[]) => void;
  },
): Promise<Slice[][]> {
  if (options.rounds < MIN_ROUNDS) throw new Error(`At least ${MIN_ROUNDS} rounds are needed.`);
  for (const run of runs) await run(WARM_UP_S);
  const rounds: Slice[][] = [];
  for (let number = 0; number < options.rounds; number += 1) {
    const slices: Slice[] = [];
    for (let turn = 0; turn < runs.length; turn += 1) {
      const place = (number + turn) % runs.length;
      const slice = await runs[place]?.(options.slice_s);
      if (slice !== undefined) slices[place] = slice;
    }
    rounds.push(slices);
    options.onRound?.(slices);
  }
  return rounds;
}

/** One round as a comparison sees it. */
export function roundOf(slices: readonly Slice[], comparison: Comparison): Round {
  const system = slices[comparison.system];
  const limit = slices[comparison.limit];
  if (system === undefined || limit === undefined) throw new Error('Somebody did not run.');
  const values = {
    system: figureOf(system, comparison.measure),
    limit: figureOf(limit, comparison.measure),
  };
  return {
    ...values,
    ratio: values.system / values.limit,
    ...(comparison.measure === 'rate' ? { p50_ms: system.p50_ms, p99_ms: system.p99_ms } : {}),
  };
}

/** A second, or milliseconds of a core a request, or milliseconds, seconds, megabytes. */
function figureOf(slice: Slice, measure: Measure): number {
  if (slice.count === 0) throw new Error('Nothing was done in a slice: make slices longer.');
  switch (measure) {
    case 'rate':
      return slice.count / slice.elapsed_s;
    case 'processor':
      return ((slice.processor_s ?? Number.NaN) * 1_000) / slice.count;
    case 'p99':
      return slice.p99_ms ?? Number.NaN;
    case 'elapsed':
      return slice.elapsed_s;
    case 'memory':
      return slice.memory_mb ?? Number.NaN;
  }
}

/** What the rounds say. */
export function resultOf(rounds: readonly Round[]): Result {
  const ratios = rounds.map((round) => round.ratio);
  return {
    rounds,
    median_ratio: median(ratios),
    lowest_ratio: Math.min(...ratios),
    highest_ratio: Math.max(...ratios),
  };
}
