const FIRST_DELAY_MS = 500;
const GROWTH = 3;

/** Longest wait after a handler's own failure. */
export const MAX_DELAY_MS = 5 * 60_000;
/** Longest wait for a database or a peer that is away: it may be back any moment. */
export const MAX_UNAVAILABLE_DELAY_MS = 15_000;

/**
 * How long the next delivery waits after this many: 0.5 s, 1.5 s, 4.5 s … `max_ms`, give or
 * take a quarter, so that messages that failed together do not come back together.
 */
export function retryDelay(deliveries: number, max_ms: number, random = Math.random): number {
  const delay_ms = Math.min(max_ms, FIRST_DELAY_MS * GROWTH ** (Math.max(1, deliveries) - 1));
  return Math.round(delay_ms * (0.75 + random() / 2));
}
