// What the model can tell apart, as a table for people.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Model, ModelInput } from '@credit/scoring/domain/model/index';
import { type Loan, readLoans } from './loans';
import { simulatePopulation } from './simulation/population';
import { auc, badRates, ks } from './statistics';

const GRADES = ['A', 'B', 'C', 'D', 'E'] as const;

export const SIMULATED_SUBJECTS = 20_000;
export const SIMULATION_SEED = 1;
/** How far the figures hang on the draw: each seed is another population. */
const SEEDS = [1, 2, 3, 4, 5];
/** 2026-03-15. */
export const SIMULATION_DAY = 20_527;

interface Case {
  readonly input: ModelInput;
  readonly bad: boolean;
}

export interface Figures {
  readonly name: string;
  readonly count: number;
  readonly bads: number;
  readonly auc: number | null;
  readonly ks: number | null;
  readonly grades: ReturnType<typeof badRates>;
}

/** Unrated subjects have no score to be judged by and are left out. */
export function figuresOf(model: Model, name: string, cases: readonly Case[]): Figures {
  const outcomes = cases.flatMap(({ input, bad }) => {
    const { score, grade } = model.score(input);
    return score === undefined || grade === undefined ? [] : [{ score, grade, bad }];
  });
  return {
    name,
    count: outcomes.length,
    bads: outcomes.filter(({ bad }) => bad).length,
    auc: auc(outcomes),
    ks: ks(outcomes),
    grades: badRates(outcomes, GRADES, ({ grade }) => grade),
  };
}

/** Those who are bad already are left out: there is nothing to foretell of them. */
export function simulationFigures(model: Model, seed = SIMULATION_SEED): Figures {
  const population = simulatePopulation(SIMULATED_SUBJECTS, seed, SIMULATION_DAY);
  const cases = population
    .filter(({ bad_before }) => !bad_before)
    .map(({ input, bad_after }) => ({ input, bad: bad_after }));
  return figuresOf(model, `simulation of ${SIMULATED_SUBJECTS} subjects, seed ${seed}`, cases);
}

export function loanFigures(model: Model, loans: readonly Loan[]): Figures {
  return figuresOf(model, 'marketplace loans, scored before their outcome', loans);
}

export function asMarkdown(model: Model, figures: readonly Figures[]): string {
  const share = (value: number | null): string =>
    value === null ? '-' : `${(value * 100).toFixed(1)} %`;
  const sections = figures.map((one) =>
    [
      `## ${one.name}`,
      '',
      `${one.count} scored, ${one.bads} bad; AUC ${one.auc?.toFixed(3) ?? '-'}, KS ${one.ks?.toFixed(3) ?? '-'}`,
      '',
      ...tableLines([
        ['Grade', 'Subjects', 'Bad', 'Bad rate'],
        ...one.grades.map(({ group, count, bads, bad_rate }) => [
          group,
          String(count),
          String(bads),
          share(bad_rate),
        ]),
      ]),
    ].join('\n'),
  );
  return [`# ${model.version}`, ...sections].join('\n\n');
}

/** A table whose columns are as wide as their widest cell, head first. */
function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}

export const reportFile = ({ version }: Model): string => `docs/model/${version}.report.md`;

const LOANS_FILE = 'services/scoring/data/marketplace-loans.csv.gz';

/** The real loans that are part of the project. */
export function keptLoans(root: string): Loan[] {
  return readLoans(gunzipSync(readFileSync(path.join(root, LOANS_FILE))).toString());
}

/** The report that is kept beside the model card; the same on every machine. */
export function modelReport(model: Model, root: string): string {
  const populations = SEEDS.map((seed) => simulationFigures(model, seed));
  const [first] = populations;
  if (first === undefined) throw new Error('There is no seed.');
  const aucs = populations.map((figures) => figures.auc?.toFixed(3) ?? '-');
  const text = [
    asMarkdown(model, [first, loanFigures(model, keptLoans(root))]),
    '## the simulation with other seeds',
    `AUC ${aucs.join(', ')} with the seeds ${SEEDS.join(', ')}`,
  ].join('\n\n');
  return `${text}\n\nWritten by \`npm run model-report\`; a test compares it with what comes out.\n`;
}
