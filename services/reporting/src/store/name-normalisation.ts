import { type Queryable, statement } from '@credit/platform/db';
import type { Identity, IdentityKind, Subject } from '../domain/subject';
import { FIRST_ID } from './subject-records';
import { SUBJECT_COLUMNS, type SubjectRow, toSubject } from './subjects';
import { toMs, toText } from './time';

/** How far subjects are compared by a version of the rule. */
export interface NormalisationProgress {
  readonly after_subject_id: string;
  readonly started_at_ms: number;
  readonly finished: boolean;
}

// The row's lock lets one process at a time go on.
const TAKE = statement<{
  after_subject_id: string;
  started_at: string;
  finished_at: string | undefined;
}>(
  'name_normalisation_take',
  `INSERT INTO name_normalisation AS known (version, after_subject_id, started_at)
   VALUES ($1, $3, $2)
   ON CONFLICT (version) DO UPDATE SET version = known.version
   RETURNING after_subject_id, started_at, finished_at`,
);

export async function takeProgress(
  on: Queryable,
  version: number,
  now_ms: number,
): Promise<NormalisationProgress> {
  const row = await on.one(TAKE, [version, toText(now_ms), FIRST_ID]);
  return {
    after_subject_id: row.after_subject_id,
    started_at_ms: toMs(row.started_at),
    finished: row.finished_at !== undefined,
  };
}

const KEEP = statement(
  'name_normalisation_keep',
  `UPDATE name_normalisation SET after_subject_id = $2, finished_at = $3 WHERE version = $1`,
);

export async function keepProgress(
  on: Queryable,
  version: number,
  after_subject_id: string,
  finished_at_ms: number | undefined,
): Promise<void> {
  await on.execute(KEEP, [version, after_subject_id, toText(finished_at_ms)]);
}

/** A subject with the text that searches find it by. */
export interface SearchedSubject {
  readonly subject: Subject;
  readonly search_text: string;
}

const PAGE = statement<SubjectRow & { search_text: string }>(
  'subjects_page',
  `SELECT ${SUBJECT_COLUMNS}, subjects.search_text FROM subjects
   WHERE id > $1 AND cleared_at IS NULL ORDER BY id LIMIT $2`,
);

/** Subjects in the order they were created; those that were cleared have given up their names. */
export async function pageOfSubjects(
  on: Queryable,
  after_subject_id: string,
  limit: number,
): Promise<SearchedSubject[]> {
  const rows = await on.query(PAGE, [after_subject_id, limit]);
  return rows.map(({ search_text, ...row }) => ({ subject: toSubject(row), search_text }));
}

const WRITE_TEXT = statement(
  'subjects_write_search_text',
  'UPDATE subjects SET search_text = $2 WHERE id = $1',
);

export async function writeSearchText(
  on: Queryable,
  subject_id: string,
  search_text: string,
): Promise<void> {
  await on.execute(WRITE_TEXT, [subject_id, search_text]);
}

const DROP = statement(
  'subject_identities_drop',
  `DELETE FROM subject_identities AS identities
   USING unnest($2::text[], $3::text[]) AS former (kind, key)
   WHERE identities.kind = former.kind AND identities.key = former.key
     AND identities.subject_id = $1`,
);

/** Takes away what no text is compared with any more. */
export async function dropIdentities(
  on: Queryable,
  subject_id: string,
  identities: readonly Identity[],
): Promise<void> {
  await on.execute(DROP, [
    subject_id,
    identities.map((identity) => identity.kind),
    identities.map((identity) => identity.key),
  ]);
}

/** Two records that are told apart by nothing but what is not compared. */
export interface Collision {
  readonly kind: IdentityKind | 'external_account_id' | 'source_reference';
  readonly record_id: string;
  readonly value: string;
  readonly existing_id?: string | undefined;
}

const KEEP_COLLISION = statement(
  'identifier_collisions_keep',
  `INSERT INTO identifier_collisions (kind, record_id, value, existing_id)
   VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
);

export async function keepCollision(on: Queryable, collision: Collision): Promise<void> {
  const { kind, record_id, value, existing_id } = collision;
  await on.execute(KEEP_COLLISION, [kind, record_id, value, existing_id]);
}

const COLLISIONS = statement<Collision>(
  'identifier_collisions_page',
  `SELECT kind, record_id, value, existing_id FROM identifier_collisions
   WHERE (kind, record_id) > ($1, $2) ORDER BY kind, record_id LIMIT $3`,
);

/** Collisions in the order of their kinds and records, after one of them. */
export function pageOfCollisions(
  on: Queryable,
  after: Pick<Collision, 'kind' | 'record_id'> | undefined,
  limit: number,
): Promise<Collision[]> {
  return on.query(COLLISIONS, [after?.kind ?? '', after?.record_id ?? FIRST_ID, limit]);
}
