import { parseArgs } from 'node:util';
import type { ConsumerLag, RelayLag } from '../bus';

const POLL_MS = 500;
const MINUTE_MS = 60_000;

/**
 * `drain [--minutes N] [--dry-run]` waits until all that the service committed is in the stream and its
 * consumers have taken in all that is there for them; with --dry-run it looks once. Returns how much is left.
 * It keeps nobody from writing: stop the callers first.
 */
export async function drainCommand(
  parts: {
    readonly unpublished: () => Promise<readonly RelayLag[]>;
    readonly behind: () => Promise<readonly ConsumerLag[]>;
    readonly now_ms: () => number;
    readonly sleep: (ms: number) => Promise<unknown>;
    readonly say: (line: string) => void;
  },
  args: string[],
): Promise<number> {
  const { unpublished, behind, now_ms, sleep, say } = parts;
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '5' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const until_ms = now_ms() + Number(values.minutes) * MINUTE_MS;
  if (Number.isNaN(until_ms)) throw new Error('--minutes is a number.');
  for (;;) {
    const waiting = (await unpublished()).map(({ environment, unpublished: count }) => ({
      of: `${environment}: to be published`,
      count,
    }));
    const lag = (await behind()).map(({ consumer, pending, unacknowledged }) => ({
      of: `${consumer}: to be taken in`,
      count: pending + unacknowledged,
    }));
    const all = [...waiting, ...lag];
    const left = all.reduce((sum, { count }) => sum + count, 0);
    if (left === 0 || values['dry-run'] || now_ms() >= until_ms) {
      for (const { of, count } of all) if (count > 0) say(`${of} ${count}`);
      say(`${left} left`);
      return left;
    }
    await sleep(POLL_MS);
  }
}
