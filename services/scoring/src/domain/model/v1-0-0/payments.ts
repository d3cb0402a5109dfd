import { monthOfDay } from '../calendar';
import { behindSince } from '../episodes';
import type { AccountFacts } from '../facts';
import { bitOf, bitsBetween } from '../payments';
import type { AdverseItem, MonthBits } from '../rules';

export function monthBits(
  account: AccountFacts,
  items: readonly AdverseItem[] | undefined,
  as_of_day: number,
  as_of_month: number,
): MonthBits {
  let late = 0;
  let paid = 0;
  for (const month of account.payment_months) paid |= bitOf(month, as_of_month);
  if (items === undefined) return { on: paid, late };
  for (const month of account.late_months) late |= bitOf(month, as_of_month);
  for (const { episode } of items) {
    const since = behindSince(episode);
    if (since === undefined) continue;
    const until = Math.min(episode.ended_day ?? as_of_day, as_of_day);
    late |= bitsBetween(monthOfDay(since), monthOfDay(until), as_of_month);
  }
  return { on: paid & ~late, late };
}
