/** Limits of requests by window. */
export interface RateLimits {
  readonly per_minute: number;
  readonly per_day: number;
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
