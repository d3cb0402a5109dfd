import { type Queryable, statement } from '@credit/platform/db';
import type { EventType } from '../domain/vocabulary';

/** Where a contested event is. */
export interface EventPlace {
  readonly credit_event_id: string;
  readonly subject_id: string;
  readonly account_id: string;
  readonly institution_id: string;
  readonly event_type: EventType;
}

const EVENT_PLACES = statement<EventPlace>(
  'contested_event_places',
  `SELECT events.id AS credit_event_id, events.subject_id, events.account_id, events.event_type,
     directory.institution_id
   FROM credit_events AS events
   JOIN account_directory AS directory USING (account_id)
   WHERE events.id = ANY ($1::uuid[])`,
);

/** The events among these ids, whoever reported them. */
export function placesOfEvents(on: Queryable, event_ids: readonly string[]): Promise<EventPlace[]> {
  return event_ids.length === 0 ? Promise.resolve([]) : on.query(EVENT_PLACES, [event_ids]);
}

const PLAYABLE_EVENT = statement<{ subject_id: string; account_id: string }>(
  'contested_playable_event',
  `SELECT events.subject_id, events.account_id
   FROM credit_events AS events
   JOIN account_directory AS directory USING (account_id)
   WHERE events.id = $1 AND (
     directory.institution_id = $2
     OR directory.institution_id = ANY ($3::uuid[]) AND EXISTS (
       SELECT FROM subjects
       WHERE subjects.id = events.subject_id AND created_by_institution_id = $2))`,
);

/**
 * Where an event is that an institution reported, or that one of `fictional` did about a subject which
 * the institution made; undefined for any other.
 */
export function placeOfPlayable(
  on: Queryable,
  event_id: string,
  institution_id: string,
  fictional: readonly string[],
): Promise<{ subject_id: string; account_id: string } | undefined> {
  return on.maybe(PLAYABLE_EVENT, [event_id, institution_id, fictional]);
}

/** Who reports about a subject; of one that was merged, about the one that has its records. */
export interface SubjectReporters {
  readonly named_subject_id: string;
  readonly subject_id: string;
  readonly institution_ids: string[];
}

const SUBJECT_REPORTERS = statement<SubjectReporters>(
  'contested_subject_reporters',
  `SELECT subjects.id AS named_subject_id, survivors.id AS subject_id,
     ARRAY(SELECT DISTINCT institution_id FROM accounts
           WHERE subject_id = survivors.id AND NOT voided
           ORDER BY institution_id) AS institution_ids
   FROM subjects
   CROSS JOIN LATERAL (SELECT surviving_subject(subjects.id) AS id) AS survivors
   WHERE subjects.id = ANY ($1::uuid[])`,
);

/** Who reports accounts of these subjects; unknown subjects are left out. */
export function reportersOfSubjects(
  on: Queryable,
  subject_ids: readonly string[],
): Promise<SubjectReporters[]> {
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

/** An account that a dispute covers, and its opening. */
export interface ContestedAccount {
  readonly account_id: string;
  readonly institution_id: string;
  readonly opening_event_id: string;
}

const MAX_CONTESTED_ACCOUNTS = 1_000;

const CONTESTED_ACCOUNTS = statement<ContestedAccount>(
  'contested_accounts',
  `SELECT accounts.id AS account_id, accounts.institution_id, events.id AS opening_event_id
   FROM accounts
   JOIN credit_events AS events ON events.subject_id = accounts.subject_id
     AND events.account_id = accounts.id AND events.sequence = 1
   WHERE accounts.subject_id = surviving_subject($1) AND NOT accounts.voided
     AND (cardinality($2::uuid[]) = 0 OR accounts.institution_id = ANY ($2::uuid[]))
   ORDER BY accounts.id LIMIT $3`,
);

/** A subject's accounts with the named institutions, or with all when none is named. */
export function contestedAccounts(
  on: Queryable,
  subject_id: string,
  institution_ids: readonly string[],
): Promise<ContestedAccount[]> {
  return on.query(CONTESTED_ACCOUNTS, [subject_id, institution_ids, MAX_CONTESTED_ACCOUNTS]);
}

const OPENING = statement<{ id: string }>(
  'contested_opening',
  `SELECT id FROM credit_events WHERE subject_id = $1 AND account_id = $2 AND sequence = 1`,
);

/** The ACCOUNT_OPENED of an account of the subject. */
export async function openingOfAccount(
  on: Queryable,
  subject_id: string,
  account_id: string,
): Promise<string | undefined> {
  return (await on.maybe(OPENING, [subject_id, account_id]))?.id;
}
