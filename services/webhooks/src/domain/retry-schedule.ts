/** Attempts that a delivery gets, automatic and manual together. */
export const MAX_ATTEMPTS = 8;

// Waits after attempts 1 to 7, in units of the base: 60, 180, 540, 1620, 3600 s by default.
const BACKOFF_FACTORS = [1, 3, 9, 27, 60, 60, 60];
const MAX_JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What the next wait depends on beside the attempt. */
export interface RetrySettings {
  /** The wait after the first attempt; scales the whole table. */
  readonly base_ms: number;
  /** From 0 to 1: the share of the jitter that this wait takes. */
  readonly chance: number;
  readonly now_ms: number;
}

/** The wait after a failed attempt (1 to 7), shortened by up to a fifth so that retries spread. */
export function backoffMs(attempt: number, settings: RetrySettings): number {
  const factor = BACKOFF_FACTORS[Math.min(attempt, BACKOFF_FACTORS.length) - 1] ?? 1;
  return Math.round(factor * settings.base_ms * (1 - MAX_JITTER * settings.chance));
}

/**
 * The wait that a receiver asked for in Retry-After (seconds or an HTTP date),
 * at most an hour; 0 when it asked for none or wrote nonsense.
 */
export function retryAfterMs(header: string | undefined, now_ms: number): number {
  const text = header?.trim() ?? '';
  let wait_ms = 0;
  if (/^\d{1,10}$/.test(text)) wait_ms = Number(text) * 1000;
  else if (/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    wait_ms = Date.parse(text) - now_ms;
  }
  return Number.isNaN(wait_ms) ? 0 : Math.min(Math.max(wait_ms, 0), MAX_RETRY_AFTER_MS);
}
