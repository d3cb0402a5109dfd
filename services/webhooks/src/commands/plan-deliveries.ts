import type { Transaction } from '@credit/platform/db';
import { eventBodies, type ReportedEvent } from '../domain/event-body';
import { insertDeliveries } from '../store/deliveries';
import { findReceivers } from '../store/subscriptions';
import { recordEvents } from './record-events';

/** An event and who may hear of it. */
export interface PlanDeliveries {
  readonly event: ReportedEvent;
  readonly receiver_institution_ids: readonly string[];
  readonly reporting_institution_id: string;
  /** The trace of the request that caused it; empty when not traced. */
  readonly traceparent: string;
}

/**
 * Plans one delivery for each event and each enabled subscription of an entitled
 * institution, with each event's text made once, and puts the events into the feeds
 * of all entitled institutions. Doing it again has no second effect.
 */
export async function planDeliveries(
  tx: Transaction,
  { newId, wakeSender }: { newId: () => string; wakeSender: () => void },
  commands: readonly PlanDeliveries[],
): Promise<void> {
  const entitled = commands.flatMap(({ event, receiver_institution_ids }) =>
    [...new Set(receiver_institution_ids)].map((institution_id) => ({
      event_id: event.id,
      event_type: event.type,
      institution_id,
    })),
  );
  const planned = await findReceivers(tx, entitled);
  if (planned.length > 0) {
    await insertDeliveries(
      tx,
      planned.map((delivery) => ({ id: newId(), ...delivery })),
    );
    tx.afterCommit(wakeSender);
  }
  await recordEvents(
    tx,
    commands.map(({ event, receiver_institution_ids, reporting_institution_id, traceparent }) => ({
      id: event.id,
      type: event.type,
      created_at: event.created_at,
      reporting_institution_id,
      receiver_institution_ids,
      traceparent,
      ...eventBodies(event),
    })),
  );
}
