// What a report about an organisation has beside the profile: who it is, how promptly it has paid
// quarter by quarter, and to which kinds of institutions it owes.

import {
  type AccountFacts,
  type AccountType,
  BUCKETS,
  type Bucket,
  calculateProfile,
  dayOfInstant,
  instantOfDay,
} from '../../domain/model';
import type { ReportSubject, TradeLine } from './report-parts';

const QUARTERS = 8;
const MONTHS_OF_A_QUARTER = 3;

/**
 * What an institution is to the organisation, told by the kind of credit that it gives: the network
 * keeps no such thing about institutions, and names them in no report.
 */
export type InstitutionKind = 'FINANCE' | 'SUPPLIER' | 'LESSOR';

export interface QuarterIndex {
  /** `2026-Q1`. */
  readonly quarter: string;
  readonly payment_count: number;
  /** 80 is prompt; undefined when there were too few payments to say. */
  readonly payment_index: number | undefined;
}

/** Amounts of open accounts in one currency. */
export interface Exposure {
  readonly institution_kind: InstitutionKind;
  readonly currency: string;
  readonly institution_count: number;
  readonly account_count: number;
  /** Limits of revolving credit, and what was lent otherwise. */
  readonly granted: bigint;
  readonly balance: bigint;
  /** Of that, on accounts that are past due. */
  readonly past_due_balance: bigint;
  /** On accounts under dispute; in no other figure but the counts and what was granted. */
  readonly disputed_balance: bigint;
  readonly worst_bucket: Bucket;
}

export interface Commercial {
  readonly organisation: {
    readonly legal_name: string | undefined;
    readonly trading_name: string | undefined;
    readonly registration_number: string | undefined;
    readonly organisation_kind: string | undefined;
    readonly founded_at: string | undefined;
    /** Whole years since it was founded; undefined when nobody said. */
    readonly years_since_founding: number | undefined;
    /** When its oldest account was opened. */
    readonly on_file_since: string | undefined;
  };
  /** Newest first; the first one is not over yet. */
  readonly payment_quarters: readonly QuarterIndex[];
  readonly exposure: readonly Exposure[];
}

export function commercialPart(
  subject: ReportSubject,
  accounts: readonly AccountFacts[],
  lines: readonly TradeLine[],
  as_of_day: number,
): Commercial {
  const { legal_name, trading_name, registration_number, organisation_kind, founded_at } = subject;
  return {
    organisation: {
      legal_name,
      trading_name,
      registration_number,
      organisation_kind,
      founded_at,
      years_since_founding:
        founded_at === undefined ? undefined : yearsBetween(founded_at, as_of_day),
      on_file_since: lines.map(({ opened_on }) => opened_on).sort()[0],
    },
    payment_quarters: Array.from({ length: QUARTERS }, (_, age) =>
      quarterIndex(accounts, as_of_day, age),
    ),
    exposure: exposureOf(lines),
  };
}

function yearsBetween(founded_at: string, as_of_day: number): number {
  const from = new Date(instantOfDay(dayOfInstant(Date.parse(founded_at))));
  const to = new Date(instantOfDay(as_of_day));
  const anniversary_is_ahead =
    to.getUTCMonth() * 100 + to.getUTCDate() < from.getUTCMonth() * 100 + from.getUTCDate();
  return Math.max(0, to.getUTCFullYear() - from.getUTCFullYear() - (anniversary_is_ahead ? 1 : 0));
}

/** The model's own index, of the payments of one quarter. */
function quarterIndex(
  accounts: readonly AccountFacts[],
  as_of_day: number,
  age: number,
): QuarterIndex {
  const today = new Date(instantOfDay(as_of_day));
  const first_month =
    Math.floor(today.getUTCMonth() / MONTHS_OF_A_QUARTER) * MONTHS_OF_A_QUARTER -
    age * MONTHS_OF_A_QUARTER;
  const year = today.getUTCFullYear();
  const from = dayOfInstant(Date.UTC(year, first_month, 1));
  const until = dayOfInstant(Date.UTC(year, first_month + MONTHS_OF_A_QUARTER, 1));
  const paid = accounts.map((account) => ({
    ...account,
    payment_days: account.payment_days.filter(({ day }) => day >= from && day < until),
  }));
  const { score } = calculateProfile({
    subject_type: 'ORGANISATION',
    as_of_day,
    accounts: paid,
    inquiries: [],
  });
  const start = new Date(instantOfDay(from));
  return {
    quarter: `${start.getUTCFullYear()}-Q${Math.floor(start.getUTCMonth() / MONTHS_OF_A_QUARTER) + 1}`,
    payment_count: paid.reduce((sum, { payment_days }) => sum + payment_days.length, 0),
    payment_index: score.payment_index,
  };
}

const KINDS: Partial<Readonly<Record<AccountType, InstitutionKind>>> = {
  TRADE_CREDIT: 'SUPPLIER',
  LEASE: 'LESSOR',
};
const OVER: ReadonlySet<string> = new Set(['PAID', 'CANCELLED', 'VOIDED']);
const ORDER: readonly InstitutionKind[] = ['FINANCE', 'SUPPLIER', 'LESSOR'];

function exposureOf(lines: readonly TradeLine[]): Exposure[] {
  const open = lines.filter(
    ({ closed_on, status }) => closed_on === undefined && !OVER.has(status),
  );
  const groups = Map.groupBy(open, (line) => `${kindOf(line)} ${line.currency}`);
  return [...groups.values()]
    .map(exposure)
    .sort(
      (a, b) =>
        ORDER.indexOf(a.institution_kind) - ORDER.indexOf(b.institution_kind) ||
        (a.currency < b.currency ? -1 : 1),
    );
}

function exposure(lines: readonly TradeLine[]): Exposure {
  const [first] = lines;
  if (first === undefined) throw new Error('There is no exposure without an account.');
  const undisputed = lines.filter(({ status }) => status !== 'DISPUTED');
  const disputed = lines.filter(({ status }) => status === 'DISPUTED');
  const worst = Math.max(0, ...undisputed.map(({ bucket }) => BUCKETS.indexOf(bucket)));
  return {
    institution_kind: kindOf(first),
    currency: first.currency,
    institution_count: new Set(lines.map(({ furnisher }) => furnisher)).size,
    account_count: lines.length,
    granted: sum(lines, (line) => line.credit_limit ?? line.original_principal),
    balance: sum(undisputed, ({ balance }) => balance),
    past_due_balance: sum(undisputed, (line) => (line.days_past_due > 0 ? line.balance : 0n)),
    disputed_balance: sum(disputed, ({ balance }) => balance),
    worst_bucket: BUCKETS[worst] ?? 'CURRENT',
  };
}

function kindOf({ account_type }: TradeLine): InstitutionKind {
  return KINDS[account_type] ?? 'FINANCE';
}

function sum(lines: readonly TradeLine[], amountOf: (line: TradeLine) => bigint): bigint {
  return lines.reduce((total, line) => total + amountOf(line), 0n);
}
