import { auc } from '@credit/scoring/research/statistics';
import type { Loan } from './loans';

/** What a run has to say. */
export interface Outcome {
  readonly file: string;
  readonly loans: readonly Loan[];
  readonly scores: Readonly<Record<string, number | null>>;
  readonly events: number;
  readonly elapsed_s: number;
  readonly deliveries: number;
  readonly unverified: number;
}

const BANDS = [
  { name: 'A exceptional', from: 800 },
  { name: 'B very good', from: 740 },
  { name: 'C good', from: 670 },
  { name: 'D fair', from: 580 },
  { name: 'E poor', from: 300 },
] as const;

const percent = (part: number, whole: number) =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;

/** The table that the demo ends with. */
export function renderReport(outcome: Outcome): string {
  const { loans, scores } = outcome;
  const rated = loans.flatMap((loan) => {
    const score = scores[loan.row];
    return typeof score === 'number' ? [{ score, bad: loan.bad }] : [];
  });
  const defaults = loans.filter((loan) => loan.bad).length;
  const lines: [string, string][] = [
    ['Loans', `${loans.length} (${outcome.file})`],
    ['Defaults', `${defaults} (${percent(defaults, loans.length)})`],
    ['Scored before the outcome', `${rated.length}`],
    ['AUC', auc(rated)?.toFixed(3) ?? '-'],
    [
      'Events reported',
      outcome.events === 0
        ? 'all were there'
        : `${outcome.events}, ${Math.round(outcome.events / outcome.elapsed_s)} a second`,
    ],
    ['Default notices received', `${outcome.deliveries} of ${defaults}`],
    ['Signatures that failed', `${outcome.unverified}`],
  ];
  const table = lines.map(([name, value]) => `  ${name.padEnd(28)}${value}`);
  const bands = BANDS.map(({ name, from }, index) => {
    const below = index === 0 ? Number.POSITIVE_INFINITY : (BANDS[index - 1]?.from ?? 0);
    const inBand = rated.filter(({ score }) => score >= from && score < below);
    const bad = inBand.filter((entry) => entry.bad).length;
    const good = inBand.length - bad;
    return `  ${name.padEnd(16)}${`${good}`.padStart(8)}${`${bad}`.padStart(8)}${percent(bad, inBand.length).padStart(12)}`;
  });
  const head = `  ${'Band'.padEnd(16)}${'good'.padStart(8)}${'bad'.padStart(8)}${'bad rate'.padStart(12)}`;
  const next = 'Replay every account from its events alone: npm run verify-record';
  return [...table, '', head, ...bands, '', next].join('\n');
}
