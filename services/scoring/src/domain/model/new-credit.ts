import { apportion, pointsOf } from './arithmetic';
import type { AccountFacts, InquiryFacts } from './facts';
import {
  FACTOR_MAX,
  INQUIRY_PER_MILLE,
  INQUIRY_SPANS_DAYS,
  INQUIRY_WINDOW_DAYS,
  NEW_ACCOUNT_DAYS,
  NEW_ACCOUNT_PER_MILLE,
} from './parameters';

export interface NewCreditResult {
  readonly points: number;
  readonly lost_to_inquiries: number;
  readonly lost_to_accounts: number;
}

const LONGEST_SPAN_DAYS = Math.max(...INQUIRY_SPANS_DAYS);

/** The inquiries that the score counts. */
export function countedInquiries(
  inquiries: readonly InquiryFacts[],
  as_of_day: number,
): InquiryFacts[] {
  return inquiries.filter(
    (inquiry) =>
      inquiry.inquiry_type === 'HARD' &&
      !inquiry.duplicate &&
      as_of_day - inquiry.day < LONGEST_SPAN_DAYS,
  );
}

/** How hungry for credit the subject was lately. */
export function newCredit(
  accounts: readonly AccountFacts[],
  counted: readonly InquiryFacts[],
  as_of_day: number,
): NewCreditResult {
  let windows = 0;
  if (counted.length > 0) {
    const days_by_purpose = new Map<string, number[]>();
    for (const { purpose, day } of counted) {
      const days = days_by_purpose.get(purpose);
      if (days === undefined) days_by_purpose.set(purpose, [day]);
      else days.push(day);
    }
    for (const days of days_by_purpose.values()) {
      days.sort((a, b) => a - b);
      for (const span of INQUIRY_SPANS_DAYS) windows += fewestWindows(days, as_of_day - span);
    }
  }
  const opened = accounts.reduce(
    (count, account) => count + (as_of_day - account.opened_day < NEW_ACCOUNT_DAYS ? 1 : 0),
    0,
  );
  const for_inquiries = INQUIRY_PER_MILLE * windows;
  const for_accounts = NEW_ACCOUNT_PER_MILLE * Math.max(0, opened - 1);
  const points = pointsOf(FACTOR_MAX.NEW_CREDIT, Math.max(0, 1000 - for_inquiries - for_accounts));
  const [lost_to_inquiries = 0, lost_to_accounts = 0] = apportion(FACTOR_MAX.NEW_CREDIT - points, [
    for_inquiries,
    for_accounts,
  ]);
  return { points, lost_to_inquiries, lost_to_accounts };
}

/** Least number of windows that cover the days after `after_day`; opening each at the first uncovered day is optimal. */
function fewestWindows(ascending_days: readonly number[], after_day: number): number {
  let windows = 0;
  let covered_before = Number.MIN_SAFE_INTEGER;
  for (const day of ascending_days) {
    if (day <= after_day || day < covered_before) continue;
    windows += 1;
    covered_before = day + INQUIRY_WINDOW_DAYS;
  }
  return windows;
}
