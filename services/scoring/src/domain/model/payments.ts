// Payments kept and missed: one verdict an account and calendar month, the worst wins.

import { onCurve, pointsOf } from './arithmetic';
import { monthOfDay } from './calendar';
import {
  FACTOR_MAX,
  HISTORY_MONTHS,
  PAYMENT_INDEX_CURVE,
  PAYMENT_INDEX_LEAST_PAYMENTS,
} from './parameters';
import type { AccountView } from './rules';

const { floor, min, max } = Math;

const ALL_MONTHS = 2 ** HISTORY_MONTHS - 1;

/** The bit of a month; none outside the window. */
export function bitOf(month: number, as_of_month: number): number {
  const age = as_of_month - month;
  return age >= 0 && age < HISTORY_MONTHS ? 1 << age : 0;
}

/** The bits of all months from one to another. */
export function bitsBetween(from_month: number, to_month: number, as_of_month: number): number {
  const youngest = max(0, as_of_month - to_month);
  const oldest = min(HISTORY_MONTHS - 1, as_of_month - from_month);
  if (oldest < youngest) return 0;
  return (2 ** (oldest + 1) - 1) & (ALL_MONTHS << youngest) & ALL_MONTHS;
}

export function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

export interface OnTimeResult {
  readonly points: number;
  /** What the late months cost, apart from what a short record costs. */
  readonly lost_to_late: number;
}

export function onTime(on: number, late: number): OnTimeResult {
  const points = onTimePoints(on, late);
  return { points, lost_to_late: onTimePoints(on, 0) - points };
}

// Starts from three on-time months and one open one, so that a short record is neither perfect nor bad.
function onTimePoints(on: number, late: number): number {
  return pointsOf(FACTOR_MAX.ON_TIME, floor((1000 * (on + 3)) / (on + 3 * late + 4)));
}

/** Organisations: how promptly money came, weighted by amount. Undefined when too few payments. */
export function paymentIndex(
  views: readonly AccountView[],
  as_of_month: number,
): number | undefined {
  let payments = 0;
  let paid_minor = 0n;
  let weighted = 0n;
  for (const { account, items } of views) {
    for (const { day, amount_minor, days_past_due } of account.payment_days) {
      if (as_of_month - monthOfDay(day) >= HISTORY_MONTHS) continue;
      // Under dispute the payment stands and its lateness does not, so that disputing never lowers it.
      const value = onCurve(PAYMENT_INDEX_CURVE, items === undefined ? 0 : days_past_due);
      payments += 1;
      paid_minor += amount_minor;
      weighted += amount_minor * BigInt(value);
    }
  }
  if (payments < PAYMENT_INDEX_LEAST_PAYMENTS || paid_minor === 0n) return undefined;
  return Number(weighted / paid_minor);
}
