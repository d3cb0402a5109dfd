import { ALL_CASES_S, sliceThatFits, within } from './budget';
import { CASES } from './cases';
import { type BenchCase, type OpenCase, stopSharedWorld } from './cases/case';
import {
  type Comparison,
  type Field,
  fieldOf,
  MIN_ROUNDS,
  type Round,
  resultOf,
  roundOf,
  takeTurns,
} from './interleave';
import { keepResults, percent } from './results';

// `npm run bench -- NAME` measures one case with slices as long as said; without a name all of them,
// each within its bound.

const DEFAULT_ROUNDS = 5;
const DEFAULT_SLICE_S = 5;
/** For a case that is measured by its name. */
const ONE_CASE_S = 60 * 60;
/** For a case that was stopped at its bound to end its processes. */
const STOP_WITHIN_S = 60;
/** Of what the system printed, shown when a case fails. */
const OUTPUT_LINES = 20;

function number(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be a positive number.`);
  return value;
}

/** Measures one case; its slices are as long as the open case's field allows. */
async function measure(
  found: BenchCase,
  rounds: number,
  sliceOf: (field: Field) => number,
  within_s: () => number,
): Promise<void> {
  const opening = found.open();
  let open: OpenCase | undefined;
  try {
    open = await within(within_s(), opening);
    const { contest } = open;
    const field = 'runs' in contest ? contest : fieldOf({ ...found, ...contest });
    console.log(found.title);
    for (const { name, title, limit_name } of field.comparisons) {
      console.log(`  ${name}: ${title}, against ${limit_name}`);
    }
    const seen: Round[][] = [];
    const slices = takeTurns(field.runs, {
      rounds,
      slice_s: sliceOf(field),
      onRound(round) {
        seen.push(field.comparisons.map((comparison) => roundOf(round, comparison)));
        console.log(`round ${seen.length}`);
        seen.at(-1)?.forEach((one, place) => {
          const comparison = field.comparisons[place];
          if (comparison !== undefined) console.log(`  ${sentence(one, comparison)}`);
        });
      },
    });
    await within(within_s(), slices);
    const results = field.comparisons.map((comparison, place) => ({
      comparison,
      result: resultOf(seen.flatMap((round) => round[place] ?? [])),
    }));
    keepResults(results);
    for (const { comparison, result } of results) {
      const { name, target, measure: of } = comparison;
      const wanted =
        target === undefined
          ? ''
          : `, wanted ${of === 'rate' ? 'at least' : 'at most'} ${percent(target)}`;
      console.log(`${name}: median ${percent(result.median_ratio)}${wanted}`);
    }
  } catch (error) {
    console.error(open?.output().split('\n').slice(-OUTPUT_LINES).join('\n') ?? '');
    throw error;
  } finally {
    // What opened too late is stopped all the same.
    await within(
      STOP_WITHIN_S,
      open?.stop() ?? opening.then((late) => late.stop()).catch(() => {}),
    );
  }
}

function sentence({ system, limit, ratio }: Round, comparison: Comparison): string {
  const { name, measure: of } = comparison;
  const digits = of === 'rate' ? 0 : 2;
  const unit = of === 'rate' ? `${comparison.unit} a second` : comparison.unit;
  return `${name}: ${system.toFixed(digits)} against ${limit.toFixed(digits)} ${unit}: ${percent(ratio)}`;
}

/** All cases, one after another; one that fails is named at the end and stops no other. */
async function measureAll(): Promise<void> {
  const began_ms = performance.now();
  const seconds = (since_ms: number) => (performance.now() - since_ms) / 1_000;
  const failed: string[] = [];
  for (const found of CASES.values()) {
    const case_began_ms = performance.now();
    if (found.shares_world === undefined) await stopSharedWorld();
    const left_s = () => Math.max(0, found.bound_s - seconds(case_began_ms));
    console.log(`\n${found.name}, ${found.bound_s} s at most`);
    await measure(
      found,
      MIN_ROUNDS,
      (field) => sliceThatFits(field, MIN_ROUNDS, left_s()),
      left_s,
    ).catch((error: unknown) => {
      failed.push(found.name);
      console.error(`${found.name} failed: ${error instanceof Error ? error.message : error}`);
    });
    console.log(`${found.name} took ${seconds(case_began_ms).toFixed(0)} s`);
  }
  const took = `${(seconds(began_ms) / 60).toFixed(1)} min, ${ALL_CASES_S / 60} min at most`;
  console.log(`\nAll ${CASES.size} cases: ${took}`);
  if (failed.length > 0) throw new Error(`Not measured: ${failed.join(', ')}`);
}

async function main(): Promise<void> {
  const name = process.argv[2];
  if (name === undefined) return measureAll();
  const found = CASES.get(name);
  if (found === undefined) {
    throw new Error(
      `Name a case, or none for all of them: npm run bench -- ${[...CASES.keys()].join(' | ')}`,
    );
  }
  const rounds = Math.max(MIN_ROUNDS, number('BENCH_ROUNDS', DEFAULT_ROUNDS));
  const slice_s = number('BENCH_SLICE_S', DEFAULT_SLICE_S);
  await measure(
    found,
    rounds,
    () => slice_s,
    () => ONE_CASE_S,
  );
}

main()
  .finally(stopSharedWorld)
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
