import { setTimeout as sleep } from 'node:timers/promises';

import type { CallContext } from '../context';
import { isRetryable } from './rpc-error';

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 150;

/**
 * Runs `fn`, and once more after a short pause when it failed because the peer was
 * unavailable. Only for what may happen twice: reads and idempotent writes. Never
 * begins the second attempt at or after the context's deadline, nor once its signal
 * has aborted; then the first error is thrown.
 */
export async function withRetry<T>(ctx: CallContext, fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    if (!isRetryable(error)) throw error;
    const pause_ms = MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
    if (Date.now() + pause_ms >= ctx.deadline_at_ms) throw error;
    try {
      await sleep(pause_ms, undefined, { signal: ctx.signal });
    } catch {
      throw error;
    }
    return fn();
  }
}
