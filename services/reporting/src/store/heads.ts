import { column, columns, type Queryable, type RowOf, statement } from '@credit/platform/db';
import { type FileRights, NO_RIGHTS } from '../domain/file-entries';
import { standingSubject } from '../domain/standing-subject';
import type { Subject } from '../domain/subject';
import type { OwnAccount } from './accounts';
import { OPEN_DISPUTES_OF_SUBJECT } from './known-disputes';
import { SUBJECT_COLUMNS, type SubjectRow, toSubject } from './subjects';

// Whatever writes about a subject takes this lock first, in order of the subjects' ids; what it
// then reads in another statement is what the lock's last holder left.
const LOCK_OF_ACCOUNTS = statement<{ subject_id: string; version: number }>(
  'subject_heads_lock_of_accounts',
  `SELECT heads.subject_id, heads.version
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (account_id, institution_id)
   JOIN account_directory AS directory USING (account_id, institution_id)
   JOIN subject_heads AS heads USING (subject_id)
   ORDER BY heads.subject_id
   FOR UPDATE OF heads`,
);

/**
 * Locks the subjects of those of the accounts that exist and are their institution's own. Returns
 * the subjects' versions.
 */
export async function lockHeadsOfAccounts(
  on: Queryable,
  wanted: readonly OwnAccount[],
): Promise<Map<string, number>> {
  const rows = await on.query(LOCK_OF_ACCOUNTS, [
    wanted.map((account) => account.account_id),
    wanted.map((account) => account.institution_id),
  ]);
  return new Map(rows.map((row) => [row.subject_id, row.version]));
}

// Of a row of `heads`: where its records are, with the whole way followed only by who was merged.
export const MERGED_INTO = `CASE WHEN heads.merged_into IS NOT NULL
     THEN surviving_subject(heads.subject_id) END AS merged_into`;

/** A locked subject. */
export interface Head {
  readonly version: number;
  /** Where its records are, when it was merged: see `standingSubject`. */
  readonly merged_into: string | undefined;
  readonly subject: Subject;
  /** Disputes about the subject or its records without an outcome. */
  readonly open_dispute_count: number;
  /** What the person has put on the file, as the lock's last holder left it. */
  readonly rights: FileRights;
}

interface HeadRow extends SubjectRow {
  version: number;
  open_dispute_count: number;
  rights: unknown;
  merged_into: string | undefined;
}

// Of the locked rows themselves, not of others, the statement sees what was committed while it waited.
const LOCK = statement<HeadRow>(
  'subject_heads_lock',
  `SELECT heads.version, heads.rights, ${MERGED_INTO}, ${OPEN_DISPUTES_OF_SUBJECT}, ${SUBJECT_COLUMNS}
   FROM subject_heads AS heads
   JOIN subjects ON subjects.id = heads.subject_id
   WHERE heads.subject_id = ANY ($1::uuid[])
   ORDER BY heads.subject_id
   FOR UPDATE OF heads`,
);

/** Locks subjects; unknown ones are left out. */
export async function lockHeads(
  on: Queryable,
  subject_ids: readonly string[],
): Promise<Map<string, Head>> {
  if (subject_ids.length === 0) return new Map();
  const rows = await on.query(LOCK, [subject_ids]);
  return new Map(
    rows.map(({ version, open_dispute_count, rights, merged_into, ...row }) => [
      row.id,
      {
        version,
        merged_into,
        open_dispute_count,
        rights: toRights(rights),
        subject: toSubject(row),
      },
    ]),
  );
}

const RIGHTS = statement<{ rights: unknown; merged_into: string | undefined }>(
  'subject_heads_rights',
  `SELECT heads.rights, ${MERGED_INTO} FROM subject_heads AS heads WHERE heads.subject_id = $1`,
);

/** How a file stands by its person's own word; refused as `standingSubject` says. */
export async function rightsOf(on: Queryable, subject_id: string): Promise<FileRights> {
  return toRights(standingSubject(await on.maybe(RIGHTS, [subject_id])).rights);
}

const PAGE_OF_RIGHTS = statement<{ subject_id: string; rights: unknown }>(
  'subject_heads_page_of_rights',
  // By the entries: nearly no head has any.
  `SELECT subject_id, heads.rights
   FROM (
     SELECT DISTINCT subject_id FROM file_entries WHERE subject_id > $1
     ORDER BY subject_id LIMIT $2
   ) AS touched
   JOIN subject_heads AS heads USING (subject_id)
   ORDER BY subject_id`,
);

/** Files on which something was put, by subject id, after one id. */
export async function pageOfRights(
  on: Queryable,
  after_subject_id: string,
  limit: number,
): Promise<Map<string, FileRights>> {
  const rows = await on.query(PAGE_OF_RIGHTS, [after_subject_id, limit]);
  return new Map(rows.map(({ subject_id, rights }) => [subject_id, toRights(rights)]));
}

/** The fold as a head keeps it. */
function toRights(stored: unknown): FileRights {
  // Sound: nothing else is written into its column.
  return stored === undefined ? NO_RIGHTS : (stored as FileRights);
}

export const HEAD = columns({ subject_id: column('uuid'), version: column('integer') });

/** {@link HEAD} of subjects' new versions. */
export function toHeadRows(heads: ReadonlyMap<string, number>): RowOf<typeof HEAD>[] {
  return [...heads].map(([subject_id, version]) => ({ subject_id, version }));
}

/** Writes new versions, given as a statement's rows of {@link HEAD}. */
export function bumpHeads(rows: string): string {
  return `
  UPDATE subject_heads AS heads SET version = new.version
  FROM unnest(${rows}) AS new (${HEAD.names()})
  WHERE heads.subject_id = new.subject_id`;
}
