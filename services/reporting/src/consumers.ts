import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import { DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import { insertCorrectedDispute } from './store/corrected-disputes';

/** What the service listens to. */
export function reportingConsumers(): ConsumerDefinition[] {
  return [
    consumer({
      name: 'reporting',
      type: 'dispute_resolved',
      async handle(_ctx, _event, payload, tx) {
        const { dispute_id, group_id, institution_ids, resolved_at, status } = payload;
        if (status !== DisputeStatus.RESOLVED_CORRECTED) return;
        // Of several that report about a subject, nobody knows who was wrong.
        const [institution_id, ...others] = institution_ids;
        if (institution_id === undefined || others.length > 0) return;
        if (resolved_at === undefined) throw new Error('An outcome has no time.');
        // However many disputed it and were told so, one record was wrong.
        await insertCorrectedDispute(tx, {
          dispute_id: group_id ?? dispute_id,
          institution_id,
          resolved_at,
        });
      },
    }),
  ];
}
