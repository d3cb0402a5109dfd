import { type Queryable, statement, type Transaction } from '@credit/platform/db';
import type { FactorPoints, Reason } from '../domain/model';
import type { Snapshot } from '../domain/snapshot';
import type { SubjectHead } from '../domain/subject-file';

/** A snapshot with what the moment of writing adds. */
export interface NewSnapshot extends Snapshot {
  readonly id: string;
  readonly calculated_at: string;
}

export interface StoredSnapshot {
  readonly id: string;
  readonly subject_id: string;
  readonly sequence: number;
  readonly score: number | undefined;
  readonly grade: string | undefined;
  readonly model_version: string;
  readonly as_of_day: number;
  readonly calculated_at: string;
  readonly trigger_type: string;
  readonly trigger_id: string | undefined;
  readonly factors: FactorPoints[];
  readonly reasons: Reason[];
  readonly previous_score: number | undefined;
  readonly input_hash: Buffer;
}

const COLUMNS = `subject_id, sequence, id, score, grade, model_version, as_of_day, calculated_at,
  trigger_type, trigger_id, factors, reasons, previous_score, input_hash`;

const INSERT = statement(
  'score_snapshots_insert',
  `INSERT INTO score_snapshots (${COLUMNS})
   SELECT subject_id, sequence, id, score, grade, model_version, as_of_day, calculated_at,
     trigger_type, trigger_id, factors::json, reasons::json, previous_score, input_hash
   FROM unnest($1::uuid[], $2::integer[], $3::uuid[], $4::smallint[], $5::text[], $6::text[],
               $7::integer[], $8::timestamptz[], $9::text[], $10::uuid[], $11::text[], $12::text[],
               $13::smallint[], $14::bytea[]) AS n (${COLUMNS})`,
);

const INSERT_AT_HEAD = statement(
  'score_snapshots_insert_at_head',
  // Only while the head is as it was read. A head that a consumer has locked is about to change
  // and is skipped: whoever holds it works the score out again.
  `WITH unchanged AS (
     SELECT subject_id FROM subject_heads
     WHERE subject_id = $1 AND complete_version = $15 AND snapshot_sequence = $2::integer - 1
       AND early_versions = '{}'
     FOR UPDATE SKIP LOCKED
   ), moved AS (
     UPDATE subject_heads h SET snapshot_sequence = $2, score = $4, reason_codes = $16,
       model_version = $6
     FROM unchanged WHERE h.subject_id = unchanged.subject_id
     RETURNING h.subject_id
   )
   INSERT INTO score_snapshots (${COLUMNS})
   SELECT subject_id, $2::integer, $3::uuid, $4::smallint, $5::text, $6::text, $7::integer,
     $8::timestamptz, $9::text, $10::uuid, $11::json, $12::json, $13::smallint, $14::bytea
   FROM moved`,
);

const LIST = statement<StoredSnapshot>(
  'score_snapshots_list',
  `SELECT ${COLUMNS} FROM score_snapshots
   WHERE subject_id = $1 AND sequence < $2
   ORDER BY sequence DESC LIMIT $3`,
);

const FIND = statement<StoredSnapshot>(
  'score_snapshots_find',
  `SELECT ${COLUMNS} FROM score_snapshots WHERE subject_id = $1 AND id = ANY ($2::uuid[])`,
);

/** Those of the snapshots that are the subject's. */
export function findSnapshots(
  db: Queryable,
  subject_id: string,
  ids: readonly string[],
): Promise<StoredSnapshot[]> {
  return db.query(FIND, [subject_id, ids]);
}

export async function latestSnapshot(
  db: Queryable,
  subject_id: string,
): Promise<StoredSnapshot | undefined> {
  const [latest] = await listSnapshots(db, subject_id, AFTER_ALL, 1);
  return latest;
}

/** Above every sequence. */
const AFTER_ALL = 2_147_483_647;

const LIST_UNTIL = statement<StoredSnapshot>(
  'score_snapshots_list_until',
  `SELECT ${COLUMNS} FROM score_snapshots
   WHERE subject_id = $1 AND calculated_at <= $2
   ORDER BY sequence DESC LIMIT $3`,
);

/** The snapshots up to a time, the newest first. */
export function listSnapshotsUntil(
  db: Queryable,
  subject_id: string,
  until: string,
  limit: number,
): Promise<StoredSnapshot[]> {
  return db.query(LIST_UNTIL, [subject_id, until, limit]);
}

export async function insertSnapshots(
  tx: Transaction,
  snapshots: readonly NewSnapshot[],
): Promise<void> {
  if (snapshots.length === 0) return;
  const rows = snapshots.map(valuesOf);
  const [first = []] = rows;
  await tx.execute(
    INSERT,
    first.map((_, column) => rows.map((row) => row[column])),
  );
}

/** Writes a snapshot and moves the head to it in one statement, if nothing came between. */
export async function insertSnapshotAtHead(
  db: Queryable,
  head: SubjectHead,
  snapshot: NewSnapshot,
): Promise<boolean> {
  const values = [...valuesOf(snapshot), head.complete_version, head.reason_codes];
  return (await db.execute(INSERT_AT_HEAD, values)) === 1;
}

export async function listSnapshots(
  db: Queryable,
  subject_id: string,
  before_sequence: number,
  limit: number,
): Promise<StoredSnapshot[]> {
  return db.query(LIST, [subject_id, before_sequence, limit]);
}

/** In the order of COLUMNS. */
function valuesOf(snapshot: NewSnapshot): unknown[] {
  return [
    snapshot.subject_id,
    snapshot.sequence,
    snapshot.id,
    snapshot.score,
    snapshot.grade,
    snapshot.model_version,
    snapshot.as_of_day,
    snapshot.calculated_at,
    snapshot.trigger.type,
    snapshot.trigger.id,
    JSON.stringify(snapshot.factors),
    JSON.stringify(snapshot.reasons),
    snapshot.previous_score,
    snapshot.input_hash,
  ];
}
