import { isActiveDefault } from './episodes';
import type { AccountFacts } from './facts';
import { CAPS, type CapName } from './parameters';
import type { AdverseItem, Rules } from './rules';

/** A ceiling of the score, and the reason code that answers for it. */
export interface Cap {
  readonly name: CapName;
  readonly ceiling: number;
  readonly code: 'PH01' | 'PH02' | 'PH03' | 'PH04' | 'TF01';
}

/**
 * The ceilings in force, the lowest first. An episode that lasts holds the ceiling of the
 * furthest it went: a further adverse step never lifts it, only its end or its age does.
 */
export function capsInForce(
  rules: Rules,
  accounts: readonly AccountFacts[],
  items: readonly AdverseItem[],
  as_of_day: number,
): Cap[] {
  let written_off = false;
  let defaulted = false;
  let delinquent = false;
  let days_past_due = 0;
  for (const { episode } of items) {
    if (episode.ended_day !== undefined) continue;
    if (episode.written_off_day !== undefined) written_off = true;
    else if (isActiveDefault(episode)) defaulted = true;
    else if (episode.delinquency_started_day !== undefined) {
      delinquent = true;
      days_past_due = Math.max(days_past_due, rules.daysBehind(episode, as_of_day));
    }
  }
  const caps: Cap[] = [];
  if (written_off) caps.push({ name: 'WRITE_OFF', ceiling: CAPS.WRITE_OFF, code: 'PH02' });
  if (defaulted) caps.push({ name: 'ACTIVE_DEFAULT', ceiling: CAPS.ACTIVE_DEFAULT, code: 'PH01' });
  if (delinquent) {
    caps.push({
      name: 'ACTIVE_DELINQUENCY',
      ceiling: CAPS.ACTIVE_DELINQUENCY,
      code: days_past_due >= 90 ? 'PH03' : 'PH04',
    });
  }
  if (rules.isThin(accounts, as_of_day)) {
    caps.push({ name: 'THIN_FILE', ceiling: CAPS.THIN_FILE, code: 'TF01' });
  }
  return caps;
}

export interface CappedScore {
  readonly score: number;
  /** Each ceiling answers for what it takes below the next higher one; ceilings that bind nothing are left out. */
  readonly lost: readonly { readonly code: Cap['code']; readonly points: number }[];
}

export function underCaps(uncapped: number, caps: readonly Cap[]): CappedScore {
  let score = uncapped;
  const lost: { code: Cap['code']; points: number }[] = [];
  for (const { ceiling, code } of [...caps].sort((a, b) => b.ceiling - a.ceiling)) {
    if (score <= ceiling) continue;
    lost.push({ code, points: score - ceiling });
    score = ceiling;
  }
  return { score, lost };
}
