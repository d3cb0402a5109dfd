// Items of svc-score-1.0.0: an episode is as old as its last adverse report, and gone when that is
// seven years ago.

import { onCurve } from '../arithmetic';
import { codeOf, lastAdverseDay, severityOf } from '../episodes';
import type { AccountFacts, EpisodeFacts } from '../facts';
import { CURED_PER_MILLE, DECAY, OBSOLETE_AFTER_DAYS } from '../parameters';
import type { AdverseItem } from '../rules';

const { floor, min, max } = Math;

/** Days past due on a day; they freeze when the episode ends and are 0 outside it. */
export function daysPastDue(episode: EpisodeFacts, day: number): number {
  return daysSinceLate(episode, day) ?? 0;
}

/** The same; undefined of an episode without lateness. */
function daysSinceLate(episode: EpisodeFacts, day: number): number | undefined {
  const since = episode.past_due_since_day ?? episode.delinquency_started_day;
  if (since === undefined) return undefined;
  const until = episode.ended_day === undefined ? day : min(episode.ended_day, day);
  const days = max(0, until - since);
  const delinquent =
    episode.delinquency_started_day !== undefined && episode.delinquency_started_day <= day;
  return delinquent ? max(30, days) : days;
}

const NO_ITEMS: readonly AdverseItem[] = [];

/** One item an episode, at its worst, none for an obsolete episode. */
export function adverseItems(account: AccountFacts, as_of_day: number): readonly AdverseItem[] {
  if (account.episodes.length === 0) return NO_ITEMS;
  const items: AdverseItem[] = [];
  for (const episode of account.episodes) {
    const age = as_of_day - lastAdverseDay(episode, account.late_months, as_of_day);
    if (age > OBSOLETE_AFTER_DAYS) continue;
    const days = daysSinceLate(episode, as_of_day);
    const severity = severityOf(episode, days);
    const cured = episode.ended_day === undefined ? 1000 : CURED_PER_MILLE;
    items.push({
      episode,
      code: codeOf(episode, days),
      penalty: floor((severity * onCurve(DECAY, age) * cured) / 1_000_000),
    });
  }
  return items;
}
