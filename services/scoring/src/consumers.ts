import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import type { Makings } from './commands/evaluate';
import { takeInChanges } from './commands/take-in-changes';
import type { Change } from './domain/subject-file';
import { accountChange, inquiryChange } from './facts-from-proto';
import type { CatchUp } from './workers/catch-up';

export interface ConsumersDeps extends Makings {
  readonly catchUp: CatchUp;
}

/** What the service listens to. */
export function scoringConsumers(deps: ConsumersDeps): ConsumerDefinition[] {
  return [
    consumer({
      name: 'scoring',
      type: 'account_changed',
      handleBatch: (ctx, entries, tx) =>
        takeIn(
          ctx,
          entries.map(({ payload }) => accountChange(payload)),
          tx,
          deps,
        ),
    }),
    consumer({
      name: 'scoring',
      type: 'inquiry_recorded',
      handleBatch: (ctx, entries, tx) =>
        takeIn(
          ctx,
          entries.map(({ payload }) => inquiryChange(payload)),
          tx,
          deps,
        ),
    }),
  ];
}

async function takeIn(
  ctx: CallContext,
  changes: readonly Change[],
  tx: Transaction,
  deps: ConsumersDeps,
): Promise<void> {
  const gaps = await takeInChanges(tx, changes, deps);
  tx.afterCommit(() => {
    for (const [subject_id, version] of gaps) {
      deps.catchUp.expect(ctx.environment, subject_id, version);
    }
  });
}
