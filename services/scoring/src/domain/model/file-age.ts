import { apportion, pointsOf } from './arithmetic';
import { wholeMonthsBetween } from './calendar';
import type { AccountFacts } from './facts';
import {
  AVERAGE_CAP_MONTHS,
  AVERAGE_PER_MILLE,
  FACTOR_MAX,
  MIX_PER_MILLE,
  OLDEST_CAP_MONTHS,
  OLDEST_PER_MILLE,
} from './parameters';

export interface LengthResult {
  readonly points: number;
  readonly oldest_months: number;
  readonly lost_to_oldest: number;
  readonly lost_to_average: number;
}

/** How long the file reaches back. Closed accounts count, or paying off would shorten it. */
export function fileLength(accounts: readonly AccountFacts[], as_of_day: number): LengthResult {
  let oldest_months = 0;
  let months = 0;
  for (const account of accounts) {
    const age = wholeMonthsBetween(account.opened_day, as_of_day);
    oldest_months = Math.max(oldest_months, age);
    months += age;
  }
  const average_months = accounts.length === 0 ? 0 : Math.floor(months / accounts.length);
  const from_oldest = Math.floor(
    (OLDEST_PER_MILLE * Math.min(oldest_months, OLDEST_CAP_MONTHS)) / OLDEST_CAP_MONTHS,
  );
  const from_average = Math.floor(
    (AVERAGE_PER_MILLE * Math.min(average_months, AVERAGE_CAP_MONTHS)) / AVERAGE_CAP_MONTHS,
  );
  const points = pointsOf(FACTOR_MAX.LENGTH, from_oldest + from_average);
  const [lost_to_oldest = 0, lost_to_average = 0] = apportion(FACTOR_MAX.LENGTH - points, [
    OLDEST_PER_MILLE - from_oldest,
    AVERAGE_PER_MILLE - from_average,
  ]);
  return { points, oldest_months, lost_to_oldest, lost_to_average };
}

/** Number of kinds of credit ever held. */
export function mixPoints(accounts: readonly AccountFacts[]): number {
  const types = new Set(accounts.map((account) => account.account_type));
  const per_mille = MIX_PER_MILLE[Math.min(types.size, MIX_PER_MILLE.length - 1)] ?? 0;
  return pointsOf(FACTOR_MAX.MIX, per_mille);
}
