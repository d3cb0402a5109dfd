import { type FactorName, NEGATIVE_REASONS, POSITIVE_REASONS } from './parameters';

export type ReasonFactor = FactorName | 'FILE';
export type Direction = 'NEGATIVE' | 'POSITIVE';

export interface Reason {
  readonly code: ReasonCodeName;
  readonly factor: ReasonFactor;
  readonly direction: Direction;
  readonly text: string;
  readonly points_lost: number;
}

const REASONS = {
  PH01: ['DEROGATORY', 'NEGATIVE', 'An account is in default.'],
  PH02: ['DEROGATORY', 'NEGATIVE', 'An account was written off.'],
  PH03: ['DEROGATORY', 'NEGATIVE', 'An account was 90 days or more past due, or in default.'],
  PH04: ['DEROGATORY', 'NEGATIVE', 'An account was 30 to 89 days past due.'],
  PH05: ['ON_TIME', 'NEGATIVE', 'Payments were late.'],
  PH06: ['DEROGATORY', 'NEGATIVE', 'An account was restructured.'],
  UT01: ['UTILISATION', 'NEGATIVE', 'Much of the revolving credit is in use.'],
  UT02: ['UTILISATION', 'NEGATIVE', 'Loan balances are high against the amounts lent.'],
  AG01: ['LENGTH', 'NEGATIVE', 'The oldest account is still young.'],
  AG02: ['LENGTH', 'NEGATIVE', 'The accounts are young on average.'],
  MX01: ['MIX', 'NEGATIVE', 'The file shows few kinds of credit.'],
  NC01: ['NEW_CREDIT', 'NEGATIVE', 'Credit was sought often of late.'],
  NC02: ['NEW_CREDIT', 'NEGATIVE', 'Several accounts were opened of late.'],
  TF01: ['FILE', 'NEGATIVE', 'The file is too thin for a higher score.'],
  NF01: ['FILE', 'NEGATIVE', 'There is no account on file.'],
  NF02: ['FILE', 'NEGATIVE', 'Every account on file is under dispute.'],
  PS01: ['DEROGATORY', 'POSITIVE', 'Nothing adverse is on file.'],
  PS02: ['UTILISATION', 'POSITIVE', 'Little of the credit is in use.'],
  PS03: ['LENGTH', 'POSITIVE', 'The file reaches back a long time.'],
} as const satisfies Record<string, readonly [ReasonFactor, Direction, string]>;

export type ReasonCodeName = keyof typeof REASONS;

export function reason(code: ReasonCodeName, points_lost: number): Reason {
  const [factor, direction, text] = REASONS[code];
  return { code, factor, direction, text, points_lost };
}

/** Points lost by cause; a cause named twice adds up. */
export class Losses {
  private readonly points = new Map<ReasonCodeName, number>();

  add(code: ReasonCodeName, points: number): void {
    if (points > 0) this.points.set(code, (this.points.get(code) ?? 0) + points);
  }

  /** The costliest first, ties by code. Inquiries that cost points are always named, as a fifth if need be. */
  negatives(): Reason[] {
    const ranked = [...this.points]
      .map(([code, points]) => reason(code, points))
      .sort((a, b) => b.points_lost - a.points_lost || (a.code < b.code ? -1 : 1));
    const named = ranked.slice(0, NEGATIVE_REASONS);
    const inquiries = ranked.slice(NEGATIVE_REASONS).find(({ code }) => code === 'NC01');
    return inquiries === undefined ? named : [...named, inquiries];
  }
}

export function positives(holds: {
  nothing_adverse: boolean;
  low_use: boolean;
  long_history: boolean;
}): Reason[] {
  const reasons: Reason[] = [];
  if (holds.nothing_adverse) reasons.push(reason('PS01', 0));
  if (holds.low_use) reasons.push(reason('PS02', 0));
  if (holds.long_history) reasons.push(reason('PS03', 0));
  return reasons.slice(0, POSITIVE_REASONS);
}
