import { type Queryable, statement } from '@credit/platform/db';

/** Where a contested event is. */
export interface EventPlace {
  readonly credit_event_id: string;
  readonly subject_id: string;
  readonly account_id: string;
  readonly institution_id: string;
}

const EVENT_PLACES = statement<EventPlace>(
  'contested_event_places',
  `SELECT events.id AS credit_event_id, events.subject_id, events.account_id,
     directory.institution_id
   FROM credit_events AS events
   JOIN account_directory AS directory USING (account_id)
   WHERE events.id = ANY ($1::uuid[])`,
);

/** The events among these ids, whoever reported them. */
export function placesOfEvents(on: Queryable, event_ids: readonly string[]): Promise<EventPlace[]> {
  return event_ids.length === 0 ? Promise.resolve([]) : on.query(EVENT_PLACES, [event_ids]);
}

const SUBJECT_REPORTERS = statement<{ subject_id: string; institution_ids: string[] }>(
  'contested_subject_reporters',
  `SELECT subjects.id AS subject_id,
     ARRAY(SELECT DISTINCT institution_id FROM accounts WHERE subject_id = subjects.id
           ORDER BY institution_id) AS institution_ids
   FROM subjects WHERE subjects.id = ANY ($1::uuid[])`,
);

/** Who reports accounts of these subjects; unknown subjects are left out. */
export function reportersOfSubjects(
  on: Queryable,
  subject_ids: readonly string[],
): Promise<{ subject_id: string; institution_ids: string[] }[]> {
  return subject_ids.length === 0
    ? Promise.resolve([])
    : on.query(SUBJECT_REPORTERS, [subject_ids]);
}

const ACCOUNT_PLACE = statement<{ subject_id: string; institution_id: string }>(
  'contested_account_place',
  `SELECT subject_id, institution_id FROM account_directory WHERE account_id = $1`,
);

/** Whose an account is, whoever asks. */
export function placeOfAccount(
  on: Queryable,
  account_id: string,
): Promise<{ subject_id: string; institution_id: string } | undefined> {
  return on.maybe(ACCOUNT_PLACE, [account_id]);
}
