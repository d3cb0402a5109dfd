// An account's state as JSON: money as text, because a sum of payments may outgrow a double, and
// absent times left out, because most of an episode's are.

import type { AccountState, Episode } from '../domain/account';

type StoredEpisode = Partial<Episode> & Pick<Episode, 'started_at_ms'>;

/** The JSON as pg parses it. */
export interface StoredState
  extends Omit<
    AccountState,
    'balance_minor' | 'credit_limit_minor' | 'episodes' | 'payment_days' | 'organisation'
  > {
  readonly balance_minor: string;
  readonly credit_limit_minor: string | null;
  readonly episodes: readonly StoredEpisode[];
  readonly payment_days: readonly (readonly [day: number, amount: string, days_past_due: number])[];
}

const NO_EPISODE: Omit<Episode, 'started_at_ms'> = {
  ended_at_ms: null,
  past_due_since_ms: null,
  delinquency_started_at_ms: null,
  restructured_at_ms: null,
  defaulted_at_ms: null,
  default_severity: null,
  default_cured_at_ms: null,
  written_off_at_ms: null,
};

export function encodeState(state: AccountState): string {
  const stored: StoredState = {
    underlying_status: state.underlying_status,
    furnisher_dispute: state.furnisher_dispute,
    network_review: state.network_review,
    balance_minor: state.balance_minor.toString(),
    credit_limit_minor: state.credit_limit_minor?.toString() ?? null,
    closed_at_ms: state.closed_at_ms,
    episodes: state.episodes.map(withoutNulls),
    payment_months: state.payment_months,
    late_months: state.late_months,
    payment_days: state.payment_days.map((paid) => [
      paid.day,
      paid.amount_minor.toString(),
      paid.days_past_due,
    ]),
    head: state.head,
  };
  return JSON.stringify(stored);
}

export function decodeState(stored: StoredState, organisation: boolean): AccountState {
  return {
    organisation,
    underlying_status: stored.underlying_status,
    furnisher_dispute: stored.furnisher_dispute,
    network_review: stored.network_review,
    balance_minor: BigInt(stored.balance_minor),
    credit_limit_minor:
      stored.credit_limit_minor === null ? null : BigInt(stored.credit_limit_minor),
    closed_at_ms: stored.closed_at_ms,
    episodes: stored.episodes.map((episode) => ({ ...NO_EPISODE, ...episode })),
    payment_months: stored.payment_months,
    late_months: stored.late_months,
    payment_days: stored.payment_days.map(([day, amount, days_past_due]) => ({
      day,
      amount_minor: BigInt(amount),
      days_past_due,
    })),
    head: stored.head,
  };
}

function withoutNulls(episode: Episode): StoredEpisode {
  const known = Object.entries(episode).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), started_at_ms: episode.started_at_ms };
}
