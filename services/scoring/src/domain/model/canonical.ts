// The text of a model input that its hash is taken of: the same facts in any order give the
// same text, and what the model never reads is left out.

import type { AccountFacts, EpisodeFacts, ModelInput } from './facts';
import { countedInquiries } from './new-credit';
import { MODEL_VERSION } from './parameters';

export function canonicalInput(input: ModelInput): string {
  return JSON.stringify([
    MODEL_VERSION,
    input.subject_type,
    input.as_of_day,
    [...input.accounts].sort(by((account) => account.account_id)).map(canonicalAccount),
    [...countedInquiries(input.inquiries, input.as_of_day)]
      .sort(by((inquiry) => inquiry.inquiry_id))
      .map(({ inquiry_id, purpose, day }) => [inquiry_id, purpose, day]),
  ]);
}

function canonicalAccount(account: AccountFacts): unknown[] {
  return [
    account.account_id,
    account.account_type,
    account.currency,
    String(account.original_principal_minor),
    account.credit_limit_minor === null ? null : String(account.credit_limit_minor),
    String(account.balance_minor),
    account.status,
    account.disputed,
    account.opened_day,
    account.episodes.map(canonicalEpisode).sort(by((episode) => JSON.stringify(episode))),
    [...account.payment_months].sort((a, b) => a - b),
    [...account.late_months].sort((a, b) => a - b),
    account.payment_days
      .map(({ day, amount_minor, days_past_due }) => [day, String(amount_minor), days_past_due])
      .sort(by((payment) => JSON.stringify(payment))),
  ];
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
