import { CASES } from './cases';
import { interleave, MIN_ROUNDS } from './interleave';
import { keepResult } from './results';

const DEFAULT_ROUNDS = 5;
const DEFAULT_SLICE_S = 5;
/** Of what the system printed, shown when a case fails. */
const OUTPUT_LINES = 20;

function number(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be a positive number.`);
  return value;
}

async function main(): Promise<void> {
  const name = process.argv[2] ?? '';
  const found = CASES.get(name);
  if (found === undefined) {
    throw new Error(`Name a case: npm run bench -- ${[...CASES.keys()].join(' | ')}`);
  }
  const rounds = Math.max(MIN_ROUNDS, number('BENCH_ROUNDS', DEFAULT_ROUNDS));
  const slice_s = number('BENCH_SLICE_S', DEFAULT_SLICE_S);
  const { contest, output, stop } = await found.open();
  try {
    console.log(`${found.title}, against ${contest.limit_name}`);
    const result = await interleave(contest, {
      rounds,
      slice_s,
      onRound: (round) =>
        console.log(
          `  ${Math.round(round.system)} against ${Math.round(round.limit)} ${contest.unit} a second: ${(round.ratio * 100).toFixed(1)} %`,
        ),
    });
    const { median_ratio } = keepResult(found, contest, result);
    console.log(
      `median ${(median_ratio * 100).toFixed(1)} %, wanted ${(found.target * 100).toFixed(0)} %`,
    );
  } catch (error) {
    console.error(output().split('\n').slice(-OUTPUT_LINES).join('\n'));
    throw error;
  } finally {
    await stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
