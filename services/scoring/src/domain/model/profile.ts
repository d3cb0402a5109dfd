// The objects around the score: where the subject stands, and how it got there.

import { lastDayOfMonth, monthOfDay, wholeMonthsBetween } from './calendar';
import { behindSince, bucketOf, bucketRank, isActiveDefault } from './episodes';
import {
  type AccountFacts,
  BUCKETS,
  type Bucket,
  creditLimit,
  isRevolving,
  type ModelInput,
  type ShownStatus,
  type UnderlyingStatus,
} from './facts';
import { countedInquiries } from './new-credit';
import { type CapName, HISTORY_MONTHS, type RiskLevel } from './parameters';
import { countBits } from './payments';
import type { AccountView, AdverseItem, Rules } from './rules';
import { calculateScore, type Score } from './score';
import { viewAccounts } from './views';

export interface CurrencyAmount {
  readonly currency: string;
  readonly amount_minor: bigint;
}

export interface Risk {
  readonly level: RiskLevel;
  /** Undefined when no account is undisputed. */
  readonly worst_current_status: UnderlyingStatus | undefined;
  readonly max_days_past_due: number;
  readonly bucket: Bucket;
  readonly stage: 1 | 2 | 3;
  readonly active_defaults: number;
  readonly disputed_account_count: number;
  readonly disputed_balance: readonly CurrencyAmount[];
  readonly caps_applied: readonly CapName[];
}

export interface CurrencyTotals {
  readonly currency: string;
  readonly balance_minor: bigint;
  /** Of revolving accounts that are not cancelled. */
  readonly limit_minor: bigint;
}

export interface History {
  readonly accounts_by_status: readonly { readonly status: ShownStatus; readonly count: number }[];
  readonly totals: readonly CurrencyTotals[];
  readonly oldest_account_months: number;
  readonly on_time_24m: number;
  readonly late_24m: number;
  readonly worst_bucket_12m: Bucket;
  readonly worst_bucket_24m: Bucket;
  readonly payment_grid: string;
  readonly hard_inquiries_12m: number;
  readonly institution_count: number;
}

export interface Profile {
  readonly score: Score;
  readonly risk: Risk;
  readonly history: History;
}

/** From the worst. */
const STATUSES: readonly UnderlyingStatus[] = [
  'WRITTEN_OFF',
  'DEFAULTED',
  'DELINQUENT',
  'RESTRUCTURED',
  'PAST_DUE',
  'CURRENT',
  'PAID',
  'CANCELLED',
];

/** Marks of the payment grid, the worst last: nothing known, kept, EARLY to DPD_120_PLUS, in default, written off. */
const GRID_MARKS = '-012345DW';
const GRID_ON_TIME = 1;
const GRID_IN_DEFAULT = 7;
const GRID_WRITTEN_OFF = 8;

export function calculateProfile(rules: Rules, input: ModelInput): Profile {
  const views = viewAccounts(rules, input);
  const score = calculateScore(rules, input, views);
  return {
    score,
    risk: riskOf(rules, input, views, score),
    history: historyOf(rules, input, views),
  };
}

function riskOf(
  rules: Rules,
  input: ModelInput,
  views: readonly AccountView[],
  score: Score,
): Risk {
  const statuses = new Set<UnderlyingStatus>();
  const disputed = new Map<string, bigint>();
  let disputed_account_count = 0;
  let max_days_past_due = 0;
  let active_defaults = 0;
  for (const { account, items } of views) {
    if (account.disputed) {
      disputed_account_count += 1;
      disputed.set(
        account.currency,
        (disputed.get(account.currency) ?? 0n) + account.balance_minor,
      );
    }
    if (items === undefined) continue;
    const standing = rules.standingOf(account, input.as_of_day);
    if (standing !== undefined) statuses.add(standing);
    for (const { episode } of items) {
      if (episode.ended_day !== undefined) continue;
      max_days_past_due = Math.max(max_days_past_due, rules.daysPastDue(episode, input.as_of_day));
      if (isActiveDefault(episode) && episode.written_off_day === undefined) active_defaults += 1;
    }
  }
  return {
    level: score.risk_level,
    worst_current_status: STATUSES.find((status) => statuses.has(status)),
    max_days_past_due,
    bucket: bucketOf(max_days_past_due),
    stage: stageOf(statuses, max_days_past_due),
    active_defaults,
    disputed_account_count,
    disputed_balance: byCurrency(disputed).map(([currency, amount_minor]) => ({
      currency,
      amount_minor,
    })),
    caps_applied: score.caps,
  };
}

function stageOf(statuses: ReadonlySet<UnderlyingStatus>, days_past_due: number): 1 | 2 | 3 {
  if (days_past_due >= 90 || statuses.has('DEFAULTED') || statuses.has('WRITTEN_OFF')) return 3;
  return days_past_due >= 30 || statuses.has('RESTRUCTURED') ? 2 : 1;
}

function historyOf(rules: Rules, input: ModelInput, views: readonly AccountView[]): History {
  const counts = new Map<ShownStatus, number>();
  const totals = new Map<string, { balance_minor: bigint; limit_minor: bigint }>();
  const institutions = new Set<string>();
  let on_time_24m = 0;
  let late_24m = 0;
  let oldest_day = input.as_of_day;
  for (const { account, months } of views) {
    const shown: ShownStatus | undefined = account.disputed
      ? 'DISPUTED'
      : rules.standingOf(account, input.as_of_day);
    if (shown !== undefined) counts.set(shown, (counts.get(shown) ?? 0) + 1);
    const total = totals.get(account.currency) ?? { balance_minor: 0n, limit_minor: 0n };
    total.balance_minor += account.balance_minor;
    total.limit_minor += openLimit(account);
    totals.set(account.currency, total);
    institutions.add(account.institution_id);
    on_time_24m += countBits(months.on);
    late_24m += countBits(months.late);
    oldest_day = Math.min(oldest_day, account.opened_day);
  }
  const shown_statuses: readonly ShownStatus[] = [...STATUSES, 'DISPUTED'];
  return {
    accounts_by_status: shown_statuses
      .filter((status) => counts.has(status))
      .map((status) => ({ status, count: counts.get(status) ?? 0 })),
    totals: byCurrency(totals).map(([currency, total]) => ({ currency, ...total })),
    oldest_account_months: wholeMonthsBetween(oldest_day, input.as_of_day),
    on_time_24m,
    late_24m,
    worst_bucket_12m: worstBucket(rules, views, input.as_of_day, 12),
    worst_bucket_24m: worstBucket(rules, views, input.as_of_day, HISTORY_MONTHS),
    payment_grid: paymentGrid(rules, views, input.as_of_day),
    hard_inquiries_12m: countedInquiries(input.inquiries, input.as_of_day).length,
    institution_count: institutions.size,
  };
}

function openLimit(account: AccountFacts): bigint {
  return isRevolving(account.account_type) && account.status !== 'CANCELLED'
    ? creditLimit(account)
    : 0n;
}

/** The worst bucket an undisputed account was in during the last calendar months. */
function worstBucket(
  rules: Rules,
  views: readonly AccountView[],
  as_of_day: number,
  months: number,
): Bucket {
  const first_month = monthOfDay(as_of_day) - months + 1;
  let worst = 0;
  for (const { items } of views) {
    for (const { episode } of items ?? []) {
      const until = Math.min(episode.ended_day ?? as_of_day, as_of_day);
      if (monthOfDay(until) < first_month) continue;
      worst = Math.max(worst, bucketRank(rules.daysPastDue(episode, as_of_day)));
    }
  }
  return BUCKETS[worst] ?? 'CURRENT';
}

/** One mark a month, the newest first: the worst over all accounts as the month ended. */
function paymentGrid(rules: Rules, views: readonly AccountView[], as_of_day: number): string {
  const as_of_month = monthOfDay(as_of_day);
  const marks = new Array<number>(HISTORY_MONTHS).fill(0);
  for (const { months, items } of views) {
    for (let age = 0; age < HISTORY_MONTHS; age += 1) {
      const bit = 1 << age;
      let mark = 0;
      if ((months.late & bit) !== 0) {
        mark = lateMark(rules, items ?? [], as_of_month - age, as_of_day);
      } else if ((months.on & bit) !== 0) mark = GRID_ON_TIME;
      marks[age] = Math.max(marks[age] ?? 0, mark);
    }
  }
  return marks.map((mark) => GRID_MARKS[mark]).join('');
}

function lateMark(
  rules: Rules,
  items: readonly AdverseItem[],
  month: number,
  as_of_day: number,
): number {
  const day = Math.min(lastDayOfMonth(month), as_of_day);
  // A month in which a payment was late is at least EARLY.
  let mark = GRID_ON_TIME + 1;
  for (const { episode } of items) {
    const since = behindSince(episode);
    if (since === undefined || since > day) continue;
    if (episode.ended_day !== undefined && monthOfDay(episode.ended_day) < month) continue;
    if (episode.written_off_day !== undefined && episode.written_off_day <= day) {
      mark = Math.max(mark, GRID_WRITTEN_OFF);
    } else if (episode.defaulted_day !== undefined && episode.defaulted_day <= day) {
      mark = Math.max(mark, GRID_IN_DEFAULT);
    } else {
      mark = Math.max(mark, GRID_ON_TIME + bucketRank(rules.daysPastDue(episode, day)));
    }
  }
  return mark;
}

function byCurrency<Value>(amounts: ReadonlyMap<string, Value>): [string, Value][] {
  return [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
}
