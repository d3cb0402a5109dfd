import { backoffMs, sooner } from '../values';

const FIRST_DELAY_MS = 625;
const GROWTH = 3;

/** Longest wait after a handler's own failure. */
export const MAX_DELAY_MS = 5 * 60_000;
/** Longest wait for events that have to come before: they are on their way. */
export const MAX_TURN_DELAY_MS = 2_000;
/** Longest wait for a database or a peer that is away: it may be back any moment. */
export const MAX_UNAVAILABLE_DELAY_MS = 15_000;

/**
 * How long the next delivery waits after this many: 0.6 s, 1.9 s, 5.6 s … `longest_ms`, or up to
 * two fifths less, so that messages that failed together do not come back together.
 */
export function retryDelay(deliveries: number, longest_ms: number, random = Math.random): number {
  const backoff = { first_ms: FIRST_DELAY_MS, longest_ms, growth: GROWTH };
  return Math.round(sooner(backoffMs(backoff, deliveries), 0.4, random));
}
