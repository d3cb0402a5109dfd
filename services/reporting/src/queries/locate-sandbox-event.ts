import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { institutionOf, requireTest, uuidFrom } from '@credit/platform/requests';
import { FURNISHERS } from '../domain/personas';
import { placeOfPlayable } from '../store/contested-records';

/** Where an event is that the caller may contest in test; of any other it is as if there were none. */
export async function locateSandboxEvent(
  db: Database,
  ctx: CallContext,
  { credit_event_id }: { readonly credit_event_id: string },
): Promise<{ subject_id: string; account_id: string }> {
  requireTest(ctx);
  const event_id = uuidFrom('credit_event_id', credit_event_id);
  const fictional = Object.values(FURNISHERS);
  const place = await placeOfPlayable(db.read(ctx), event_id, institutionOf(ctx), fictional);
  if (place === undefined) {
    throw notFound('You have reported no such event in test, and no persona of yours has it.');
  }
  return place;
}
