import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One real loan and its borrower's file when it was made. */
export interface Loan {
  readonly row: number;
  /** Whole currency units. */
  readonly amount: number;
  readonly term_months: number;
  readonly rate_bps: number;
  readonly delinquencies_2y: number;
  readonly delinquent_now: number;
  readonly inquiries_12m: number;
  /** Tenths of a per cent of the revolving limit. */
  readonly revolving_use_per_mille: number;
  readonly instalment_accounts: number;
  readonly instalments_opened_12m: number;
  readonly instalment_balance: number;
  readonly instalment_limit: number;
  readonly bad: boolean;
}

/** The loans and where they came from. */
export interface LoanFile {
  readonly file: string;
  readonly loans: readonly Loan[];
}

/** The file that `DEMO_LOANS` names, else the project's sample. */
export function findLoans(root: string, environment: NodeJS.ProcessEnv = process.env): LoanFile {
  const candidates = [
    environment.DEMO_LOANS,
    path.join(root, 'deploy/local/data/loans-sample.csv'),
  ];
  const file = candidates.find((candidate) => candidate !== undefined && existsSync(candidate));
  if (file === undefined) throw new Error('There is no file of loans.');
  return { file, loans: parseLoans(readFileSync(file, 'utf8')) };
}

/** Reads the columns that the demo uses; the file has no quoted fields. */
export function parseLoans(text: string): Loan[] {
  const [header = '', ...lines] = text.trim().split('\n');
  const names = header.trim().split(',');
  return lines.map((line, index) => {
    const fields = line.trim().split(',');
    const field = (name: string): string => {
      const value = fields[names.indexOf(name)];
      if (value === undefined || value === '') throw new Error(`Line ${index + 2} has no ${name}.`);
      return value;
    };
    const number = (name: string): number => {
      const value = Number(field(name));
      if (!Number.isFinite(value)) throw new Error(`Line ${index + 2}: ${name} is not a number.`);
      return value;
    };
    return {
      row: number('row'),
      amount: number('funded_amnt'),
      term_months: Number(field('term').replace('term_', '')),
      rate_bps: Math.round(number('int_rate') * 100),
      delinquencies_2y: number('delinq_2yrs'),
      delinquent_now: number('acc_now_delinq'),
      inquiries_12m: number('inq_last_12m'),
      revolving_use_per_mille: Math.round(number('revol_util') * 10),
      instalment_accounts: number('num_il_tl'),
      instalments_opened_12m: number('open_il_12m'),
      instalment_balance: number('total_bal_il'),
      instalment_limit: number('total_il_high_credit_limit'),
      bad: field('Class') === 'bad',
    };
  });
}
