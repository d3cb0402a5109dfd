import type { Account } from './accounts.ts';

/** What a score goes by. */
export interface ScoreFacts {
  readonly accounts: readonly Pick<
    Account,
    'status' | 'original_principal_minor' | 'balance_minor' | 'payments' | 'late_reports'
  >[];
  /** Of the last year, repeats left out. */
  readonly inquiries: number;
}

export interface Score {
  readonly score: number;
  readonly grade: 'A' | 'B' | 'C' | 'D';
  readonly reason_codes: readonly string[];
}

const LOWEST = 300;
const HIGHEST = 850;
const START = 600;
const MOST_FOR_PAYMENTS = 150;

/** A card of points, a good deal simpler than the network's model. */
export function scoreOf({ accounts, inquiries }: ScoreFacts): Score {
  let points = START;
  const reason_codes: string[] = [];
  const move = (by: number, reason: string) => {
    if (by === 0) return;
    points += by;
    reason_codes.push(reason);
  };
  const sum = (of: (account: ScoreFacts['accounts'][number]) => number) =>
    accounts.reduce((total, account) => total + of(account), 0);
  const principal = sum((account) => account.original_principal_minor);
  const balance = sum((account) => account.balance_minor);
  move(Math.min(MOST_FOR_PAYMENTS, 5 * sum((account) => account.payments)), 'PAYMENT_HISTORY');
  move(-40 * sum((account) => account.late_reports), 'LATE_PAYMENTS');
  move(-150 * sum(({ status }) => (status === 'DEFAULTED' ? 1 : 0)), 'OPEN_DEFAULT');
  move(principal === 0 ? 0 : Math.round(100 * (1 - balance / principal)), 'UTILISATION');
  move(-5 * Math.min(inquiries, 10), 'INQUIRIES');
  const score = Math.max(LOWEST, Math.min(HIGHEST, points));
  const grade = score >= 740 ? 'A' : score >= 670 ? 'B' : score >= 580 ? 'C' : 'D';
  return { score, grade, reason_codes };
}
