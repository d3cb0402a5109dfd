import type { Transaction } from '@credit/platform/db';
import { type EventRow, insertEvents } from '../store/deliveries';
import { appendToFeed } from '../store/feed';

/** An event with its texts and who may hear of it. */
export interface RecordedEvent extends EventRow {
  readonly receiver_institution_ids: readonly string[];
}

/**
 * Keeps events and appends each to its receivers' feeds, subscribed or not. Call it
 * last in a transaction: from here to the commit, other plans for the same
 * institutions wait. Doing it again has no second effect.
 */
export async function recordEvents(
  tx: Transaction,
  events: readonly RecordedEvent[],
): Promise<void> {
  const told = events.filter((event) => event.receiver_institution_ids.length > 0);
  if (told.length === 0) return;
  await insertEvents(tx, told);
  await appendToFeed(
    tx,
    told.flatMap((event) =>
      event.receiver_institution_ids.map((institution_id) => ({
        institution_id,
        event_id: event.id,
        event_type: event.type,
        event_created_at: event.created_at,
      })),
    ),
  );
}
