import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { uuidFrom } from '@credit/platform/requests';
import { changesBy, type FieldChange } from '../domain/record-changes';
import { placesOfEvents } from '../store/contested-records';
import { historiesOf } from '../store/events';

/** Which correction, of what. */
export interface ExplainCorrection {
  readonly credit_event_id: string;
  readonly correction_event_id: string;
}

/** What a correction has changed of the fact behind an event; nothing when they are not on one record. */
export async function explainCorrection(
  db: Database,
  ctx: CallContext,
  wanted: ExplainCorrection,
): Promise<FieldChange[]> {
  const credit_event_id = uuidFrom('credit_event_id', wanted.credit_event_id);
  const correction_event_id = uuidFrom('correction_event_id', wanted.correction_event_id);
  return db.snapshot(ctx, async (on) => {
    const [place] = await placesOfEvents(on, [credit_event_id]);
    if (place === undefined) return [];
    const records = (await historiesOf(on, [place])).get(place.account_id) ?? [];
    return changesBy(records, credit_event_id, correction_event_id);
  });
}
