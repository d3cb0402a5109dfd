import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { PAGE, readPage, renderPage } from './capacity/page';
import { type Contest, median, type Result } from './interleave';
import { JSON_FOLDER, type Measured, readResults } from './measured';

const FOLDER = path.resolve(__dirname, '..');

/** Keeps a result as JSON and renders all kept results into RESULTS.md, and what follows into SCALING.md. */
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
  const results = readResults();
  writeFileSync(path.join(FOLDER, 'RESULTS.md'), renderResults(results));
  writeFileSync(PAGE, renderPage(readPage(), results));
  return measured;
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
