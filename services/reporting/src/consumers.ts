import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import type { Transaction } from '@credit/platform/db';
import { DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import { insertCorrectedDispute } from './store/corrected-disputes';
import { lockHeads } from './store/heads';
import { type KnownDispute, keepOpened, keepResolved } from './store/known-disputes';
import { keepSubjectRequest } from './store/subject-requests';

/** What the service listens to. */
export function reportingConsumers(): ConsumerDefinition[] {
  return [
    consumer({
      name: 'reporting',
      type: 'dispute_resolved',
      async handle(_ctx, _event, payload, tx) {
        const { dispute_id, group_id, institution_ids, resolved_at, status } = payload;
        if (resolved_at === undefined) throw new Error('An outcome has no time.');
        await lockPlace(tx, payload);
        await keepResolved(tx, payload, resolved_at);
        if (status !== DisputeStatus.RESOLVED_CORRECTED) return;
        // Of several that report about a subject, nobody knows who was wrong.
        const [institution_id, ...others] = institution_ids;
        if (institution_id === undefined || others.length > 0) return;
        // However many disputed it and were told so, one record was wrong.
        await insertCorrectedDispute(tx, {
          dispute_id: group_id ?? dispute_id,
          institution_id,
          resolved_at,
        });
      },
    }),
    consumer({
      name: 'reporting',
      type: 'dispute_opened',
      async handle(_ctx, _event, payload, tx) {
        await lockPlace(tx, payload);
        await keepOpened(tx, payload);
      },
    }),
    consumer({
      name: 'reporting',
      type: 'subject_asked',
      handle: (_ctx, _event, { subject_id, institution_id, asked_at }, tx) => {
        if (asked_at === undefined) throw new Error('A request of a subject has no time.');
        return keepSubjectRequest(tx, { subject_id, institution_id, asked_at });
      },
    }),
  ];
}

/** The records of a subject that is being moved take its disputes along: who comes late waits. */
async function lockPlace(tx: Transaction, { subject_id }: KnownDispute): Promise<void> {
  if (subject_id !== undefined) await lockHeads(tx, [subject_id]);
}
