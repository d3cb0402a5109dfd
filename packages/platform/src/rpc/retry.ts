import { setTimeout as sleep } from 'node:timers/promises';

import type { CallContext } from '../context';
import { backoffMs, sooner } from '../values';
import { isRetryable } from './rpc-error';

/**
 * Pauses before the second and each further attempt: together longer than a peer takes to come
 * back from a restart by its supervisor, and than the channel waits before it connects again.
 */
const BACKOFF = { first_ms: 50, longest_ms: 1_000, growth: 3 };
const RETRIES = 4;

/**
 * Runs `fn`, and again after growing pauses while it fails because the peer is
 * unavailable. Only for what may happen twice: reads and idempotent writes. Never
 * begins an attempt at or after the context's deadline, nor once its signal has
 * aborted; then the last error is thrown.
 */
export async function withRetry<T>(ctx: CallContext, fn: () => Promise<T>): Promise<T> {
  for (let failures = 1; failures <= RETRIES; failures += 1) {
    try {
      return await fn();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      const pause_ms = sooner(backoffMs(BACKOFF, failures), 0.5);
      if (Date.now() + pause_ms >= ctx.deadline_at_ms) throw error;
      try {
        await sleep(pause_ms, undefined, { signal: ctx.signal });
      } catch {
        throw error;
      }
    }
  }
  return fn();
}
