// Items of svc-score-1.1.0: seven years after an episode began it is gone, whatever was reported
// since. The Fair Credit Reporting Act has the same end and the same beginning for it: 15 U.S.C.
// 1681c(a)(4), (a)(5) and (c)(1), seven years from the delinquency that led to what is reported.
// Until then it weighs by its last adverse report.

import { onCurve } from '../arithmetic';
import { behindSince, codeOf, lastAdverseDay, severityOf } from '../episodes';
import type { AccountFacts, EpisodeFacts, UnderlyingStatus } from '../facts';
import { CURED_PER_MILLE, DECAY, OBSOLETE_AFTER_DAYS } from '../parameters';
import type { AdverseItem } from '../rules';

const { floor, min, max } = Math;

const DELINQUENT_DAYS_AT_LEAST = 30;
const DEFAULTED_DAYS_AT_LEAST = 90;

export function isObsolete(episode: EpisodeFacts, as_of_day: number): boolean {
  return as_of_day - firstDay(episode) > OBSOLETE_AFTER_DAYS;
}

/** The first adverse fact. Migrated debt may have been late before it was anything else. */
function firstDay({ started_day, past_due_since_day }: EpisodeFacts): number {
  return past_due_since_day === undefined ? started_day : min(started_day, past_due_since_day);
}

/**
 * Days past due on a day, from the first adverse report of whatever type; they freeze when the
 * episode ends. What was called delinquent is 30 days behind at least, what was called a default
 * or written off 90.
 */
export function daysPastDue(episode: EpisodeFacts, day: number): number {
  const { delinquency_started_day, defaulted_day, written_off_day } = episode;
  const days = daysBetween(firstDay(episode), episode, day);
  if (isBy(defaulted_day, day) || isBy(written_off_day, day)) {
    return max(DEFAULTED_DAYS_AT_LEAST, days);
  }
  return isBy(delinquency_started_day, day) ? max(DELINQUENT_DAYS_AT_LEAST, days) : days;
}

/**
 * Days behind with payments, which is what an item costs by: new terms alone are no arrears, and
 * a minor default that was told at once is no 90 days.
 */
export function daysBehind(episode: EpisodeFacts, day: number): number {
  return daysOfArrears(episode, day) ?? 0;
}

function daysOfArrears(episode: EpisodeFacts, day: number): number | undefined {
  const since = behindSince(episode);
  if (since === undefined) return undefined;
  const days = daysBetween(since, episode, day);
  return isBy(episode.delinquency_started_day, day) ? max(DELINQUENT_DAYS_AT_LEAST, days) : days;
}

function daysBetween(since: number, { ended_day }: EpisodeFacts, day: number): number {
  return max(0, (ended_day === undefined ? day : min(ended_day, day)) - since);
}

function isBy(step_day: number | undefined, day: number): boolean {
  return step_day !== undefined && step_day <= day;
}

const NO_ITEMS: readonly AdverseItem[] = [];

/** One item an episode, at its worst, none for an obsolete episode. */
export function adverseItems(account: AccountFacts, as_of_day: number): readonly AdverseItem[] {
  if (account.episodes.length === 0) return NO_ITEMS;
  const items: AdverseItem[] = [];
  for (const episode of account.episodes) {
    if (isObsolete(episode, as_of_day)) continue;
    const age = as_of_day - lastAdverseDay(episode, account.late_months, as_of_day);
    const days = daysOfArrears(episode, as_of_day);
    const cured = episode.ended_day === undefined ? 1000 : CURED_PER_MILLE;
    items.push({
      episode,
      code: codeOf(episode, days),
      penalty: floor((severityOf(episode, days) * onCurve(DECAY, age) * cured) / 1_000_000),
    });
  }
  return items;
}

/** First and last day of a spell; one that lasts goes on to the as-of day. */
export interface Span {
  readonly from_day: number;
  readonly until_day: number;
}

/** The spells that are told no more; a day that a younger one begins on is not theirs. */
export function untoldSpans({ episodes }: AccountFacts, as_of_day: number): Span[] {
  const told = episodes.filter((episode) => !isObsolete(episode, as_of_day));
  return episodes
    .filter((episode) => isObsolete(episode, as_of_day))
    .map((episode) => {
      const from_day = firstDay(episode);
      const last_day = episode.ended_day ?? as_of_day;
      const next_day = min(
        ...told.map(firstDay).filter((day) => day >= from_day),
        Number.MAX_SAFE_INTEGER,
      );
      return { from_day, until_day: min(last_day, next_day - 1) };
    });
}

/** The standing, unless it is the outcome of an episode that is told no more. */
export function standingOf(
  { status, episodes }: AccountFacts,
  as_of_day: number,
): UnderlyingStatus | undefined {
  if (status === 'CURRENT' || status === 'PAID' || status === 'CANCELLED') return status;
  const open = episodes.find(({ ended_day }) => ended_day === undefined);
  return open !== undefined && isObsolete(open, as_of_day) ? undefined : status;
}
