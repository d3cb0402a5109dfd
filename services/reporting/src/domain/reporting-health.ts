// How well an institution reports: six measures, each a fraction, and their weighted mean.

export const METRICS = [
  'TIMELINESS',
  'FRESHNESS',
  'ACCURACY',
  'REJECTION',
  'DISPUTES',
  'COVERAGE',
] as const;
export type MetricName = (typeof METRICS)[number];

/** The metrics that count accounts as they stand: of these each account that lowers one can be named. */
export const ACCOUNT_METRICS = ['FRESHNESS', 'COVERAGE'] as const satisfies readonly MetricName[];
export type AccountMetric = (typeof ACCOUNT_METRICS)[number];

export const FINDINGS = [
  'DELINQUENT_WITHOUT_BALANCE',
  'WRITTEN_OFF_WITHOUT_DELINQUENCY',
  'PAST_DUE_AFTER_PAYMENT',
  'DISPUTE_FLAG_TOO_OLD',
] as const;
export type FindingCode = (typeof FINDINGS)[number];

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F';

/** What was counted over the window. */
export interface HealthFigures {
  readonly events: bigint;
  readonly timely_events: bigint;
  readonly correction_halves: bigint;
  readonly submitted: bigint;
  readonly rejected: bigint;
  readonly accounts: bigint;
  readonly covered_accounts: bigint;
  readonly open_accounts: bigint;
  readonly fresh_accounts: bigint;
  readonly corrected_disputes: bigint;
}

export interface Metric {
  readonly name: MetricName;
  /** Percent, rounded down; undefined without anything to measure. */
  readonly value?: number | undefined;
  readonly weight: number;
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** What is counted, what lowers the value and what to do about it. */
  readonly text: string;
}

export interface Health {
  readonly score?: number | undefined;
  readonly grade?: Grade | undefined;
  readonly metrics: readonly Metric[];
}

export const WINDOW_DAYS = 90;
export const FRESH_DAYS = 45;
export const TIMELY_MS = 7 * 86_400_000;
/** A payment this old should have been followed by a cure. */
export const STALE_PAYMENT_DAYS = 30;
/** A furnisher's own dispute flag this old suspends nothing more. */
export const STALE_FLAG_DAYS = 60;

/**
 * What happened before the network first heard of the account comes with a portfolio that moves in:
 * how well it was reported then, nobody here can say.
 */
export function isBackfill(occurred_at_ms: number, first_reported_at_ms: number): boolean {
  return occurred_at_ms < first_reported_at_ms;
}

const WEIGHTS: Readonly<Record<MetricName, number>> = {
  TIMELINESS: 25,
  FRESHNESS: 25,
  ACCURACY: 15,
  REJECTION: 15,
  DISPUTES: 10,
  COVERAGE: 10,
};
const TEXTS: Readonly<Record<MetricName, string>> = {
  TIMELINESS:
    'Events reported within 7 days of their occurrence, of all events. Each event that is reported ' +
    'later lowers it: report daily. What occurred before its account was first reported is left out.',
  FRESHNESS:
    'Open accounts that were first reported, or had an event, in the last 45 days, of all open ' +
    'accounts. An account without news lowers it: report payments and balances each month, and ' +
    'close what has ended.',
  ACCURACY:
    'Corrections in half units, of twice the events: a correction of your own before any dispute ' +
    'of the account counts 1, any other 2. Corrections lower it: check before you report, and ' +
    'correct what you find before somebody disputes it.',
  REJECTION:
    'Items refused with 409 or 422 by the record, of all items that reached it. Each refusal lowers ' +
    'it: try changes with dry_run, and do not repeat a refused item unchanged. What is refused ' +
    'before it reaches the record, as malformed JSON, does not count.',
  DISPUTES:
    'Disputes resolved against what you reported, of your accounts; one for every 20 accounts ' +
    'brings the value to 0. Investigate disputes and correct the record before they are resolved.',
  COVERAGE:
    'Accounts with maturity_at, interest_rate_bps and payment_frequency, of all your accounts. ' +
    'Accounts without them lower it: send all three when you create an account.',
};
/** One dispute lost among this many accounts takes the whole value. */
const ACCOUNTS_PER_DISPUTE = 20n;

/** Per mille of the measure's fraction. */
function perMilleOf(name: MetricName, numerator: bigint, denominator: bigint): bigint {
  const share = (1_000n * numerator) / denominator;
  switch (name) {
    case 'TIMELINESS':
    case 'FRESHNESS':
    case 'COVERAGE':
      return share;
    case 'ACCURACY':
    case 'REJECTION':
      return atLeastZero(1_000n - share);
    case 'DISPUTES':
      return atLeastZero(1_000n - (1_000n * ACCOUNTS_PER_DISPUTE * numerator) / denominator);
    default:
      return name satisfies never;
  }
}

function atLeastZero(value: bigint): bigint {
  return value < 0n ? 0n : value;
}

const NAMES = new Intl.ListFormat('en', { type: 'conjunction' });

/** For people: why an account lowers a metric. */
export function whyLow(
  metric: AccountMetric,
  account: { readonly news_at: string; readonly missing: readonly string[] },
  now_ms: number,
): string {
  switch (metric) {
    case 'FRESHNESS': {
      const days = Math.floor((now_ms - Date.parse(account.news_at)) / 86_400_000);
      return `No event in the last ${days} days.`;
    }
    case 'COVERAGE':
      return `Without ${NAMES.format(account.missing)}.`;
    default:
      return metric satisfies never;
  }
}

/** Measures without anything to measure are left out of the mean. */
export function healthOf(figures: HealthFigures): Health {
  const fractions: Readonly<Record<MetricName, readonly [bigint, bigint]>> = {
    TIMELINESS: [figures.timely_events, figures.events],
    FRESHNESS: [figures.fresh_accounts, figures.open_accounts],
    ACCURACY: [figures.correction_halves, 2n * figures.events],
    REJECTION: [figures.rejected, figures.submitted],
    DISPUTES: [figures.corrected_disputes, figures.accounts],
    COVERAGE: [figures.covered_accounts, figures.accounts],
  };
  let sum = 0n;
  let weights = 0n;
  const metrics = METRICS.map((name): Metric => {
    const [numerator, denominator] = fractions[name];
    const weight = WEIGHTS[name];
    const text = TEXTS[name];
    if (denominator === 0n) return { name, value: undefined, weight, numerator, denominator, text };
    const per_mille = perMilleOf(name, numerator, denominator);
    sum += per_mille * BigInt(weight);
    weights += BigInt(weight);
    const value = Number(per_mille / 10n);
    return { name, value, weight, numerator, denominator, text };
  });
  if (weights === 0n) return { score: undefined, grade: undefined, metrics };
  const score = Number(sum / (10n * weights));
  return { score, grade: gradeOf(score), metrics };
}

function gradeOf(score: number): Grade {
  if (score >= 90) return 'A';
  if (score >= 80) return 'B';
  if (score >= 70) return 'C';
  return score >= 60 ? 'D' : 'F';
}
