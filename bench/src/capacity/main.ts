import { Misused, readArguments, runTool } from '@credit/local/command-line';
import { readResults } from '../measured';
import { figuresOf } from './figures';
import { OPTION_NAMES, OPTIONS, type OptionName, readNetwork } from './network';
import { planOf } from './plan';
import { podPools } from './pools';
import { assumptionsTable, boundsTable, markdown, planTable } from './tables';

// From what was measured to what a network needs, and what breaks first. Starts nothing.

const USAGE = `npm run capacity -- --subjects 300e6 --events-per-second 50000 [--OPTION NUMBER]…
${OPTION_NAMES.map((name) => {
  const option = OPTIONS[name];
  const fallback = 'fallback' in option ? ` (${option.fallback} unless said)` : '';
  return `  --${name}: ${option.meaning}${fallback}`;
}).join('\n')}`;

async function main(): Promise<number> {
  const options = Object.fromEntries(
    OPTION_NAMES.map((name) => [name, { type: 'string' }] as const),
  ) as Record<OptionName, { type: 'string' }>;
  const { values, positionals } = readArguments(process.argv.slice(2), options);
  if (positionals.length > 0) throw new Misused(`${positionals[0]} is no option.`);
  const plan = planOf(readNetwork(values), figuresOf(readResults()), podPools());
  for (const table of [planTable([plan]), boundsTable(plan), assumptionsTable(plan.network)]) {
    console.log(`${markdown(table)}\n`);
  }
  return 0;
}

runTool({ usage: USAGE, main, exitCodeOf: (error) => (error instanceof Misused ? 2 : 1) });
