import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';
import {
  type Holder,
  type Identity,
  type IdentityKind,
  registrationKey,
  type Subject,
  type SubjectFields,
  searchText,
} from '../domain/subject';
import type { OrganisationKind, SubjectType } from '../domain/vocabulary';
import { toMs, toText } from './time';

const FIELDS = columns({
  id: column('uuid'),
  type: column<'text', SubjectType>('text'),
  game_uuid: nullable(column('uuid')),
  current_username: nullable(column('text')),
  forum_id: nullable(column('text')),
  legal_name: nullable(column('text')),
  registration_number: nullable(column('text')),
  trading_name: nullable(column('text')),
  organisation_kind: nullable(column<'text', OrganisationKind>('text')),
  founded_at: nullable(column('timestamptz')),
  created_at: column('timestamptz'),
  updated_at: column('timestamptz'),
});
export type SubjectRow = RowOf<typeof FIELDS>;
export const SUBJECT_COLUMNS = FIELDS.names('subjects');

const NEW_SUBJECT = FIELDS.with(
  columns({
    created_by_institution_id: column('uuid'),
    distinct_note: nullable(column('text')),
    search_text: column('text'),
  }),
);

export function toSubject({ founded_at, ...row }: SubjectRow): Subject {
  return { ...row, founded_at_ms: toMs(founded_at) };
}

// The subject that a row of `subjects` is by now: of one that was merged, the one that holds its records.
const SURVIVOR = `coalesce((
     SELECT surviving_subject(heads.subject_id) FROM subject_heads AS heads
     WHERE heads.subject_id = subjects.id AND heads.merged_into IS NOT NULL), subjects.id)`;

const BY_ID = statement<SubjectRow & { survivor_id: string }>(
  'subjects_by_id',
  `SELECT ${SUBJECT_COLUMNS}, ${SURVIVOR} AS survivor_id FROM subjects WHERE id = $1`,
);

/** A subject and what it was merged into, for `standingSubject`. */
export async function subjectById(
  on: Queryable,
  id: string,
): Promise<{ subject: Subject; merged_into: string | undefined } | undefined> {
  const row = await on.maybe(BY_ID, [id]);
  if (row === undefined) return undefined;
  const { survivor_id, ...subject } = row;
  const merged_into = survivor_id === subject.id ? undefined : survivor_id;
  return { subject: toSubject(subject), merged_into };
}

const SURVIVOR_OF = statement<{ survivor_id: string }>(
  'subjects_survivor_of',
  'SELECT surviving_subject($1) AS survivor_id',
);

/** The subject that has a subject's records now: itself unless it was merged, and when nobody has the id. */
export async function survivorOf(on: Queryable, id: string): Promise<string> {
  return (await on.one(SURVIVOR_OF, [id])).survivor_id;
}

const EXISTING = statement<{ id: string }>(
  'subjects_existing',
  `SELECT id FROM subjects WHERE id = ANY ($1::uuid[])`,
);

/** Those of the ids that subjects have. */
export async function existingSubjects(
  on: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await on.query(EXISTING, [ids])).map(({ id }) => id));
}

const BY_IDENTITY = statement<SubjectRow>(
  'subjects_by_identity',
  `SELECT ${SUBJECT_COLUMNS} FROM subject_identities AS identities
   JOIN subjects AS holders ON holders.id = identities.subject_id
   JOIN subjects ON subjects.id = surviving_subject(holders.id)
   WHERE identities.kind = $1 AND identities.key = $2 AND identities.ordinal = 0`,
);

/** The first subject that holds an identity, itself or by one that was merged into it. */
export async function subjectByIdentity(
  on: Queryable,
  identity: Identity,
): Promise<Subject | undefined> {
  const row = await on.maybe(BY_IDENTITY, [identity.kind, identity.key]);
  return row && toSubject(row);
}

/** Who holds an identity or held it, and at which of its places. */
export interface PlacedHolder extends Holder {
  readonly ordinal: number;
  /** Whose the identity is: `subject_id` is the one that this was merged into, when it was. */
  readonly held_by: string;
  /** Given up so long ago that it is anybody's. */
  readonly free: boolean;
}

const HOLDERS = statement<
  SubjectRow & {
    kind: IdentityKind;
    key: string;
    ordinal: number;
    reserved_until: string | undefined;
    survivor_id: string;
  }
>(
  'subject_identities_holders',
  `SELECT identities.kind, identities.key, identities.ordinal, identities.reserved_until,
     ${SURVIVOR} AS survivor_id, ${SUBJECT_COLUMNS}
   FROM unnest($1::text[], $2::text[]) AS wanted (kind, key)
   JOIN subject_identities AS identities USING (kind, key)
   JOIN subjects ON subjects.id = identities.subject_id
   ORDER BY identities.kind, identities.key, identities.ordinal`,
);

/** Every subject that holds one of the identities, or did. */
export async function holdersOf(
  on: Queryable,
  identities: readonly Identity[],
  now_ms: number,
): Promise<PlacedHolder[]> {
  if (identities.length === 0) return [];
  const rows = await on.query(HOLDERS, [
    identities.map((identity) => identity.kind),
    identities.map((identity) => identity.key),
  ]);
  return rows.map((row) => ({
    kind: row.kind,
    key: row.key,
    ordinal: row.ordinal,
    subject_id: row.survivor_id,
    held_by: row.id,
    registration_key: registrationKey(toSubject(row)),
    reserved: row.reserved_until !== undefined,
    free: (toMs(row.reserved_until) ?? Infinity) <= now_ms,
  }));
}

const PLACE = columns({
  kind: column<'text', IdentityKind>('text'),
  key: column('text'),
  ordinal: column('integer'),
  subject_id: column('uuid'),
});
/** An identity at one of its places, and who takes it. */
export type Place = RowOf<typeof PLACE>;

// In one order whoever asks, so that two that want the same in part cannot wait for each other.
const CLAIM = batchStatement(
  'subject_identities_claim',
  { places: PLACE },
  (sql) => `INSERT INTO subject_identities (${PLACE.names()})
   SELECT ${PLACE.names()} FROM unnest(${sql.places}) AS new (${PLACE.names()})
   ORDER BY kind, key, ordinal
   ON CONFLICT (kind, key, ordinal) DO NOTHING`,
);

/** Takes places; waits for concurrent claimants. Returns how many it got. */
export async function claimPlaces(on: Queryable, places: readonly Place[]): Promise<number> {
  return places.length === 0 ? 0 : on.execute(CLAIM, CLAIM.values({ places }));
}

/** A subject to be written. */
export interface SubjectToInsert {
  readonly id: string;
  readonly fields: SubjectFields;
  readonly created_by_institution_id: string;
  readonly distinct_note?: string | undefined;
  readonly now_ms: number;
}

const INSERT = batchStatement(
  'subjects_insert',
  { subjects: NEW_SUBJECT },
  (sql) => `WITH new AS (SELECT * FROM unnest(${sql.subjects}) AS new (${NEW_SUBJECT.names()})),
   head AS (INSERT INTO subject_heads (subject_id, version) SELECT id, 0 FROM new)
   INSERT INTO subjects (${NEW_SUBJECT.names()}) SELECT ${NEW_SUBJECT.names()} FROM new
   RETURNING ${SUBJECT_COLUMNS}`,
).answering<SubjectRow>();

/** Answers them in no order. */
export async function insertSubjects(
  on: Queryable,
  subjects: readonly SubjectToInsert[],
): Promise<Subject[]> {
  if (subjects.length === 0) return [];
  const rows = subjects.map(({ id, fields, created_by_institution_id, distinct_note, now_ms }) => ({
    ...fields,
    id,
    created_by_institution_id,
    distinct_note,
    founded_at: toText(fields.founded_at_ms),
    search_text: searchText(fields),
    created_at: toText(now_ms),
    updated_at: toText(now_ms),
  }));
  return (await on.query(INSERT, INSERT.values({ subjects: rows }))).map(toSubject);
}

/** How far the list of each piece reaches that ends with the given number of its next subjects. */
const REACH = statement<{ gram: string; last_id: string | undefined }>(
  'subject_grams_reach',
  `SELECT wanted.gram, reached.subject_id AS last_id
   FROM unnest($1::text[]) AS wanted (gram)
   LEFT JOIN LATERAL (
     SELECT subject_id FROM subject_grams
     WHERE gram = wanted.gram AND subject_id < $2
     ORDER BY subject_id DESC OFFSET $3::integer - 1 LIMIT 1
   ) AS reached ON true
   ORDER BY reached.subject_id NULLS FIRST LIMIT 1`,
);

// LIMIT within keeps it a walk along the list that stops once there are enough.
const WALK = statement<SubjectRow & { listed_id: string }>(
  'subject_grams_walk',
  `SELECT listed.subject_id AS listed_id, ${SUBJECT_COLUMNS}
   FROM subject_grams AS listed
   CROSS JOIN LATERAL (
     SELECT ${SURVIVOR} AS id FROM subjects
     WHERE id = listed.subject_id AND search_text LIKE $4 LIMIT 1
   ) AS found
   JOIN subjects ON subjects.id = found.id
   WHERE listed.gram = $1 AND listed.subject_id < $2 AND listed.subject_id >= $3
   ORDER BY listed.subject_id DESC LIMIT $5`,
);

/** A search; `pattern` says exactly what is wanted, `grams` are pieces of it. */
export interface Search {
  /** For LIKE. */
  readonly pattern: string;
  readonly grams: readonly string[];
  /** Only subjects of smaller ids. */
  readonly before_id?: string | undefined;
  readonly limit: number;
}

/** A subject under whose names a text was found: itself, or the one that it was merged into. */
export interface Listed {
  readonly listed_id: string;
  readonly subject: Subject;
}

/** What a search found, newest first. */
export interface Found {
  readonly subjects: readonly Listed[];
  /** Where it stopped before it had enough; undefined once it has looked at everything. */
  readonly looked_until_id?: string | undefined;
}

/** Above every id, and below. */
const NEWEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const OLDEST_ID = '00000000-0000-0000-0000-000000000000';

/** Subjects looked at in a stretch, and stretches in a search: what any text may cost. */
const STRETCH = 250;
const MOST_STRETCHES = 3;

/**
 * Subjects whose names hold the text. Each stretch follows the piece that is rarest there: none of
 * the others' lists can hold more of what is wanted, and it reaches furthest.
 */
export async function searchSubjects(on: Queryable, search: Search): Promise<Found> {
  const { pattern, grams, limit } = search;
  const subjects: Listed[] = [];
  let before_id = search.before_id ?? NEWEST_ID;
  for (let stretch = 0; stretch < MOST_STRETCHES; stretch += 1) {
    const { gram, last_id } = await on.one(REACH, [grams, before_id, STRETCH]);
    const wanted = limit - subjects.length;
    const rows = await on.query(WALK, [gram, before_id, last_id ?? OLDEST_ID, pattern, wanted]);
    subjects.push(...rows.map(({ listed_id, ...row }) => ({ listed_id, subject: toSubject(row) })));
    if (last_id === undefined || rows.length === wanted)
      return { subjects, looked_until_id: undefined };
    before_id = last_id;
  }
  return { subjects, looked_until_id: before_id };
}
