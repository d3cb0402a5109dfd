import { type Queryable, statement } from '@credit/platform/db';
import {
  DISPUTE_COLUMNS,
  type ListedDispute,
  LOCATED_DISPUTE_COLUMNS,
  type LocatedDispute,
} from './disputes';

/** SQL of the subjects whose file $1 is: itself and those that were merged into it, in however many steps. */
const SUBJECTS_OF_FILE = `ARRAY(
  WITH RECURSIVE own AS (
    SELECT $1::uuid AS subject_id
    UNION
    SELECT merges.from_subject_id
    FROM own JOIN subject_merges AS merges ON merges.to_subject_id = own.subject_id)
  SELECT subject_id FROM own)`;

const OF_PERSON = statement<ListedDispute>(
  'disputes_of_person',
  `SELECT ${DISPUTE_COLUMNS} FROM disputes
   WHERE person_subject_id = ANY (${SUBJECTS_OF_FILE}) AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
);

/** What a person has opened about its own file, newest first. */
export function disputesOfPerson(
  on: Queryable,
  subject_id: string,
  before_id: string | undefined,
  limit: number,
): Promise<ListedDispute[]> {
  return on.query(OF_PERSON, [subject_id, before_id, limit]);
}

const FIND = statement<LocatedDispute>(
  'dispute_of_person',
  `SELECT ${LOCATED_DISPUTE_COLUMNS} FROM disputes WHERE person_subject_id = ANY (${SUBJECTS_OF_FILE}) AND id = $2`,
);

/** One of them. */
export function findDisputeOfPerson(
  on: Queryable,
  subject_id: string,
  id: string,
): Promise<LocatedDispute | undefined> {
  return on.maybe(FIND, [subject_id, id]);
}

const COUNT = statement<{ disputes: number; blocked_before: boolean }>(
  'disputes_of_person_lately',
  `SELECT
     (SELECT count(*)::integer FROM disputes WHERE person_subject_id = ANY (${SUBJECTS_OF_FILE}) AND opened_at > $2)
       AS disputes,
     EXISTS (
       SELECT FROM disputes
       WHERE person_subject_id = ANY (${SUBJECTS_OF_FILE}) AND fact_event_id = $3
         AND reason = 'IDENTITY_THEFT' AND status IN ('RESOLVED_UPHELD', 'REJECTED')) AS blocked_before`,
);

/** How many a person has opened since then, and whether a block of the fact was decided against it. */
export function disputesLately(
  on: Queryable,
  subject_id: string,
  since: string,
  fact_event_id: string | undefined,
): Promise<{ disputes: number; blocked_before: boolean }> {
  return on.one(COUNT, [subject_id, since, fact_event_id]);
}

const LOCK = statement(
  'dispute_person_lock',
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
);

/** One intake of a person after another, so that their number is certain. */
export async function lockPerson(on: Queryable, subject_id: string): Promise<void> {
  await on.execute(LOCK, [`person:${subject_id}`]);
}
