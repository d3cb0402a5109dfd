import { setTimeout as sleep } from 'node:timers/promises';

import type { CallContext } from '../context';
import { isRetryable } from './rpc-error';

/** Pauses before the second and each further attempt: together longer than a peer takes to come
 * back from a restart by its supervisor, and than the channel waits before it connects again. */
const PAUSES_MS = [50, 150, 400, 1_000] as const;

/**
 * Runs `fn`, and again after growing pauses while it fails because the peer is
 * unavailable. Only for what may happen twice: reads and idempotent writes. Never
 * begins an attempt at or after the context's deadline, nor once its signal has
 * aborted; then the last error is thrown.
 */
export async function withRetry<T>(ctx: CallContext, fn: () => Promise<T>): Promise<T> {
  for (const longest_ms of PAUSES_MS) {
    try {
      return await fn();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      // Jitter, so that callers who failed together do not come back together.
      const pause_ms = longest_ms * (0.5 + Math.random() / 2);
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
