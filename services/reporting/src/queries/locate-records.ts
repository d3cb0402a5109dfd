import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import type { EventType } from '../domain/vocabulary';
import { placesOfEvents, reportersOfSubjects } from '../store/contested-records';

const MAX_REFERENCES = 100;

/** What somebody contests: an event, or all that is reported about a subject. */
export type RecordReference =
  | { readonly kind: 'event'; readonly id: string }
  | { readonly kind: 'subject'; readonly id: string };

/** Where a record is and who reported it; nothing and nobody when it is unknown. */
export interface LocatedRecord {
  readonly subject_id?: string | undefined;
  readonly account_id?: string | undefined;
  readonly institution_ids: readonly string[];
  /** Of an event. */
  readonly event_type?: EventType | undefined;
}

const UNKNOWN: LocatedRecord = { institution_ids: [] };

/** Finds contested records, whoever reported them, in the order they are named. */
export async function locateRecords(
  db: Database,
  ctx: CallContext,
  references: readonly RecordReference[],
): Promise<LocatedRecord[]> {
  if (references.length > MAX_REFERENCES) {
    throw invalid('references', `must be at most ${MAX_REFERENCES}`);
  }
  const asked = references.map(({ kind, id }, index) => ({
    kind,
    id: uuidFrom(`references[${index}]`, id),
  }));
  const on = db.read(ctx);
  const idsOf = (kind: RecordReference['kind']) =>
    asked.filter((one) => one.kind === kind).map((one) => one.id);
  const [events, subjects] = await Promise.all([
    placesOfEvents(on, idsOf('event')),
    reportersOfSubjects(on, idsOf('subject')),
  ]);
  const located = new Map<string, LocatedRecord>();
  for (const { credit_event_id, institution_id, ...place } of events) {
    located.set(`event:${credit_event_id}`, { ...place, institution_ids: [institution_id] });
  }
  for (const { named_subject_id, subject_id, institution_ids } of subjects) {
    located.set(`subject:${named_subject_id}`, { subject_id, institution_ids });
  }
  return asked.map(({ kind, id }) => located.get(`${kind}:${id}`) ?? UNKNOWN);
}
