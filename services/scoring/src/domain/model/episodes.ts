// What every version of the model reads off an episode.

import { lastDayOfMonth, monthOfDay } from './calendar';
import { BUCKETS, type Bucket, type EpisodeFacts } from './facts';
import {
  DEFAULT_SEVERITY,
  DELINQUENCY_SEVERITY,
  LATE_SEVERITY,
  RESTRUCTURED_SEVERITY,
  WRITTEN_OFF_SEVERITY,
} from './parameters';
import type { DerogatoryCode } from './rules';

const { min, max } = Math;

const NEVER = Number.MIN_SAFE_INTEGER;

export function bucketOf(days_past_due: number): Bucket {
  return BUCKETS[bucketRank(days_past_due)] ?? 'CURRENT';
}

/** Position of the bucket in BUCKETS. */
export function bucketRank(days_past_due: number): number {
  if (days_past_due >= 120) return 5;
  if (days_past_due >= 90) return 4;
  if (days_past_due >= 60) return 3;
  if (days_past_due >= 30) return 2;
  return days_past_due > 0 ? 1 : 0;
}

/**
 * The day the episode's age counts from: the last adverse report in it. Any further adverse
 * report can only move it forward, so reporting more trouble never makes trouble look older, and
 * neither a cure nor a payment makes it look younger. Late payments are known by month and are
 * dated to its last day, else an earlier one found later could move this day back.
 */
export function lastAdverseDay(
  episode: EpisodeFacts,
  late_months: readonly number[],
  as_of_day: number,
): number {
  let last = max(
    episode.started_day,
    episode.past_due_since_day ?? NEVER,
    episode.delinquency_started_day ?? NEVER,
    episode.restructured_day ?? NEVER,
    episode.defaulted_day ?? NEVER,
    episode.written_off_day ?? NEVER,
  );
  if (late_months.length > 0) {
    const until = min(episode.ended_day ?? as_of_day, as_of_day);
    const first_month = monthOfDay(episode.started_day);
    const last_month = monthOfDay(until);
    for (const month of late_months) {
      if (month < first_month || month > last_month) continue;
      last = max(last, min(lastDayOfMonth(month), until));
    }
  }
  return last;
}

/** The worst the episode came to, per mille; `days` is how far it was behind, undefined if it never was. */
export function severityOf(episode: EpisodeFacts, days: number | undefined): number {
  let severity = episode.restructured_day === undefined ? 0 : RESTRUCTURED_SEVERITY;
  if (days !== undefined) {
    severity = max(severity, LATE_SEVERITY);
    for (const [from, per_mille] of DELINQUENCY_SEVERITY) {
      if (days >= from) {
        severity = max(severity, per_mille);
        break;
      }
    }
  }
  if (episode.defaulted_day !== undefined) {
    severity = max(severity, DEFAULT_SEVERITY[episode.default_severity ?? 'MODERATE']);
  }
  if (episode.written_off_day !== undefined) severity = max(severity, WRITTEN_OFF_SEVERITY);
  return severity;
}

/** The reason that the episode stands for, by the furthest it went. */
export function codeOf(episode: EpisodeFacts, days_behind: number | undefined): DerogatoryCode {
  if (episode.written_off_day !== undefined) return 'PH02';
  if (isActiveDefault(episode)) return 'PH01';
  const days = days_behind ?? 0;
  if (days >= 90 || episode.defaulted_day !== undefined) return 'PH03';
  if (days >= 60) return 'PH04';
  if (episode.restructured_day !== undefined) return 'PH06';
  return days >= 30 ? 'PH04' : 'PH05';
}

/**
 * A default stays active until the episode ends, a restructuring on the way included: agreeing
 * on new terms is itself adverse and must not lift what the default costs.
 */
export function isActiveDefault(episode: EpisodeFacts): boolean {
  return (
    episode.defaulted_day !== undefined &&
    episode.default_cured_day === undefined &&
    episode.ended_day === undefined
  );
}

/**
 * Day from which the account was behind with payments in this episode, if it was. One that came
 * to default or write-off was so from its start: of a step taken twice only the later date is
 * known, and a second default must not shorten the first.
 */
export function behindSince(episode: EpisodeFacts): number | undefined {
  if (episode.defaulted_day !== undefined || episode.written_off_day !== undefined) {
    return episode.started_day;
  }
  return episode.past_due_since_day ?? episode.delinquency_started_day;
}
