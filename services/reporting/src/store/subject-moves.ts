// Records that go from one subject to another. Whoever calls holds the locks of both heads.

import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
  type Transaction,
} from '@credit/platform/db';
import type { MovedKind, MoveKind, SubjectMove } from '../domain/subject-move';
import { toMs, toText } from './time';

/** What is to go. */
export interface RecordIds {
  readonly account_ids: readonly string[];
  readonly inquiry_ids: readonly string[];
  readonly refused_ids: readonly string[];
  readonly dispute_ids: readonly string[];
}

/** A record on a file. */
export interface FiledRecord {
  readonly kind: MovedKind;
  readonly record_id: string;
  /** Whose it is; of a dispute nobody's alone. */
  readonly institution_id: string | undefined;
}

const ON_FILE = statement<FiledRecord>(
  'subject_moves_on_file',
  `SELECT 'ACCOUNT' AS kind, id AS record_id, institution_id
   FROM (SELECT id, institution_id FROM accounts WHERE subject_id = $1 ORDER BY id LIMIT $2) AS own
   UNION ALL
   SELECT 'INQUIRY', id, institution_id
   FROM (SELECT id, institution_id FROM inquiries WHERE subject_id = $1 ORDER BY id LIMIT $2) AS own
   UNION ALL
   SELECT 'REFUSED_INQUIRY', id, institution_id
   FROM (SELECT id, institution_id FROM refused_inquiries
         WHERE subject_id = $1 ORDER BY id LIMIT $2) AS own
   UNION ALL
   SELECT 'DISPUTE', dispute_id, NULL
   FROM (SELECT dispute_id FROM known_disputes
         WHERE subject_id = $1 AND account_id IS NULL ORDER BY dispute_id LIMIT $2) AS own`,
);

/** All that is on a subject's file, of each kind up to a limit; disputes that are about no one account. */
export function recordsOnFile(
  on: Queryable,
  subject_id: string,
  limit: number,
): Promise<FiledRecord[]> {
  return on.query(ON_FILE, [subject_id, limit]);
}

const COUNT_EVENTS = statement<{ count: number }>(
  'subject_moves_count_events',
  `SELECT count(*)::integer FROM (
     SELECT FROM unnest($2::uuid[]) AS wanted (account_id)
     CROSS JOIN LATERAL (
       SELECT FROM credit_events AS events
       WHERE events.subject_id = $1 AND events.account_id = wanted.account_id
       LIMIT $3
     ) AS events
     LIMIT $3
   ) AS counted`,
);

/** How many events accounts of a subject have, counted up to a limit. */
export async function countEvents(
  on: Queryable,
  subject_id: string,
  account_ids: readonly string[],
  limit: number,
): Promise<number> {
  return (await on.one(COUNT_EVENTS, [subject_id, account_ids, limit])).count;
}

const MOVE_DIRECTORY = statement(
  'subject_moves_directory',
  'UPDATE account_directory SET subject_id = $2 WHERE account_id = ANY ($1::uuid[])',
);

const MOVE_ACCOUNTS = statement(
  'subject_moves_accounts',
  // Members find with `updated_since` that an account is another subject's.
  `UPDATE accounts SET subject_id = $2, subject_version = $4, updated_at = greatest(updated_at, $5)
   WHERE subject_id = $3 AND id = ANY ($1::uuid[])`,
);

const MOVE_EVENTS = statement(
  'subject_moves_events',
  `UPDATE credit_events SET subject_id = $2, recorded_of = coalesce(recorded_of, subject_id)
   WHERE subject_id = $3 AND account_id = ANY ($1::uuid[])`,
);

const MOVE_LOW_ACCOUNTS = statement(
  'subject_moves_low_accounts',
  `UPDATE health_accounts AS kept SET subject_id = $2
   FROM account_directory AS directory
   WHERE directory.account_id = ANY ($1::uuid[])
     AND kept.institution_id = directory.institution_id AND kept.subject_id = $3
     AND kept.account_id = directory.account_id`,
);

const MOVE_DISPUTES_OF_ACCOUNTS = statement(
  'subject_moves_disputes_of_accounts',
  `UPDATE known_disputes SET subject_id = $2
   WHERE subject_id = $3 AND account_id = ANY ($1::uuid[])`,
);

const MOVE_TOLD_CORRECTIONS = statement(
  'subject_moves_told_corrections',
  `UPDATE told_corrections SET subject_id = $2
   WHERE subject_id = $3 AND account_id = ANY ($1::uuid[])`,
);

const MOVE_INQUIRIES = statement(
  'subject_moves_inquiries',
  `UPDATE inquiries SET subject_id = $2, subject_version = $4
   WHERE subject_id = $3 AND id = ANY ($1::uuid[])`,
);

const MOVE_REFUSED = statement(
  'subject_moves_refused',
  'UPDATE refused_inquiries SET subject_id = $2 WHERE subject_id = $3 AND id = ANY ($1::uuid[])',
);

const MOVE_DISPUTES = statement(
  'subject_moves_disputes',
  'UPDATE known_disputes SET subject_id = $2 WHERE subject_id = $3 AND dispute_id = ANY ($1::uuid[])',
);

/** Where records go, under which version of the file that takes them. */
export interface Route {
  readonly from_subject_id: string;
  readonly to_subject_id: string;
  readonly to_version: number;
  readonly now_ms: number;
}

/** Moves records with all that hangs on them. */
export async function moveRecords(
  tx: Transaction,
  { account_ids, inquiry_ids, refused_ids, dispute_ids }: RecordIds,
  { from_subject_id, now_ms, to_subject_id, to_version }: Route,
): Promise<void> {
  const way = [to_subject_id, from_subject_id];
  if (account_ids.length > 0) {
    await tx.execute(MOVE_DIRECTORY, [account_ids, to_subject_id]);
    await tx.execute(MOVE_ACCOUNTS, [account_ids, ...way, to_version, toText(now_ms)]);
    await tx.execute(MOVE_EVENTS, [account_ids, ...way]);
    await tx.execute(MOVE_LOW_ACCOUNTS, [account_ids, ...way]);
    await tx.execute(MOVE_DISPUTES_OF_ACCOUNTS, [account_ids, ...way]);
    await tx.execute(MOVE_TOLD_CORRECTIONS, [account_ids, ...way]);
  }
  if (inquiry_ids.length > 0) await tx.execute(MOVE_INQUIRIES, [inquiry_ids, ...way, to_version]);
  if (refused_ids.length > 0) await tx.execute(MOVE_REFUSED, [refused_ids, ...way]);
  if (dispute_ids.length > 0) await tx.execute(MOVE_DISPUTES, [dispute_ids, ...way]);
}

const SET_DUPLICATES = statement(
  'subject_moves_duplicates',
  `UPDATE inquiries SET duplicate_of = new.duplicate_of
   FROM unnest($2::uuid[], $3::uuid[]) AS new (id, duplicate_of)
   WHERE inquiries.subject_id = $1 AND inquiries.id = new.id`,
);

/** Writes which other inquiry of the file these repeat. */
export async function setDuplicates(
  tx: Transaction,
  subject_id: string,
  changed: readonly { readonly id: string; readonly duplicate_of: string | undefined }[],
): Promise<void> {
  if (changed.length === 0) return;
  await tx.execute(SET_DUPLICATES, [
    subject_id,
    changed.map(({ id }) => id),
    changed.map(({ duplicate_of }) => duplicate_of),
  ]);
}

const MARK_HEAD = statement(
  'subject_moves_mark_head',
  `UPDATE subject_heads
   SET version = $2, merged_into = $3,
       left_version = CASE WHEN $4::boolean THEN $2 ELSE left_version END
   WHERE subject_id = $1`,
);

/** Writes a head's new version, whether records went with it, and where all are from now on. */
export async function markHead(
  tx: Transaction,
  subject_id: string,
  version: number,
  { left, merged_into }: { readonly left: boolean; readonly merged_into?: string | undefined },
): Promise<void> {
  await tx.execute(MARK_HEAD, [subject_id, version, merged_into, left]);
}

const MOVE_ROW = columns({
  id: column('uuid'),
  kind: column<'text', MoveKind>('text'),
  from_subject_id: column('uuid'),
  to_subject_id: column('uuid'),
  undoes_move_id: nullable(column('uuid')),
  reason: column('text'),
  actor_type: column('text'),
  actor_id: column('text'),
  entries_at_move: column('integer'),
  moved_at: column('timestamptz'),
});

const KEEP_MOVE = batchStatement(
  'subject_moves_keep',
  { moves: MOVE_ROW },
  (sql) => `INSERT INTO subject_moves (${MOVE_ROW.names()}) SELECT * FROM unnest(${sql.moves})`,
);

const KEEP_RECORDS = statement(
  'subject_moves_keep_records',
  `INSERT INTO subject_move_records (move_id, kind, record_id, institution_id)
   SELECT $1, kind, record_id, institution_id
   FROM unnest($2::text[], $3::uuid[], $4::uuid[]) AS new (kind, record_id, institution_id)`,
);

/** Keeps that records were moved, by whose hand and why. */
export async function keepMove(
  tx: Transaction,
  {
    moved_at_ms,
    ...move
  }: Omit<SubjectMove, 'accounts' | 'inquiries' | 'disputes' | 'undone_by_move_id'> & {
    readonly entries_at_move: number;
  },
  records: readonly FiledRecord[],
): Promise<void> {
  const moves = [{ ...move, moved_at: toText(moved_at_ms) }];
  await tx.execute(KEEP_MOVE, KEEP_MOVE.values({ moves }));
  await tx.execute(KEEP_RECORDS, [
    move.id,
    records.map(({ kind }) => kind),
    records.map(({ record_id }) => record_id),
    records.map(({ institution_id }) => institution_id),
  ]);
}

type MoveRow = RowOf<typeof MOVE_ROW> & {
  readonly undone_by_move_id: string | undefined;
  readonly accounts: number;
  readonly inquiries: number;
  readonly disputes: number;
};

const MOVE_COLUMNS = `${MOVE_ROW.names('moves')},
     (SELECT undoing.id FROM subject_moves AS undoing WHERE undoing.undoes_move_id = moves.id
     ) AS undone_by_move_id, counted.*
   FROM subject_moves AS moves
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE kind = 'ACCOUNT')::integer AS accounts,
       count(*) FILTER (WHERE kind IN ('INQUIRY', 'REFUSED_INQUIRY'))::integer AS inquiries,
       count(*) FILTER (WHERE kind = 'DISPUTE')::integer AS disputes
     FROM subject_move_records WHERE move_id = moves.id
   ) AS counted`;

/** A move with how many entries its file had. */
export interface StoredMove extends SubjectMove {
  readonly entries_at_move: number;
}

function toMove({ moved_at, ...row }: MoveRow): StoredMove {
  return { ...row, moved_at_ms: toMs(moved_at) };
}

const MOVE = statement<MoveRow>('subject_moves_one', `SELECT ${MOVE_COLUMNS} WHERE moves.id = $1`);

export async function moveById(on: Queryable, id: string): Promise<StoredMove | undefined> {
  const row = await on.maybe(MOVE, [id]);
  return row && toMove(row);
}

const MOVES = statement<MoveRow>(
  'subject_moves_of_subject',
  `SELECT ${MOVE_COLUMNS}
   WHERE moves.id IN (
       SELECT id FROM subject_moves WHERE from_subject_id = $1
       UNION
       SELECT id FROM subject_moves WHERE to_subject_id = $1)
     AND ($2::uuid IS NULL OR moves.id < $2)
   ORDER BY moves.id DESC LIMIT $3`,
);

/** The moves from and to a subject, newest first. */
export async function movesOf(
  on: Queryable,
  subject_id: string,
  before_id: string | undefined,
  limit: number,
): Promise<StoredMove[]> {
  return (await on.query(MOVES, [subject_id, before_id, limit])).map(toMove);
}

const TAKEN_BACK = statement<{ id: string }>(
  'subject_moves_taken_back',
  `SELECT moves.id FROM subject_moves AS moves
   JOIN subject_moves AS undoing ON undoing.undoes_move_id = moves.id
   WHERE moves.to_subject_id = $1`,
);

/** Merges into a subject that were taken back. */
export async function movesTakenBack(
  on: Queryable,
  subject_id: string,
): Promise<ReadonlySet<string>> {
  return new Set((await on.query(TAKEN_BACK, [subject_id])).map(({ id }) => id));
}

const RECORDS_OF_MOVE = statement<{ record_id: string }>(
  'subject_moves_records',
  'SELECT record_id FROM subject_move_records WHERE move_id = $1',
);

/** Ids of the records that a move took along. */
export async function recordsOfMove(on: Queryable, move_id: string): Promise<ReadonlySet<string>> {
  const rows = await on.query(RECORDS_OF_MOVE, [move_id]);
  return new Set(rows.map(({ record_id }) => record_id));
}

const KEEP_OPENINGS = statement(
  'openings_of_merged_keep',
  `INSERT INTO openings_of_merged (account_id, subject_id)
   SELECT * FROM unnest($1::uuid[], $2::uuid[])`,
);

/** Keeps by which merged subject's identity accounts found the subject that they were opened for. */
export function keepOpenings(
  tx: Transaction,
  openings: readonly { readonly account_id: string; readonly subject_id: string }[],
): void {
  if (openings.length === 0) return;
  tx.write(KEEP_OPENINGS, [
    openings.map(({ account_id }) => account_id),
    openings.map(({ subject_id }) => subject_id),
  ]);
}

const OPENED_FOR = statement<{ account_id: string }>(
  'openings_of_merged_of_subject',
  `SELECT wanted.account_id FROM unnest($1::uuid[]) AS wanted (account_id)
   JOIN openings_of_merged AS openings USING (account_id)
   WHERE openings.subject_id = $2`,
);

/** Which of the accounts were opened by a subject's identity while it was merged. */
export async function openedFor(
  on: Queryable,
  account_ids: readonly string[],
  subject_id: string,
): Promise<ReadonlySet<string>> {
  const rows = await on.query(OPENED_FOR, [account_ids, subject_id]);
  return new Set(rows.map(({ account_id }) => account_id));
}

const BLOCKERS = statement<{ cleared: boolean; persona: boolean }>(
  'subject_moves_blockers',
  `SELECT subjects.cleared_at IS NOT NULL AS cleared,
     EXISTS (SELECT FROM accounts
             WHERE subject_id = subjects.id AND institution_id = ANY ($2::uuid[])) AS persona
   FROM subjects WHERE subjects.id = $1`,
);

/** What keeps a subject from being merged. */
export function blockersOf(
  on: Queryable,
  subject_id: string,
  fictional: readonly string[],
): Promise<{ cleared: boolean; persona: boolean }> {
  return on.one(BLOCKERS, [subject_id, fictional]);
}

const CREATOR = statement<{ created_by_institution_id: string }>(
  'subject_moves_creator',
  'SELECT created_by_institution_id FROM subjects WHERE id = $1',
);

/** Who brought a subject in. */
export async function creatorOf(on: Queryable, subject_id: string): Promise<string | undefined> {
  return (await on.maybe(CREATOR, [subject_id]))?.created_by_institution_id;
}

const MOVED_SINCE = statement<{
  kind: MovedKind;
  record_id: string;
  was_at: string;
  is_at: string;
}>(
  'subject_moves_since',
  // A record may have gone to and fro: where its first move since then began, and the last one ended.
  `SELECT records.kind, records.record_id,
     (array_agg(moves.from_subject_id ORDER BY moves.id))[1] AS was_at,
     (array_agg(moves.to_subject_id ORDER BY moves.id DESC))[1] AS is_at
   FROM (
     SELECT DISTINCT touching.record_id
     FROM (
       SELECT id FROM subject_moves WHERE from_subject_id = $1 AND moved_at > $2
       UNION
       SELECT id FROM subject_moves WHERE to_subject_id = $1 AND moved_at > $2
     ) AS touched
     JOIN subject_move_records AS touching ON touching.move_id = touched.id
   ) AS wanted
   JOIN subject_move_records AS records USING (record_id)
   JOIN subject_moves AS moves ON moves.id = records.move_id AND moves.moved_at > $2
   GROUP BY records.kind, records.record_id`,
);

/** What has come to a subject's file and gone from it since a time. */
export interface MovedSince {
  /** On the file now, and not then. */
  readonly came: ReadonlySet<string>;
  /** On the file then, by id, and whose they are now. */
  readonly went: ReadonlyMap<string, string>;
}

export async function movedSince(
  on: Queryable,
  subject_id: string,
  since_ms: number,
): Promise<MovedSince> {
  const rows = await on.query(MOVED_SINCE, [subject_id, toText(since_ms)]);
  const came = rows.filter((row) => row.is_at === subject_id && row.was_at !== subject_id);
  const went = rows.filter((row) => row.was_at === subject_id && row.is_at !== subject_id);
  return {
    came: new Set(came.map(({ record_id }) => record_id)),
    went: new Map(went.map(({ record_id, is_at }) => [record_id, is_at])),
  };
}
