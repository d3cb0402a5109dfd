import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { type Contest, median, type Result } from './interleave';

/** A measured case as it is kept. */
export interface Measured extends Result {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly limit_name: string;
  /** The ratio that is wanted. */
  readonly target: number;
  readonly measured_on: string;
  readonly node: string;
  readonly cpus: number;
}

const FOLDER = path.resolve(__dirname, '..');
const JSON_FOLDER = path.join(FOLDER, 'results');

/** Keeps a result as JSON and renders all kept results into RESULTS.md. */
export function keepResult(
  about: { name: string; title: string; target: number },
  contest: Contest,
  result: Result,
): Measured {
  const measured: Measured = {
    ...about,
    unit: contest.unit,
    limit_name: contest.limit_name,
    measured_on: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpus: cpus().length,
    ...result,
  };
  mkdirSync(JSON_FOLDER, { recursive: true });
  writeFileSync(
    path.join(JSON_FOLDER, `${about.name}.json`),
    `${JSON.stringify(measured, null, 2)}\n`,
  );
  writeFileSync(path.join(FOLDER, 'RESULTS.md'), renderResults(readResults()));
  return measured;
}

function readResults(): Measured[] {
  if (!existsSync(JSON_FOLDER)) return [];
  return readdirSync(JSON_FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(path.join(JSON_FOLDER, name), 'utf8')));
}

/** The page that says how fast the system is, in ratios. */
export function renderResults(results: readonly Measured[]): string {
  const rows = results.map((result) => {
    const percent = (ratio: number) => `${(ratio * 100).toFixed(1)} %`;
    const middle = (latency: 'p50_ms' | 'p99_ms') =>
      median(result.rounds.flatMap((round) => round[latency] ?? []));
    const latency =
      result.rounds[0]?.p50_ms === undefined
        ? ''
        : `${middle('p50_ms').toFixed(1)} / ${middle('p99_ms').toFixed(1)} ms`;
    const rate = (side: 'system' | 'limit') =>
      Math.round(Math.max(...result.rounds.map((round) => round[side]))).toString();
    return [
      '',
      `${result.title}`,
      result.limit_name,
      `**${percent(result.median_ratio)}** (${percent(result.lowest_ratio)} to ${percent(result.highest_ratio)})`,
      percent(result.target),
      `${rate('system')} against ${rate('limit')} ${result.unit}`,
      latency,
      `${result.measured_on}, ${result.cpus} cores, Node ${result.node}`,
      '',
    ].join(' | ');
  });
  return [
    '# Benchmark results',
    '',
    'Written by `npm run bench -- NAME`; do not edit. The system and its limit run by turns on one',
    'machine, load generator and database included; what counts is the median of the ratios of the',
    'rounds, with the lowest and the highest. Latencies are medians of the rounds too. Rates are the',
    'best of the rounds, for orientation only.',
    '',
    '| Case | Limit | Ratio | Wanted | Rates a second | p50 / p99 | Measured |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) => row.trim()),
    '',
  ].join('\n');
}
