import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Measured } from '../measured';
import { figuresOf } from './figures';
import { readNetwork } from './network';
import { type Plan, type Pools, planOf } from './plan';
import { podPools } from './pools';
import {
  assumptionsTable,
  boundsTable,
  citusTable,
  costsTable,
  markdown,
  planTable,
  sharesTable,
  sizesTable,
} from './tables';

const ROOT = path.resolve(__dirname, '../../..');
export const PAGE = path.join(ROOT, 'docs/SCALING.md');

/** Networks that the page works out: a country's lenders, ten times that, and more than any bureau has. */
const EXAMPLES = [
  { subjects: '10e6', 'events-per-second': '140' },
  { subjects: '100e6', 'events-per-second': '1400' },
  { subjects: '300e6', 'events-per-second': '50000', 'batch-share': '0.9' },
] as const;

const START = '<!-- npm run capacity: ';
const END = '<!-- end -->';

/** The page with its tables written anew from the results. */
export function renderPage(text: string, results: readonly Measured[]): string {
  const tables = tablesOf(results, podPools());
  const left = new Set(tables.keys());
  const page = withBlocks(text, (start) => {
    const name = start.slice(START.length).split(' ')[0] ?? '';
    const table = tables.get(name);
    if (table === undefined) throw new Error(`docs/SCALING.md asks for a table "${name}".`);
    left.delete(name);
    return `${start}\n\n${table}\n\n${END}`;
  });
  if (left.size > 0) throw new Error(`docs/SCALING.md has no place for: ${[...left].join(', ')}.`);
  return page;
}

/** What the page says itself, without the tables that are made for it. */
export function proseOf(text: string): string {
  return withBlocks(text, () => '');
}

/** Writes each block anew, from the line that begins it. */
function withBlocks(text: string, block: (start: string) => string): string {
  const [first = '', ...others] = text.split(START);
  return others.reduce((page, other) => {
    const end = other.indexOf(END);
    if (end < 0) throw new Error(`docs/SCALING.md begins a table that does not end: ${START}`);
    const [line = ''] = other.split('\n');
    return `${page}${block(`${START}${line}`)}${other.slice(end + END.length)}`;
  }, first);
}

export const readPage = (): string => readFileSync(PAGE, 'utf8');

function tablesOf(results: readonly Measured[], pools: Pools): Map<string, string> {
  const figures = figuresOf(results);
  const plans = EXAMPLES.map((given) => planOf(readNetwork(given), figures, pools));
  const [first] = plans as [Plan, ...Plan[]];
  return new Map([
    ['costs', markdown(costsTable(figures))],
    ['shares', markdown(sharesTable())],
    ['sizes', markdown(sizesTable())],
    ['networks', markdown(planTable(plans))],
    ['bounds', markdown(boundsTable(first))],
    ['assumptions', markdown(assumptionsTable(first.network))],
    ['citus', markdown(citusTable())],
  ]);
}
