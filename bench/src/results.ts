import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { PAGE, readPage, renderPage } from './capacity/page';
import { markdown } from './capacity/tables';
import { type Comparison, median, type Result } from './interleave';
import { JSON_FOLDER, type Measured, readResults } from './measured';

/** Where they can be read. */
export const RESULTS_PAGE = path.resolve(__dirname, '../RESULTS.md');

/** Keeps results as JSON and renders all kept ones into RESULTS.md, and what follows into SCALING.md. */
export function keepResults(
  results: readonly { readonly comparison: Comparison; readonly result: Result }[],
): void {
  mkdirSync(JSON_FOLDER, { recursive: true });
  for (const { comparison, result } of results) {
    const { system: _system, limit: _limit, ...about } = comparison;
    const measured: Measured = {
      ...about,
      measured_on: new Date().toISOString().slice(0, 10),
      node: process.version,
      cpus: cpus().length,
      ...result,
    };
    writeFileSync(
      path.join(JSON_FOLDER, `${about.name}.json`),
      `${JSON.stringify(measured, null, 2)}\n`,
    );
  }
  const kept = readResults();
  writeFileSync(RESULTS_PAGE, renderResults(kept));
  writeFileSync(PAGE, renderPage(readPage(), kept));
}

const HEAD = ['Case', 'Limit', 'Ratio', 'Wanted', 'Best rounds', 'p50 / p99', 'Measured'];

/** The page that says how fast the system is, in ratios. */
export function renderResults(results: readonly Measured[]): string {
  return [
    '# Benchmark results',
    '',
    'Written by `npm run bench -- NAME`; do not edit. What each limit is, and how to read a ratio:',
    '[README.md](README.md). The system and its limit run by turns on one machine, load generator and',
    'database included; what counts is the median of the ratios of the rounds, with the lowest and the',
    'highest. Latencies are medians of the rounds too. Rates are a second; those of the best rounds are',
    'for orientation only.',
    '',
    markdown([HEAD, ...results.map(rowOf)]),
    '',
  ].join('\n');
}

function rowOf(measured: Measured): string[] {
  const { title, limit_name, unit, measure = 'rate', target, rounds } = measured;
  const less_is_better = measure !== 'rate';
  const wanted = target === undefined ? '' : percent(target);
  const best = (side: 'system' | 'limit') => {
    const values = rounds.map((round) => round[side]);
    return less_is_better ? Math.min(...values).toFixed(2) : Math.round(Math.max(...values));
  };
  const middle = (latency: 'p50_ms' | 'p99_ms') =>
    median(rounds.flatMap((round) => round[latency] ?? [])).toFixed(1);
  return [
    title,
    limit_name,
    `**${percent(measured.median_ratio)}** (${percent(measured.lowest_ratio)} to ${percent(measured.highest_ratio)})`,
    less_is_better && wanted !== '' ? `at most ${wanted}` : wanted,
    `${best('system')} against ${best('limit')} ${unit}`,
    rounds[0]?.p50_ms === undefined ? '' : `${middle('p50_ms')} / ${middle('p99_ms')} ms`,
    `${measured.measured_on}, ${measured.cpus} cores, Node ${measured.node}`,
  ];
}

/** A ratio as people read it. */
export const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;
