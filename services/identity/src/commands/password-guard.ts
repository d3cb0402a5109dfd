import type { CallContext } from '@credit/platform/context';
import type { AttemptCount, AttemptCounter } from '@credit/platform/db';
import type { Dependencies } from '../dependencies';
import { countAttempt, giveBackAttempts } from '../store/attempts';

/** What attempts at a password are limited by. */
export interface Limit extends AttemptCounter {
  readonly limit: number;
  /** A success takes back all failures before it, and not only itself. */
  readonly starts_anew?: true;
}

/** What became of an attempt at a password. */
export type Guarded<T> =
  | { readonly outcome: 'matched'; readonly value: T; readonly counts: readonly AttemptCount[] }
  | { readonly outcome: 'failed'; readonly counts: readonly AttemptCount[] }
  /** It was not made. */
  | {
      readonly outcome: 'throttled';
      readonly wait_s: number;
      readonly counts: readonly AttemptCount[];
    };

/**
 * Runs an attempt at a password within the limits. `attempt` returns undefined when the password
 * was wrong. `adjust` changes the limits by what was counted.
 */
export async function guarded<T>(
  deps: Pick<Dependencies, 'db'>,
  ctx: CallContext,
  limits: readonly Limit[],
  attempt: () => Promise<T | undefined>,
  adjust: (limits: readonly Limit[], counts: readonly AttemptCount[]) => readonly Limit[] = (
    same,
  ) => same,
): Promise<Guarded<T>> {
  // Outside any transaction: a failure must stay counted.
  const on = deps.db.read(ctx);
  const counts = await countAttempt(on, limits);
  const wait_s = waitOf(adjust(limits, counts), counts);
  if (wait_s > 0) {
    // What has no limit counts what was tried, and nothing was.
    const unlimited = limits.filter(({ limit }) => limit === Number.POSITIVE_INFINITY);
    if (unlimited.length > 0) await giveBackAttempts(on, unlimited);
    return { outcome: 'throttled', wait_s, counts };
  }
  let value: T | undefined;
  try {
    value = await attempt();
  } catch (error) {
    // It was never decided.
    await giveBackAttempts(
      on,
      limits.map(({ subject }) => ({ subject })),
    );
    throw error;
  }
  if (value === undefined) return { outcome: 'failed', counts };
  await giveBackAttempts(on, limits);
  return { outcome: 'matched', value, counts };
}

/** Seconds until none of the limits is passed any more; 0 when none is. */
export function waitOf(limits: readonly Limit[], counts: readonly AttemptCount[]): number {
  return Math.max(
    0,
    ...limits.map(({ limit }, index) => {
      const counted = counts[index];
      return counted !== undefined && counted.count > limit ? counted.ends_in_s : 0;
    }),
  );
}
