import { monthOfDay } from '../calendar';
import { behindSince } from '../episodes';
import type { AccountFacts } from '../facts';
import { bitOf, bitsBetween } from '../payments';
import type { AdverseItem, MonthBits } from '../rules';
import { isObsolete } from './episodes';

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
  if (late !== 0 && items.length < account.episodes.length) {
    late &= ~obsoleteBits(account, items, as_of_day, as_of_month);
  }
  for (const { episode } of items) {
    const since = behindSince(episode);
    if (since === undefined) continue;
    const until = Math.min(episode.ended_day ?? as_of_day, as_of_day);
    late |= bitsBetween(monthOfDay(since), monthOfDay(until), as_of_month);
  }
  return { on: paid & ~late, late };
}

/** Months that belong to episodes that are told no more, and to no other one. */
function obsoleteBits(
  { episodes }: AccountFacts,
  items: readonly AdverseItem[],
  as_of_day: number,
  as_of_month: number,
): number {
  const monthsOf = (started_day: number, ended_day: number | undefined): number => {
    const until = Math.min(ended_day ?? as_of_day, as_of_day);
    return bitsBetween(monthOfDay(started_day), monthOfDay(until), as_of_month);
  };
  let gone = 0;
  for (const episode of episodes) {
    if (isObsolete(episode, as_of_day)) gone |= monthsOf(episode.started_day, episode.ended_day);
  }
  for (const { episode } of items) gone &= ~monthsOf(episode.started_day, episode.ended_day);
  return gone;
}
