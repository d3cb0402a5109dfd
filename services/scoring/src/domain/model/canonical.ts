// The text of a model input that its hash is taken of: the same facts in any order give the
// same text, and what the model never reads is left out.

import type { EpisodeFacts, ModelInput, PaymentDayFacts } from './facts';
import { countedInquiries } from './new-credit';
import type { Rules } from './rules';

export function canonicalInput(rules: Rules, input: ModelInput): string {
  return JSON.stringify([
    rules.version,
    input.subject_type,
    input.as_of_day,
    [...input.accounts]
      .sort(by((account) => account.account_id))
      .map((account) => rules.canonicalAccount(account, input.as_of_day)),
    [...countedInquiries(input.inquiries, input.as_of_day)]
      .sort(by((inquiry) => inquiry.inquiry_id))
      .map(({ inquiry_id, purpose, day }) => [inquiry_id, purpose, day]),
  ]);
}

export function canonicalEpisodes(episodes: readonly EpisodeFacts[]): unknown[] {
  return episodes.map(canonicalEpisode).sort(by((episode) => JSON.stringify(episode)));
}

export function canonicalMonths(months: readonly number[]): number[] {
  return [...months].sort((a, b) => a - b);
}

export function canonicalPayments(payments: readonly PaymentDayFacts[]): unknown[] {
  return payments
    .map(({ day, amount_minor, days_past_due }) => [day, String(amount_minor), days_past_due])
    .sort(by((payment) => JSON.stringify(payment)));
}

/** Undefined stays undefined. */
export function canonicalAmount(amount_minor: bigint | undefined): string | undefined {
  return amount_minor === undefined ? undefined : String(amount_minor);
}

function canonicalEpisode(episode: EpisodeFacts): unknown[] {
  return [
    episode.started_day,
    episode.ended_day,
    episode.past_due_since_day,
    episode.delinquency_started_day,
    episode.restructured_day,
    episode.defaulted_day,
    episode.default_severity,
    episode.default_cured_day,
    episode.written_off_day,
  ];
}

function by<Item>(key: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => {
    const left = key(a);
    const right = key(b);
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
