import type { Transaction } from '@credit/platform/db';
import { eventBodies, type ReportedEvent } from '../domain/event-body';
import { insertDeliveries, insertEvents } from '../store/deliveries';
import { findReceivers } from '../store/subscriptions';

/** An event and who may hear of it. */
export interface PlanDeliveries {
  readonly event: ReportedEvent;
  readonly receiver_institution_ids: readonly string[];
  readonly reporting_institution_id: string;
}

/**
 * Plans one delivery for each event and each enabled subscription of an entitled
 * institution, with each event's text made once. Doing it again has no second effect.
 */
export async function planDeliveries(
  tx: Transaction,
  commands: readonly PlanDeliveries[],
  newId: () => string,
  wakeSender: () => void,
): Promise<void> {
  const entitled = commands.flatMap(({ event, receiver_institution_ids }) =>
    [...new Set(receiver_institution_ids)].map((institution_id) => ({
      event_id: event.id,
      event_type: event.type,
      institution_id,
    })),
  );
  const planned = await findReceivers(tx, entitled);
  if (planned.length === 0) return;
  const wanted = new Set(planned.map((delivery) => delivery.event_id));
  await insertEvents(
    tx,
    commands
      .filter(({ event }) => wanted.has(event.id))
      .map(({ event, reporting_institution_id }) => ({
        id: event.id,
        type: event.type,
        created_at: event.created_at,
        reporting_institution_id,
        ...eventBodies(event),
      })),
  );
  await insertDeliveries(
    tx,
    planned.map((delivery) => ({ id: newId(), ...delivery })),
  );
  tx.afterCommit(wakeSender);
}
