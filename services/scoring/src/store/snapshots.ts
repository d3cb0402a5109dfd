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
import type { FactorPoints, Reason } from '../domain/model';
import type { Snapshot } from '../domain/snapshot';
import type { SubjectHead } from '../domain/subject-file';

/** A snapshot with what the moment of writing adds. */
export interface NewSnapshot extends Snapshot {
  readonly id: string;
  readonly calculated_at: string;
}

const SNAPSHOT = columns({
  subject_id: column('uuid'),
  sequence: column('integer'),
  id: column('uuid'),
  score: nullable(column('smallint')),
  grade: nullable(column('text')),
  model_version: column('text'),
  as_of_day: column('integer'),
  calculated_at: column('timestamptz'),
  trigger_type: column('text'),
  trigger_id: nullable(column('uuid')),
  factors: column('json'),
  reasons: column('json'),
  previous_score: nullable(column('smallint')),
  input_hash: column('bytea'),
});

export interface StoredSnapshot extends Readonly<RowOf<typeof SNAPSHOT>> {
  readonly factors: FactorPoints[];
  readonly reasons: Reason[];
}

const COLUMNS = SNAPSHOT.names();

const INSERT = batchStatement(
  'score_snapshots_insert',
  { snapshots: SNAPSHOT },
  (sql) => `INSERT INTO score_snapshots (${COLUMNS})
   SELECT * FROM unnest(${sql.snapshots})`,
);

const INSERT_AT_HEAD = batchStatement(
  'score_snapshots_insert_at_head',
  { snapshots: SNAPSHOT, complete_version: 'integer', reason_codes: 'text' },
  // Only while the head is as it was read. A head that a consumer has locked is about to change
  // and is skipped: whoever holds it works the score out again.
  (sql) => `WITH n AS (
     SELECT * FROM unnest(${sql.snapshots}) AS n (${COLUMNS})
   ), unchanged AS (
     SELECT h.subject_id FROM subject_heads h, n
     WHERE h.subject_id = n.subject_id AND h.complete_version = ${sql.complete_version}
       AND h.snapshot_sequence = n.sequence - 1 AND h.early_versions = '{}'
     FOR UPDATE OF h SKIP LOCKED
   ), moved AS (
     UPDATE subject_heads h SET snapshot_sequence = n.sequence, score = n.score,
       reason_codes = ${sql.reason_codes}, model_version = n.model_version
     FROM unchanged, n WHERE h.subject_id = unchanged.subject_id
     RETURNING h.subject_id
   )
   INSERT INTO score_snapshots (${COLUMNS})
   SELECT ${SNAPSHOT.names('n')} FROM n JOIN moved ON moved.subject_id = n.subject_id`,
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
  await tx.execute(INSERT, INSERT.values({ snapshots: snapshots.map(rowOf) }));
}

/** Writes a snapshot and moves the head to it in one statement, if nothing came between. */
export async function insertSnapshotAtHead(
  db: Queryable,
  { complete_version, reason_codes }: SubjectHead,
  snapshot: NewSnapshot,
): Promise<boolean> {
  const values = INSERT_AT_HEAD.values({
    snapshots: [rowOf(snapshot)],
    complete_version,
    reason_codes,
  });
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

function rowOf({ trigger, factors, reasons, ...snapshot }: NewSnapshot) {
  return {
    ...snapshot,
    trigger_type: trigger.type,
    trigger_id: trigger.id,
    factors: JSON.stringify(factors),
    reasons: JSON.stringify(reasons),
  };
}
