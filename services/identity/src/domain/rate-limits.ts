/** Limits of requests by window. */
export interface RateLimits {
  readonly per_minute: number;
  readonly per_day: number;
  /** Of a person at the own file. */
  readonly person_per_minute: number;
  readonly person_per_day: number;
  /** Of an institution's keys together: so many times those of one. */
  readonly institution_factor: number;
  /** By address, for calls without a valid credential. */
  readonly anonymous_per_minute: number;
  /** By address and operation, for public writes. */
  readonly public_writes_per_minute: number;
}

/** A limit that is never reached. */
export const UNLIMITED = 2_147_483_647;

/** An identity's counters after a batch was counted in. */
export interface Counted {
  /** Minutes and days since 1970. */
  readonly minute: number;
  readonly minute_count: number;
  readonly minute_limit: number;
  readonly day: number;
  readonly day_count: number;
  readonly day_limit: number;
  /** How many of the batch's requests passed; they are in the counts. */
  readonly granted: number;
}

/** Whether a window of the counters is full: what comes now is refused. */
function isFull(counted: Counted): boolean {
  return counted.minute_count >= counted.minute_limit || counted.day_count >= counted.day_limit;
}

/** A limit that a request shares with others, and its place (from 0) among them. */
export interface Shared {
  readonly counted: Counted;
  readonly place: number;
}

/** What the first of `count` equal requests sees, and how many of them pass: the first ones. */
export function grantedUnder(
  own: Counted,
  place: number,
  count: number,
  shared: Shared | undefined,
): { readonly rate: RateState; readonly granted: number } {
  const own_granted = Math.min(count, Math.max(0, own.granted - place));
  if (shared === undefined) return { rate: rateState(own, place), granted: own_granted };
  const left = Math.max(0, shared.counted.granted - shared.place);
  const granted = Math.min(own_granted, left);
  if (granted === 0) {
    const refusing = isFull(own) ? own : shared.counted;
    return { rate: rateState(refusing, refusing.granted), granted };
  }
  const own_rate = rateState(own, place);
  const shared_rate = rateState(shared.counted, shared.place);
  return { rate: shared_rate.remaining < own_rate.remaining ? shared_rate : own_rate, granted };
}

/** The tighter of the two windows, as one request sees it. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset_s: number;
  readonly exceeded: boolean;
}

const MINUTE_S = 60;
const DAY_S = 86_400;

/**
 * What the `ordinal`-th (from 0) request of a batch sees: the first `granted` pass,
 * each one less remaining than the one before; the rest are over the limit.
 */
export function rateState(counted: Counted, ordinal: number): RateState {
  const exceeded = ordinal >= counted.granted;
  // Requests of the batch that count but come after this one.
  const later = exceeded ? 0 : counted.granted - ordinal - 1;
  const minute_remaining = counted.minute_limit - counted.minute_count + later;
  const day_remaining = counted.day_limit - counted.day_count + later;
  const is_day = day_remaining <= minute_remaining;
  return {
    limit: is_day ? counted.day_limit : counted.minute_limit,
    remaining: exceeded ? 0 : Math.max(0, is_day ? day_remaining : minute_remaining),
    reset_s: is_day ? (counted.day + 1) * DAY_S : (counted.minute + 1) * MINUTE_S,
    exceeded,
  };
}
