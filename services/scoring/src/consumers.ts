import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { applyWholeSubject } from './commands/apply-whole-subject';
import type { Makings } from './commands/evaluate';
import { stepContext } from './commands/go-through-subjects';
import { takeInChanges } from './commands/take-in-changes';
import type { Change } from './domain/subject-file';
import { accountChange, inquiryChange } from './facts-from-proto';
import { loadSubjectHead } from './store/subject-files';
import type { CatchUp, ReadWhole } from './workers/catch-up';

export interface ConsumersDeps extends Makings {
  readonly catchUp: CatchUp;
  readonly readWhole: ReadWhole;
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
    consumer({
      name: 'scoring',
      type: 'subject_records_moved',
      async handle(ctx, _event, { from_subject_id, to_subject_id }, tx) {
        // In the order of ids, as whoever takes several subjects.
        for (const subject_id of [from_subject_id, to_subject_id].sort()) {
          const whole = await deps.readWhole(stepContext(ctx.environment), subject_id);
          await applyWholeSubject(tx, whole, deps);
          const head = await loadSubjectHead(tx, subject_id);
          // It comes again, and by then what came early is in the look.
          if ((head?.complete_version ?? 0) < whole.subject_version) {
            throw new Error(`The subject ${subject_id} changes while it is read.`);
          }
        }
      },
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
