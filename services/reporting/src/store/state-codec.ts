// An account's state as JSON: money as text, because a sum of payments may outgrow a double, and
// absent times left out, because most of an episode's are. The three that were always there are
// null when they are absent.

import type { AccountState, Episode, FurnisherFlag, Place, Suppression } from '../domain/account';
import type { UnderlyingStatus } from '../domain/vocabulary';

/** Raised when the same records give another state: rows of before are then folded anew. */
export const STATE_VERSION = 2;

interface StoredFlag {
  readonly since_ms: number;
  readonly ended_at_ms: number | null;
}

type StoredEpisode = Partial<Episode> & Pick<Episode, 'started_at_ms'>;

/** The JSON as pg parses it. */
interface StoredState {
  readonly v: number;
  readonly voided?: true;
  readonly suppression?: Suppression | undefined;
  readonly underlying_status: UnderlyingStatus;
  readonly status_since_ms: number;
  readonly opened_in_trouble_ms?: number;
  readonly furnisher_flag?: StoredFlag | undefined;
  readonly network_review: boolean;
  readonly balance_minor: string;
  readonly credit_limit_minor: string | null;
  readonly closed_at_ms: number | null;
  readonly payment_count: number;
  readonly episodes: readonly StoredEpisode[];
  readonly payment_months: readonly number[];
  readonly late_months: readonly number[];
  readonly payment_days: readonly (readonly [day: number, amount: string, days_past_due: number])[];
  readonly head: Place;
}

/** Before versions were counted. Only until its row is folded anew. */
interface FirstStoredState
  extends Omit<StoredState, 'v' | 'status_since_ms' | 'payment_count' | 'furnisher_flag'> {
  readonly v?: undefined;
  readonly furnisher_dispute: boolean;
}

type AnyStoredState = StoredState | FirstStoredState;

const NO_EPISODE: Omit<Episode, 'started_at_ms'> = {
  ended_at_ms: undefined,
  past_due_since_ms: undefined,
  delinquency_started_at_ms: undefined,
  restructured_at_ms: undefined,
  defaulted_at_ms: undefined,
  default_severity: undefined,
  default_cured_at_ms: undefined,
  written_off_at_ms: undefined,
};

export function encodeState(state: AccountState): string {
  const stored: StoredState = {
    v: STATE_VERSION,
    ...(state.voided && { voided: true }),
    suppression: state.suppression,
    underlying_status: state.underlying_status,
    status_since_ms: state.status_since_ms,
    opened_in_trouble_ms: state.opened_in_trouble_ms,
    furnisher_flag: state.furnisher_flag && storedFlag(state.furnisher_flag),
    network_review: state.network_review,
    balance_minor: state.balance_minor.toString(),
    credit_limit_minor: state.credit_limit_minor?.toString() ?? null,
    closed_at_ms: state.closed_at_ms ?? null,
    payment_count: state.payment_count,
    episodes: state.episodes,
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

/** True for a state that another version of the rules has made. */
export function isStale(stored: unknown): boolean {
  return (stored as AnyStoredState).v !== STATE_VERSION;
}

export function decodeState(json: unknown, organisation: boolean): AccountState {
  // Sound: nothing else is written into its column.
  const stored = json as AnyStoredState;
  return {
    organisation,
    voided: stored.voided ?? false,
    suppression: stored.suppression,
    underlying_status: stored.underlying_status,
    opened_in_trouble_ms: stored.opened_in_trouble_ms,
    network_review: stored.network_review,
    balance_minor: BigInt(stored.balance_minor),
    credit_limit_minor:
      stored.credit_limit_minor === null ? undefined : BigInt(stored.credit_limit_minor),
    closed_at_ms: stored.closed_at_ms ?? undefined,
    ...(stored.v === undefined ? newSinceFirst(stored) : sinceFirst(stored)),
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

type NewSinceFirst = Pick<AccountState, 'status_since_ms' | 'furnisher_flag' | 'payment_count'>;

function sinceFirst(stored: StoredState): NewSinceFirst {
  return {
    status_since_ms: stored.status_since_ms,
    furnisher_flag: stored.furnisher_flag && flagOf(stored.furnisher_flag),
    payment_count: stored.payment_count,
  };
}

/** As near as the state alone can tell. */
function newSinceFirst(stored: FirstStoredState): NewSinceFirst {
  const { occurred_at_ms } = stored.head;
  return {
    status_since_ms: stored.episodes.at(-1)?.started_at_ms ?? occurred_at_ms,
    furnisher_flag: stored.furnisher_dispute
      ? { since_ms: occurred_at_ms, ended_at_ms: undefined }
      : undefined,
    payment_count: stored.payment_months.length,
  };
}

function storedFlag({ since_ms, ended_at_ms }: FurnisherFlag): StoredFlag {
  return { since_ms, ended_at_ms: ended_at_ms ?? null };
}

function flagOf({ since_ms, ended_at_ms }: StoredFlag): FurnisherFlag {
  return { since_ms, ended_at_ms: ended_at_ms ?? undefined };
}
