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
import type {
  ActorType,
  FaultyRow,
  Import,
  ImportFailure,
  ImportFormat,
  ImportKind,
  ImportState,
  Orderer,
  RowFault,
} from '../domain/import';

const IMPORT = columns({
  id: column('uuid'),
  institution_id: column('uuid'),
  kind: column<'text', ImportKind>('text'),
  format: column<'text', ImportFormat>('text'),
  state: column<'text', ImportState>('text'),
  dry_run: column('boolean'),
  received_bytes: column('bigint'),
  sha256: nullable(column('bytea')),
  columns: nullable(column('text[]')),
  checked_rows: column('integer'),
  row_count: nullable(column('integer')),
  applied_rows: column('integer'),
  reported: column('integer'),
  existing: column('integer'),
  refused: column('integer'),
  faulty_rows: column('integer'),
  failure: nullable(column<'text', ImportFailure>('text')),
  created_at: column('timestamptz'),
  finished_at: nullable(column('timestamptz')),
  expires_at: column('timestamptz'),
  mapping_name: nullable(column('text')),
  actor_type: column<'text', ActorType>('text'),
  actor_id: column('text'),
});
const COLUMNS = IMPORT.names('i');

type ImportRow = RowOf<typeof IMPORT>;

const LOCK_INSTITUTION = statement(
  'imports_lock_institution',
  `SELECT pg_advisory_xact_lock(hashtextextended('imports ' || $1::uuid, 0))`,
);

const HELD = statement<{ open: number; held_bytes: bigint }>(
  'imports_held',
  `SELECT count(*) FILTER (WHERE i.state IN ('UPLOADING', 'CHECKING', 'CHECKED', 'APPLYING'))::integer
     AS open,
     coalesce(sum(i.received_bytes) FILTER (
       WHERE i.content_over OR i.state IN ('UPLOADING', 'CHECKING', 'CHECKED', 'APPLYING')
         OR i.failure = 'INTERNAL'), 0)::bigint AS held_bytes
   FROM imports AS i WHERE i.institution_id = $1`,
);

/** What an institution holds; whoever would have it hold more waits for one another. */
export async function lockHeld(
  tx: Transaction,
  institution_id: string,
): Promise<{ readonly open: number; readonly held_bytes: bigint }> {
  await tx.query(LOCK_INSTITUTION, [institution_id]);
  return tx.one(HELD, [institution_id]);
}

const INSERT = statement<ImportRow>(
  'imports_insert',
  `INSERT INTO imports AS i (id, institution_id, kind, format, state, dry_run, actor_type, actor_id,
     received_bytes, pieces, place_bytes, place_lines, checked_rows, applied_rows, reported, existing,
     refused, faulty_rows, kept_rows, kept_bytes, attempts, due_at, created_at, expires_at,
     content_over, mapping_name, mapping_json)
   VALUES ($1, $2, $3, $4, 'UPLOADING', $5, $6, $7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $8, $8, $9,
     false, $10, $11)
   RETURNING ${COLUMNS}`,
);

/** An import that waits for its file. */
export interface NewImport extends Orderer {
  readonly id: string;
  readonly institution_id: string;
  readonly kind: ImportKind;
  readonly format: ImportFormat;
  readonly dry_run: boolean;
  readonly now: string;
  readonly expires_at: string;
  readonly mapping_name: string | undefined;
  /** How its columns become fields, whatever becomes of the mapping of that name. */
  readonly mapping_json: string | undefined;
}

export function insertImport(tx: Transaction, row: NewImport): Promise<Import> {
  return tx.one(INSERT, [
    row.id,
    row.institution_id,
    row.kind,
    row.format,
    row.dry_run,
    row.actor_type,
    row.actor_id,
    row.now,
    row.expires_at,
    row.mapping_name,
    row.mapping_json,
  ]);
}

const LOAD = statement<ImportRow>(
  'imports_load',
  `SELECT ${COLUMNS} FROM imports AS i WHERE i.id = $1 AND i.institution_id = $2`,
);
const LOCK = statement<ImportRow & { pieces: number }>(
  'imports_lock',
  `SELECT ${COLUMNS}, i.pieces FROM imports AS i
   WHERE i.id = $1 AND i.institution_id = $2 FOR UPDATE`,
);

/** An institution's own. */
export function loadImport(
  on: Queryable,
  import_id: string,
  institution_id: string,
): Promise<Import | undefined> {
  return on.maybe(LOAD, [import_id, institution_id]);
}

/** The same, which nobody changes until the commit. */
export function lockImport(
  tx: Transaction,
  import_id: string,
  institution_id: string,
): Promise<(Import & { readonly pieces: number }) | undefined> {
  return tx.maybe(LOCK, [import_id, institution_id]);
}

const OF_INSTITUTION = statement<ImportRow>(
  'imports_of_institution',
  `SELECT ${COLUMNS} FROM imports AS i
   WHERE i.institution_id = $1 AND ($2::uuid IS NULL OR i.id < $2)
   ORDER BY i.id DESC LIMIT $3`,
);

export function importsOfInstitution(
  on: Queryable,
  institution_id: string,
  before_id: string | undefined,
  limit: number,
): Promise<Import[]> {
  return on.query(OF_INSTITUTION, [institution_id, before_id, limit]);
}

const MOVE = statement<ImportRow>(
  'imports_move',
  `UPDATE imports AS i SET state = $2, failure = NULL, attempts = 0, lease_token = NULL, due_at = $3,
     finished_at = CASE WHEN $2 = 'CANCELLED' THEN $3::timestamptz END,
     expires_at = $4, content_over = $2 = 'CANCELLED'
   WHERE i.id = $1 RETURNING ${COLUMNS}`,
);

/** Of one that is locked: to work, or to its end. */
export function moveImport(
  tx: Transaction,
  import_id: string,
  to: {
    readonly state: 'CHECKING' | 'APPLYING' | 'CANCELLED';
    readonly now: string;
    readonly expires_at: string;
  },
): Promise<Import> {
  return tx.one(MOVE, [import_id, to.state, to.now, to.expires_at]);
}

// --- the file

const APPEND = statement(
  'import_pieces_append',
  `WITH piece AS (
     INSERT INTO import_pieces (import_id, start_bytes, content) VALUES ($1, $2, $3)
   )
   UPDATE imports SET received_bytes = received_bytes + length($3), pieces = pieces + 1,
     expires_at = $4
   WHERE id = $1`,
);

/** The next piece of one that is locked. */
export function appendPiece(
  tx: Transaction,
  import_id: string,
  piece: { readonly start_bytes: bigint; readonly content: Buffer; readonly expires_at: string },
): void {
  tx.write(APPEND, [import_id, piece.start_bytes, piece.content, piece.expires_at], 1);
}

const PIECE_AT = statement<{ start_bytes: bigint; content: Buffer }>(
  'import_pieces_at',
  `SELECT start_bytes, content FROM import_pieces
   WHERE import_id = $1 AND start_bytes <= $2 ORDER BY start_bytes DESC LIMIT 1`,
);

/** The piece that holds a byte, or the last. */
export function pieceAt(
  on: Queryable,
  import_id: string,
  at_bytes: number | bigint,
): Promise<{ start_bytes: bigint; content: Buffer } | undefined> {
  return on.maybe(PIECE_AT, [import_id, at_bytes]);
}

/** The file from an offset on, piece by piece. */
export async function* contentFrom(
  on: Queryable,
  import_id: string,
  from_bytes: number,
): AsyncGenerator<Buffer> {
  for (let at = from_bytes; ; ) {
    const piece = await pieceAt(on, import_id, at);
    if (piece === undefined) return;
    const rest = piece.content.subarray(at - Number(piece.start_bytes));
    if (rest.length === 0) return;
    at += rest.length;
    yield rest;
  }
}

// --- work

/** An import that somebody has in hand. */
export interface ClaimedImport extends Import {
  readonly state: 'CHECKING' | 'APPLYING';
  readonly lease_token: string;
  readonly place_bytes: bigint;
  readonly place_lines: number;
  readonly kept_rows: number;
  readonly kept_bytes: bigint;
  readonly mapping_json: string | undefined;
  /** This one included. */
  readonly attempts: number;
}

const CLAIM = statement<ClaimedImport>(
  'imports_claim',
  // One of an institution at a time, and whoever was served longest ago first: nobody's many or large
  // files keep others waiting.
  `UPDATE imports AS i
   SET lease_token = $1, attempts = i.attempts + 1, due_at = now() + $3 * interval '1 millisecond'
   WHERE i.id IN (
     SELECT due.id FROM imports AS due
     WHERE due.state IN ('CHECKING', 'APPLYING') AND due.due_at <= now()
       AND NOT EXISTS (
         SELECT FROM imports AS earlier
         WHERE earlier.institution_id = due.institution_id AND earlier.id < due.id
           AND earlier.state IN ('CHECKING', 'APPLYING'))
     ORDER BY due.due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING ${COLUMNS}, i.lease_token, i.place_bytes, i.place_lines,
     i.kept_rows, i.kept_bytes, i.mapping_json, i.attempts`,
);

export function claimImports(
  on: Queryable,
  lease_token: string,
  limit: number,
  lease_ms: number,
): Promise<ClaimedImport[]> {
  return on.query(CLAIM, [lease_token, limit, lease_ms]);
}

const HOLD = statement(
  'imports_hold',
  `SELECT FROM imports WHERE id = $1 AND lease_token = $2 AND state = $3 FOR UPDATE`,
);

/** Whether it is still in hand; until the commit it stays so. */
export async function holdImport(
  tx: Transaction,
  { id, lease_token, state }: Pick<ClaimedImport, 'id' | 'lease_token' | 'state'>,
): Promise<boolean> {
  return (await tx.query(HOLD, [id, lease_token, state])).length === 1;
}

const HASHED = statement(
  'imports_hashed',
  `UPDATE imports SET sha256 = $3, columns = $4::text[]
   WHERE id = $1 AND lease_token = $2`,
);

/** What the whole file is known by. */
export async function keepHash(
  on: Queryable,
  { id, lease_token }: Pick<ClaimedImport, 'id' | 'lease_token'>,
  sha256: Buffer,
  names: readonly string[] | undefined,
): Promise<void> {
  await on.execute(HASHED, [id, lease_token, sha256, names]);
}

/** What a batch of rows has brought. */
export interface Progress {
  readonly place_bytes: number;
  readonly place_lines: number;
  readonly checked: number;
  readonly applied: number;
  readonly reported: number;
  readonly existing: number;
  readonly refused: number;
  readonly faulty: number;
  readonly kept_rows: number;
  readonly kept_bytes: number;
  readonly lease_ms: number;
}

const ADVANCE = statement(
  'imports_advance',
  `UPDATE imports SET place_bytes = $2, place_lines = $3, checked_rows = checked_rows + $4,
     applied_rows = applied_rows + $5, reported = reported + $6, existing = existing + $7,
     refused = refused + $8, faulty_rows = faulty_rows + $9, kept_rows = kept_rows + $10,
     kept_bytes = kept_bytes + $11, attempts = 0, due_at = now() + $12 * interval '1 millisecond'
   WHERE id = $1`,
);

/** Of one that is held: with what the batch has written. */
export function advanceImport(tx: Transaction, import_id: string, by: Progress): void {
  tx.write(
    ADVANCE,
    [
      import_id,
      by.place_bytes,
      by.place_lines,
      by.checked,
      by.applied,
      by.reported,
      by.existing,
      by.refused,
      by.faulty,
      by.kept_rows,
      by.kept_bytes,
      by.lease_ms,
    ],
    1,
  );
}

const END_PHASE = statement(
  'imports_end_phase',
  `UPDATE imports SET state = $2, failure = $3, place_bytes = 0, place_lines = 0, attempts = 0,
     row_count = coalesce(row_count, checked_rows), lease_token = NULL, due_at = $4,
     finished_at = CASE WHEN $2 IN ('FINISHED', 'FAILED') THEN $4::timestamptz END,
     expires_at = $5, content_over = $2 = 'FINISHED' OR ($2 = 'FAILED' AND $3 = 'FAULTS')
   WHERE id = $1`,
);

/** Of one that is held: when all of its rows are checked or written. */
export function endPhase(
  tx: Transaction,
  import_id: string,
  to: {
    readonly state: ImportState;
    readonly failure?: ImportFailure | undefined;
    readonly now: string;
    readonly expires_at: string;
  },
): void {
  tx.write(END_PHASE, [import_id, to.state, to.failure, to.now, to.expires_at], 1);
}

const RELEASE = statement(
  'imports_release',
  // The column keeps milliseconds: rounded up, what is due at once would not be yet.
  `UPDATE imports
   SET lease_token = NULL,
     due_at = date_trunc('milliseconds', now()) + $3 * interval '1 millisecond'
   WHERE id = $1 AND lease_token = $2`,
);

/** Gives it back, for whoever is next. */
export async function releaseImport(
  on: Queryable,
  { id, lease_token }: Pick<ClaimedImport, 'id' | 'lease_token'>,
  delay_ms: number,
): Promise<void> {
  await on.execute(RELEASE, [id, lease_token, delay_ms]);
}

const BREAK = statement(
  'imports_break',
  `UPDATE imports SET state = 'FAILED', failure = 'INTERNAL', lease_token = NULL, finished_at = $3,
     expires_at = $4
   WHERE id = $1 AND lease_token = $2`,
);

/** Gives it up; it can be started anew while its file is kept. */
export async function breakImport(
  on: Queryable,
  { id, lease_token }: Pick<ClaimedImport, 'id' | 'lease_token'>,
  now: string,
  expires_at: string,
): Promise<void> {
  await on.execute(BREAK, [id, lease_token, now, expires_at]);
}

// --- rows

const ROW_KEYS = columns({ key: column('bytea'), line: column('integer') });

const CLAIM_KEYS = batchStatement(
  'import_row_keys_claim',
  { import_id: 'uuid', rows: ROW_KEYS },
  (sql) => `INSERT INTO import_row_keys (import_id, ${ROW_KEYS.names()})
   SELECT ${sql.import_id}, ${ROW_KEYS.names()} FROM unnest(${sql.rows}) AS new (${ROW_KEYS.names()})
   ON CONFLICT (import_id, key) DO NOTHING
   RETURNING ${ROW_KEYS.names()}`,
).answering<RowOf<typeof ROW_KEYS>>();

const LINES_OF_KEYS = statement<RowOf<typeof ROW_KEYS>>(
  'import_row_keys_lines',
  `SELECT key, line FROM import_row_keys WHERE import_id = $1 AND key = ANY ($2::bytea[])`,
);

/** A hash of what must be in a file once, and where it is. */
export type RowKey = RowOf<typeof ROW_KEYS>;

/** Remembers keys; answers those that were in the file before, with the line where. */
export async function claimRowKeys(
  tx: Transaction,
  import_id: string,
  rows: readonly RowKey[],
): Promise<Map<number, number>> {
  if (rows.length === 0) return new Map();
  const first = await tx.query(CLAIM_KEYS, CLAIM_KEYS.values({ import_id, rows }));
  const claimed = new Set(first.map(({ line }) => line));
  const again = rows.filter(({ line }) => !claimed.has(line));
  if (again.length === 0) return new Map();
  const known = await tx.query(LINES_OF_KEYS, [import_id, again.map(({ key }) => key)]);
  const lines = new Map(known.map(({ key, line }) => [key.toString('hex'), line]));
  return new Map(again.map(({ key, line }) => [line, lines.get(key.toString('hex')) ?? line]));
}

const FAULTY_ROWS = columns({
  line: column('integer'),
  faults: column('json'),
  row_json: nullable(column('text')),
});

const KEEP_FAULTY = batchStatement(
  'import_faulty_rows_keep',
  { import_id: 'uuid', rows: FAULTY_ROWS },
  (sql) => `INSERT INTO import_faulty_rows (import_id, ${FAULTY_ROWS.names()})
   SELECT ${sql.import_id}, ${FAULTY_ROWS.names()}
   FROM unnest(${sql.rows}) AS new (${FAULTY_ROWS.names()})
   ON CONFLICT (import_id, line) DO NOTHING`,
);

export function keepFaultyRows(
  tx: Transaction,
  import_id: string,
  rows: readonly FaultyRow[],
): void {
  if (rows.length === 0) return;
  const written = rows.map((row) => ({ ...row, faults: JSON.stringify(row.faults) }));
  tx.write(KEEP_FAULTY, KEEP_FAULTY.values({ import_id, rows: written }));
}

const FAULTS_OF = statement<{ line: number; faults: RowFault[]; row_json: string | undefined }>(
  'import_faulty_rows_of',
  `SELECT line, faults, row_json FROM import_faulty_rows
   WHERE import_id = $1 AND line > $2 ORDER BY line LIMIT $3`,
);

/** In the order of the file. */
export function faultyRowsAfter(
  on: Queryable,
  import_id: string,
  after_line: number,
  limit: number,
): Promise<FaultyRow[]> {
  return on.query(FAULTS_OF, [import_id, after_line, limit]);
}

// --- the end

/** A piece is large: this many of them at once are deleted in good time. */
const MAX_SWEPT_PIECES = 200;

const EXPIRE = statement(
  'imports_expire',
  `UPDATE imports SET state = 'CANCELLED', finished_at = now(), lease_token = NULL,
     content_over = true
   WHERE id IN (
     SELECT id FROM imports
     WHERE expires_at <= now() AND (state IN ('UPLOADING', 'CHECKING', 'CHECKED', 'APPLYING')
       OR (state = 'FAILED' AND failure = 'INTERNAL'))
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
);

/** Ends what waits for nobody any more. */
export function expireImports(on: Queryable, limit: number): Promise<number> {
  return on.execute(EXPIRE, [limit]);
}

const FIRST_OVER = statement<{ id: string }>(
  'imports_first_over',
  `SELECT id FROM imports WHERE content_over ORDER BY id LIMIT 1`,
);
const SWEEP_PIECES = statement(
  'import_pieces_sweep',
  `DELETE FROM import_pieces WHERE import_id = $1 AND start_bytes IN (
     SELECT start_bytes FROM import_pieces WHERE import_id = $1 LIMIT $2)`,
);
const SWEEP_KEYS = statement(
  'import_row_keys_sweep',
  `DELETE FROM import_row_keys WHERE import_id = $1 AND key IN (
     SELECT key FROM import_row_keys WHERE import_id = $1 LIMIT $2)`,
);
const SWEPT = statement('imports_swept', `UPDATE imports SET content_over = false WHERE id = $1`);

/** Deletes up to \`limit\` rows of files that are not needed; \`limit\` when there may be more. */
export async function sweepContent(on: Queryable, limit: number): Promise<number> {
  const over = await on.maybe(FIRST_OVER);
  if (over === undefined) return 0;
  const pieces = await on.execute(SWEEP_PIECES, [over.id, MAX_SWEPT_PIECES]);
  const keys = await on.execute(SWEEP_KEYS, [over.id, limit]);
  if (pieces === 0 && keys === 0) await on.execute(SWEPT, [over.id]);
  return limit;
}

const DELETE_EXPIRED = statement(
  'imports_delete_expired',
  `DELETE FROM imports WHERE id IN (
     SELECT id FROM imports
     WHERE expires_at <= now() AND NOT content_over AND state IN ('FINISHED', 'FAILED', 'CANCELLED')
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
);

/** Imports that nobody will read about any more, a few at once: each has thousands of faults. */
export async function deleteExpired(on: Queryable, limit: number): Promise<number> {
  const at_once = Math.ceil(limit / 100);
  const deleted = await on.execute(DELETE_EXPIRED, [at_once]);
  return deleted === at_once ? limit : deleted;
}
