import { backoffMs, sooner } from '@credit/platform/values';

/** Attempts that a delivery gets, automatic and manual together. */
export const MAX_ATTEMPTS = 8;

/** In units of the first wait. */
const LONGEST_WAIT = 60;
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
export function waitAfter(attempt: number, { base_ms, chance }: RetrySettings): number {
  // 60, 180, 540, 1620, then 3600 s by default.
  const backoff = { first_ms: base_ms, longest_ms: LONGEST_WAIT * base_ms, growth: 3 };
  return Math.round(sooner(backoffMs(backoff, attempt), MAX_JITTER, () => chance));
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
