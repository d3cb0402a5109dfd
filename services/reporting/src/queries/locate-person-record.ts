import type { CallContext } from '@credit/platform/context';
import type { Database, Queryable } from '@credit/platform/db';
import { type AppError, invalid, notFound } from '@credit/platform/errors';
import { personOf, uuidFrom } from '@credit/platform/requests';
import { outcomeOf } from '../domain/correction';
import { openingOfAccount, placesOfEvents } from '../store/contested-records';
import { historiesOf } from '../store/events';
import { lookerOf } from '../store/inquiries';

/** What a person contests. */
export interface PersonRecord {
  readonly kind: 'credit_event_id' | 'account_id' | 'inquiry_id';
  readonly id: string;
}

/** Where it is on the person's file. */
export interface PersonRecordPlace {
  readonly subject_id: string;
  /** Who reports it, or who looked. */
  readonly institution_id: string;
  readonly account_id?: string | undefined;
  /** Of an account, its opening. */
  readonly credit_event_id?: string | undefined;
  /** The event behind that and all its corrections. */
  readonly fact_event_id?: string | undefined;
}

/** Where what the caller contests is on its own file; what is on another's is unknown. */
export async function locatePersonRecord(
  db: Database,
  ctx: CallContext,
  record: PersonRecord | undefined,
): Promise<PersonRecordPlace> {
  const subject_id = personOf(ctx);
  if (record === undefined) throw invalid('record', 'is required');
  const id = uuidFrom(record.kind, record.id);
  return db.snapshot(ctx, async (on) => {
    if (record.kind === 'inquiry_id') {
      const institution_id = await lookerOf(on, subject_id, id);
      if (institution_id === undefined) throw notOnFile();
      return { subject_id, institution_id };
    }
    return ofAccount(on, subject_id, await eventNamed(on, subject_id, { ...record, id }));
  });
}

async function eventNamed(
  on: Queryable,
  subject_id: string,
  { kind, id }: PersonRecord,
): Promise<string> {
  if (kind === 'credit_event_id') return id;
  const opening_event_id = await openingOfAccount(on, subject_id, id);
  if (opening_event_id === undefined) throw notOnFile();
  return opening_event_id;
}

async function ofAccount(
  on: Queryable,
  subject_id: string,
  event_id: string,
): Promise<PersonRecordPlace> {
  const [place] = await placesOfEvents(on, [event_id]);
  if (place?.subject_id !== subject_id) throw notOnFile();
  const records = (await historiesOf(on, [place])).get(place.account_id) ?? [];
  return { ...place, fact_event_id: outcomeOf(records).slots.get(event_id)?.root.id };
}

function notOnFile(): AppError {
  return notFound('There is no such record on your file.');
}
