import { setTimeout as sleep } from 'node:timers/promises';

/** A queue of rows each of which is one worker's until its lease ends. */
export interface LeasedQueue<Row> {
  /** How many are taken in one look. */
  readonly at_once: number;
  /** Takes what is due, under a token that says whose it is. */
  claim(lease_token: string, at_once: number): Promise<readonly Row[]>;
  /** Carries one out, or gives it back to be due again. Ends within the lease. */
  carryOut(row: Row, lease_token: string): Promise<void>;
}

/**
 * One look at a queue; true when there may be more. One row's failure is not another's: what is
 * thrown is left to the lease, which ends by itself, and told at last.
 */
export async function workLeased<Row>(
  { at_once, claim, carryOut }: LeasedQueue<Row>,
  newId: () => string,
): Promise<boolean> {
  const lease_token = newId();
  const rows = await claim(lease_token, at_once);
  const ends = await Promise.allSettled(rows.map((row) => carryOut(row, lease_token)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return rows.length === at_once;
}

const GIVE_BACK_EVERY_MS = 1_000;

/** A lease that whoever has it cannot use. */
export interface UselessLease {
  readonly lease_ms: number;
  release(): Promise<void>;
  /** The store is away; it is tried again until the lease ends by itself. */
  onDelay(failure: unknown): void;
}

/**
 * Gives a lease back: else everybody waits until it ends. What was to be stored under it has mostly
 * failed because the store is away, and then this does too: it goes on, unwaited for, until the store
 * is back. Never rejects.
 */
export async function giveBack({ lease_ms, release, onDelay }: UselessLease): Promise<void> {
  const until_ms = performance.now() + lease_ms;
  const again = async (): Promise<void> => {
    while (performance.now() < until_ms) {
      await sleep(GIVE_BACK_EVERY_MS, undefined, { ref: false });
      const is_done = await release().then(
        () => true,
        () => false,
      );
      if (is_done) return;
    }
  };
  await release().catch((failure: unknown) => {
    onDelay(failure);
    void again();
  });
}
