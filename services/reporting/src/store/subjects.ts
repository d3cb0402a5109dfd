import { type Queryable, statement } from '@credit/platform/db';
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

/** A subject as its row says it. */
export interface SubjectRow {
  id: string;
  type: SubjectType;
  game_uuid: string | null;
  current_username: string | null;
  forum_id: string | null;
  legal_name: string | null;
  registration_number: string | null;
  trading_name: string | null;
  organisation_kind: OrganisationKind | null;
  founded_at: string | null;
  created_at: string;
  updated_at: string;
}

export const SUBJECT_COLUMNS = `subjects.id, subjects.type, subjects.game_uuid, subjects.current_username,
  subjects.forum_id, subjects.legal_name, subjects.registration_number, subjects.trading_name,
  subjects.organisation_kind, subjects.founded_at, subjects.created_at, subjects.updated_at`;

export function toSubject({ founded_at, ...row }: SubjectRow): Subject {
  return { ...row, founded_at_ms: toMs(founded_at) };
}

const BY_ID = statement<SubjectRow>(
  'subjects_by_id',
  `SELECT ${SUBJECT_COLUMNS} FROM subjects WHERE id = $1`,
);

export async function subjectById(on: Queryable, id: string): Promise<Subject | undefined> {
  const row = await on.maybe(BY_ID, [id]);
  return row && toSubject(row);
}

const BY_IDENTITY = statement<SubjectRow>(
  'subjects_by_identity',
  `SELECT ${SUBJECT_COLUMNS} FROM subject_identities AS identities
   JOIN subjects ON subjects.id = identities.subject_id
   WHERE identities.kind = $1 AND identities.key = $2 AND identities.ordinal = 0`,
);

/** The first subject that holds an identity. */
export async function subjectByIdentity(
  on: Queryable,
  identity: Identity,
): Promise<Subject | undefined> {
  const row = await on.maybe(BY_IDENTITY, [identity.kind, identity.key]);
  return row && toSubject(row);
}

const HOLDERS = statement<SubjectRow & { kind: IdentityKind; key: string; ordinal: number }>(
  'subject_identities_holders',
  `SELECT identities.kind, identities.key, identities.ordinal, ${SUBJECT_COLUMNS}
   FROM unnest($1::text[], $2::text[]) AS wanted (kind, key)
   JOIN subject_identities AS identities USING (kind, key)
   JOIN subjects ON subjects.id = identities.subject_id
   ORDER BY identities.kind, identities.key, identities.ordinal`,
);

/** Every subject that holds one of the identities. */
export async function holdersOf(
  on: Queryable,
  identities: readonly Identity[],
): Promise<(Holder & { ordinal: number })[]> {
  const rows = await on.query(HOLDERS, identityColumns(identities));
  return rows.map((row) => ({
    kind: row.kind,
    key: row.key,
    ordinal: row.ordinal,
    subject_id: row.id,
    registration_key: registrationKey(toSubject(row)),
  }));
}

function identityColumns(identities: readonly Identity[]): unknown[][] {
  return [identities.map((identity) => identity.kind), identities.map((identity) => identity.key)];
}

const CLAIM = statement<{ kind: IdentityKind; key: string }>(
  'subject_identities_claim',
  `INSERT INTO subject_identities (kind, key, ordinal, subject_id)
   SELECT kind, key, ordinal, $4
   FROM unnest($1::text[], $2::text[], $3::integer[]) AS new (kind, key, ordinal)
   ORDER BY kind, key
   ON CONFLICT (kind, key, ordinal) DO NOTHING
   RETURNING kind, key`,
);

/** Takes identities at their ordinals; waits for concurrent claimants. Returns what it got. */
export function claimIdentities(
  on: Queryable,
  subject_id: string,
  identities: readonly (Identity & { ordinal: number })[],
): Promise<Identity[]> {
  return on.query(CLAIM, [
    ...identityColumns(identities),
    identities.map((identity) => identity.ordinal),
    subject_id,
  ]);
}

/** A subject to be written. */
export interface SubjectToInsert {
  readonly id: string;
  readonly fields: SubjectFields;
  readonly created_by_institution_id: string;
  readonly distinct_note: string | null;
  readonly now_ms: number;
}

const INSERT = statement<SubjectRow>(
  'subjects_insert',
  `WITH head AS (INSERT INTO subject_heads (subject_id, version) VALUES ($1, 0))
   INSERT INTO subjects (id, type, game_uuid, current_username, forum_id, legal_name,
     registration_number, trading_name, organisation_kind, founded_at, created_by_institution_id,
     distinct_note, search_text, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
   RETURNING ${SUBJECT_COLUMNS}`,
);

export async function insertSubject(on: Queryable, subject: SubjectToInsert): Promise<Subject> {
  const { fields } = subject;
  const row = await on.one(INSERT, [
    subject.id,
    fields.type,
    fields.game_uuid,
    fields.current_username,
    fields.forum_id,
    fields.legal_name,
    fields.registration_number,
    fields.trading_name,
    fields.organisation_kind,
    toText(fields.founded_at_ms),
    subject.created_by_institution_id,
    subject.distinct_note,
    searchText(fields),
    toText(subject.now_ms),
  ]);
  return toSubject(row);
}

/** A search; `pattern` and `grams` say the same to a scan and to the index. */
export interface Search {
  /** For LIKE. */
  readonly pattern: string;
  readonly grams: readonly string[];
  /** The last id of the page before. */
  readonly before_id: string | null;
  readonly limit: number;
}

// A text that many names hold is soon met among the newest.
const SEARCH_NEWEST = statement<SubjectRow>(
  'subjects_search_newest',
  `SELECT ${SUBJECT_COLUMNS}
   FROM (
     SELECT * FROM subjects WHERE $2::uuid IS NULL OR id < $2 ORDER BY id DESC LIMIT $4
   ) AS subjects
   WHERE search_text LIKE $1
   ORDER BY id DESC LIMIT $3`,
);

// One that few names hold is found by its pieces. Materialised, else the planner may walk the
// primary key for the order and meet no match for long.
const SEARCH_ALL = statement<SubjectRow>(
  'subjects_search_all',
  `WITH found AS MATERIALIZED (
     SELECT id FROM subjects WHERE search_grams(search_text) @> $4::text[] AND search_text LIKE $1
   )
   SELECT ${SUBJECT_COLUMNS}
   FROM (
     SELECT id FROM found WHERE $2::uuid IS NULL OR id < $2 ORDER BY id DESC LIMIT $3
   ) AS page
   JOIN subjects USING (id)
   ORDER BY id DESC`,
);

const NEWEST_SCANNED = 5_000;

/** Subjects whose names hold the text, newest first. */
export async function searchSubjects(on: Queryable, search: Search): Promise<Subject[]> {
  const page = [search.pattern, search.before_id, search.limit];
  const newest = await on.query(SEARCH_NEWEST, [...page, NEWEST_SCANNED]);
  if (newest.length === search.limit) return newest.map(toSubject);
  return (await on.query(SEARCH_ALL, [...page, search.grams])).map(toSubject);
}
