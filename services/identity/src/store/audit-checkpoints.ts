import { type Queryable, statement } from '@credit/platform/db';
import type { SignedCheckpoint } from '@credit/platform/merkle';

interface CheckpointRow {
  origin: string;
  size: bigint;
  root_hash: Buffer;
  signed_at: string;
  key_id: string;
  signature: Buffer;
}

const COLUMNS = 'origin, size, root_hash, signed_at, key_id, signature';

// Held to the commit: a log's checkpoints are made by one transaction at a time. No row is locked,
// so that nobody who appends to the log waits for it.
const TAKE_TURN = statement<{ taken: boolean }>(
  'audit_checkpoint_take_turn',
  'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
);

const WAIT_TURN = statement(
  'audit_checkpoint_wait_turn',
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
);

const INSERT = statement(
  'audit_checkpoint_insert',
  `INSERT INTO audit_checkpoints (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`,
);

const COVERING = statement<CheckpointRow>(
  'audit_checkpoint_covering',
  `SELECT ${COLUMNS} FROM audit_checkpoints
   WHERE origin = $1 AND ($2::bigint IS NULL OR size = $2)
   ORDER BY size DESC LIMIT 1`,
);

const PAGE = statement<CheckpointRow>(
  'audit_checkpoint_page',
  `SELECT ${COLUMNS} FROM audit_checkpoints
   WHERE origin = $1 AND ($2::bigint IS NULL OR size < $2)
   ORDER BY size DESC LIMIT $3`,
);

const AFTER = statement<CheckpointRow>(
  'audit_checkpoints_after',
  `SELECT ${COLUMNS} FROM audit_checkpoints
   WHERE origin = $1 AND size > $2
   ORDER BY size LIMIT $3`,
);

const ORIGINS = statement<{ origin: string }>(
  'audit_checkpoint_origins',
  'SELECT DISTINCT origin FROM audit_checkpoints ORDER BY origin',
);

function toCheckpoint({ size, root_hash, ...row }: CheckpointRow): SignedCheckpoint {
  return { ...row, size: Number(size), root: root_hash };
}

/** The turn to make a log's next checkpoint, until the commit; false while another has it. */
export async function tryCheckpointTurn(tx: Queryable, origin: string): Promise<boolean> {
  return (await tx.one(TAKE_TURN, [origin])).taken;
}

/** Waits for the turn. */
export async function waitCheckpointTurn(tx: Queryable, origin: string): Promise<void> {
  await tx.execute(WAIT_TURN, [origin]);
}

export async function insertCheckpoint(tx: Queryable, made: SignedCheckpoint): Promise<void> {
  const { origin, size, root, signed_at, key_id, signature } = made;
  await tx.execute(INSERT, [origin, BigInt(size), root, signed_at, key_id, signature]);
}

/** A log's newest checkpoint, or the one of a size. */
export async function findCheckpoint(
  on: Queryable,
  origin: string,
  size?: number,
): Promise<SignedCheckpoint | undefined> {
  const row = await on.maybe(COVERING, [origin, size === undefined ? undefined : BigInt(size)]);
  return row && toCheckpoint(row);
}

/** A log's checkpoints, newest first, below a size. */
export async function pageOfCheckpoints(
  on: Queryable,
  origin: string,
  below: number | undefined,
  limit: number,
): Promise<SignedCheckpoint[]> {
  const values = [origin, below === undefined ? undefined : BigInt(below), limit];
  return (await on.query(PAGE, values)).map(toCheckpoint);
}

/** A log's checkpoints above a size, the smallest first. */
export async function checkpointsAfter(
  on: Queryable,
  origin: string,
  above: number,
  limit: number,
): Promise<SignedCheckpoint[]> {
  return (await on.query(AFTER, [origin, BigInt(above), limit])).map(toCheckpoint);
}

/** All logs that have checkpoints. */
export async function checkpointOrigins(on: Queryable): Promise<string[]> {
  return (await on.query(ORIGINS)).map((row) => row.origin);
}
