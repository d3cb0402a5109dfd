// An import: what states it goes through, what each allows, and its bounds.

import { type AppError, conflict } from '@credit/platform/errors';

export type ImportKind = 'ACCOUNTS' | 'EVENTS';
export type ImportFormat = 'CSV' | 'NDJSON';
export type ImportState =
  | 'UPLOADING'
  | 'CHECKING'
  | 'CHECKED'
  | 'APPLYING'
  | 'FINISHED'
  | 'FAILED'
  | 'CANCELLED';
export type ImportFailure = 'FAULTS' | 'INTERNAL';

export type ActorType = 'user' | 'api_key' | 'person' | 'system' | 'anonymous';

/** Who ordered an import. */
export interface Orderer {
  readonly actor_type: ActorType;
  readonly actor_id: string;
}

/** A file and what becomes of it. */
export interface Import extends Orderer {
  readonly id: string;
  readonly institution_id: string;
  readonly kind: ImportKind;
  readonly format: ImportFormat;
  readonly state: ImportState;
  readonly dry_run: boolean;
  readonly received_bytes: bigint;
  readonly sha256?: Buffer | undefined;
  /** Of a CSV file, once it was looked at. */
  readonly columns?: readonly string[] | undefined;
  readonly checked_rows: number;
  /** Once all were looked at. */
  readonly row_count?: number | undefined;
  readonly applied_rows: number;
  readonly reported: number;
  readonly existing: number;
  readonly refused: number;
  readonly faulty_rows: number;
  readonly failure?: ImportFailure | undefined;
  readonly created_at: string;
  readonly finished_at?: string | undefined;
  readonly expires_at: string;
  /** Of the mapping that it was begun with. */
  readonly mapping_name?: string | undefined;
}

/** How columns of an institution's CSV files become fields. */
export interface ImportMapping {
  readonly id: string;
  readonly name: string;
  readonly kind: ImportKind;
  readonly columns_json?: string | undefined;
  readonly constants_json: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What is wrong with one row. */
export interface RowFault {
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

/** A row that cannot be reported. */
export interface FaultyRow {
  readonly line: number;
  readonly faults: readonly RowFault[];
  /** By column of a CSV file, else by field; undefined when it is too much to be kept. */
  readonly row_json?: string | undefined;
}

const MIB = 1_048_576;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const MAX_FILE_BYTES = 1_024 * MIB;
export const MAX_PIECE_BYTES = MIB / 4;
/** Four times what a file of full pieces has. */
export const MAX_PIECES = 16_384;
export const MAX_ROWS = 1_000_000;
/** Of an institution, that wait for something or are at work. */
export const MAX_OPEN = 5;
/** Of an institution, over all of its imports. */
export const MAX_HELD_BYTES = 2_048 * MIB;
/** Of an institution. */
export const MAX_MAPPINGS = 50;
/** More faulty rows than this are counted only. */
const MAX_KEPT_ROWS = 10_000;
/** More of their content is not kept: their lines and faults still are. */
const MAX_KEPT_BYTES = 16 * MIB;
const MAX_FAULTS_OF_ROW = 20;
const MAX_FAULT_TEXT = 500;
/** One after another that brought nothing, before it is given up. */
export const MAX_ATTEMPTS = 8;

/** How long a file waits for its rest, or to be started. */
export const UNFINISHED_MS = 2 * DAY_MS;
/** How long it can be read about once it has ended. */
export const KEPT_MS = 30 * DAY_MS;

/** What an import may be told to do. */
export type Order = 'append' | 'complete' | 'start' | 'cancel';

/** 409 when the import is past what it is told, or not yet there. */
export function checkOrder(order: Order, { state, failure }: Import): void {
  const allowed: Record<Order, boolean> = {
    append: state === 'UPLOADING',
    complete: state === 'UPLOADING',
    start: state === 'CHECKED' || (state === 'FAILED' && failure === 'INTERNAL'),
    cancel: !isOver(state),
  };
  if (!allowed[order]) throw moved(`The import is ${state}: ${REFUSED[order]}`);
}

const REFUSED: Readonly<Record<Order, string>> = {
  append: 'its file takes no more.',
  complete: 'its file is whole already.',
  start: 'only one that is CHECKED, or that broke, can be started.',
  cancel: 'it has come to its end.',
};

function moved(message: string): AppError {
  return conflict(message, { reason: 'IMPORT_MOVED' });
}

export function isOver(state: ImportState): boolean {
  return state === 'FINISHED' || state === 'FAILED' || state === 'CANCELLED';
}

/** Where a checked or broken import goes on. */
export function stateToGoOn({ row_count }: Import): 'CHECKING' | 'APPLYING' {
  return row_count === undefined ? 'CHECKING' : 'APPLYING';
}

/** What of the check's outcome follows: rows are written, wait, or never are. */
export function stateAfterCheck(
  { dry_run }: Pick<Import, 'dry_run'>,
  faulty_rows: number,
): 'APPLYING' | 'CHECKED' | 'FAILED' {
  if (faulty_rows > 0) return 'FAILED';
  return dry_run ? 'CHECKED' : 'APPLYING';
}

/** What is kept of faulty rows beside those that are: bounded, whatever a file is like. */
export function keepFaults(
  rows: readonly FaultyRow[],
  before: { readonly kept_rows: number; readonly kept_bytes: bigint },
): { readonly kept: FaultyRow[]; readonly kept_bytes: number } {
  let room_bytes = MAX_KEPT_BYTES - Number(before.kept_bytes);
  let kept_bytes = 0;
  const kept = rows.slice(0, Math.max(0, MAX_KEPT_ROWS - before.kept_rows)).map((row) => {
    const bytes = Buffer.byteLength(row.row_json ?? '');
    const fits = bytes <= room_bytes;
    if (fits) {
      room_bytes -= bytes;
      kept_bytes += bytes;
    }
    const faults = row.faults.slice(0, MAX_FAULTS_OF_ROW).map(({ code, field, message }) => ({
      code,
      field: shortened(field),
      message: shortened(message),
    }));
    return { line: row.line, faults, row_json: fits ? row.row_json : undefined };
  });
  return { kept, kept_bytes };
}

/** A field's name and a message may hold a stranger's text. */
function shortened(text: string): string {
  const short = text.length > MAX_FAULT_TEXT ? `${text.slice(0, MAX_FAULT_TEXT)}…` : text;
  return short.toWellFormed().replaceAll('\u0000', '\ufffd');
}
