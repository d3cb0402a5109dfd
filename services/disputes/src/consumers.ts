import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import { keepCertified } from './commands/keep-reinsertion';
import { keepLink } from './store/links';
import { moveLocated } from './store/places';

/** What the service listens to. */
export function disputesConsumers(): ConsumerDefinition[] {
  return [
    consumer({
      name: 'disputes',
      type: 'fact_reinserted',
      async handle(ctx, _event, payload, tx) {
        const { certification, credit_event_id, dispute_id, institution_id, reported_at } = payload;
        if (reported_at === undefined) throw new Error('A reinsertion has no time.');
        await keepCertified(tx, ctx, {
          dispute_id,
          institution_id,
          credit_event_id,
          certification,
          reported_at,
        });
      },
    }),
    consumer({
      name: 'disputes',
      type: 'dispute_link_mailed',
      // Of live data alone: nobody follows another by a link.
      concerns: (environment) => environment === 'live',
      handle: (_ctx, _event, { dispute_id, token_sha256 }, tx) =>
        keepLink(tx, dispute_id, Buffer.from(token_sha256)),
    }),
    consumer({
      name: 'disputes',
      type: 'subject_records_moved',
      handle: (_ctx, _event, payload, tx) => moveLocated(tx, payload),
    }),
  ];
}
