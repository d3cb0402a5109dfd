import { setTimeout as sleep } from 'node:timers/promises';
import type { Run } from './interleave';
import type { World } from './world';

const FIRST_GUESS_PER_S = 5_000;
const MOST_ROWS = 1_000_000;
const LOOK_EVERY_MS = 50;
/** A file that takes far longer than was reckoned. */
const TIMES_TOO_LONG = 20;

/**
 * A file of payments, as long as the one before says, until all are on file. `accountOf` gives the account
 * of each, so that it can be compared with other ways of the same rows.
 */
export function importEvents(
  { member: { key } }: World,
  accountOf: (number: number) => string,
): Run {
  let rate_per_s = FIRST_GUESS_PER_S;
  let number = 0;
  return async (slice_s) => {
    const count = Math.min(MOST_ROWS, Math.max(1, Math.round(rate_per_s * slice_s)));
    const occurred_at = new Date().toISOString();
    const rows = Array.from({ length: count }, (_unused, index) => {
      number += 1;
      return `${accountOf(index)},PAYMENT_MADE,${occurred_at},10,${1000 + (number % 1000)},file-${number}`;
    });
    const text = [
      'credit_account_id,event_type,occurred_at,amount,balance_after,source_reference',
      ...rows,
      '',
    ];
    const started_at_ms = performance.now();
    const { id } = await key.expect(202, 'POST', '/imports?kind=EVENTS', {
      file: { type: 'text/csv', text: text.join('\n') },
    });
    const deadline_ms = started_at_ms + slice_s * TIMES_TOO_LONG * 1_000;
    for (;;) {
      const { state, reported, failure } = await key.get(`/imports/${id}`);
      if (state === 'FINISHED' && reported === count) break;
      if (state === 'FINISHED' || state === 'FAILED' || performance.now() > deadline_ms) {
        throw new Error(
          `An import of ${count} rows is ${state} (${failure}), ${reported} on file.`,
        );
      }
      await sleep(LOOK_EVERY_MS);
    }
    const elapsed_s = (performance.now() - started_at_ms) / 1_000;
    rate_per_s = count / elapsed_s;
    return { count, elapsed_s };
  };
}
