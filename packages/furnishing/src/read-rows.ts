import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { isAppError } from '@credit/platform/errors';
import { parseJson, withoutCsvGuards } from '@credit/platform/values';
import { type CsvError, type Info, parse } from 'csv-parse';
import { FAULT_COLUMNS } from './fault-text';
import {
  type Fields,
  type Format,
  type Mapping,
  type Place,
  type Row,
  type Source,
  UnreadableFile,
} from './row';

/** Of one row, in the file. */
export const MAX_ROW_BYTES = 65_536;
/** Many times what any row has. */
const MAX_ROW_VALUES = 1_000;
const MAX_COLUMNS = 500;
/** Rows one after another that are not even rows: this is no such file. */
const MAX_UNREADABLE_IN_A_ROW = 1_000;

const NUMBERS = new Set([
  'original_principal',
  'current_balance',
  'interest_rate_bps',
  'amount',
  'balance_after',
]);
const NUMBER = /^-?\d{1,15}(\.\d{1,6})?$/;
const FIELD = /^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$/;
const NOT_ASCII = /[\x80-\xff]/;
const NEWLINE = 10;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Where a file is read from, and how. */
export interface Reading {
  readonly format: Format;
  readonly mapping?: Mapping | undefined;
  /** Behind a row, to go on there; from its beginning when left out. */
  readonly after?: Place | undefined;
}

/**
 * Reads a file row by row, in memory that does not grow with it. A row that is not one comes with a
 * fault; throws {@link UnreadableFile} where no more rows can be told apart.
 */
export async function* readRows(source: Source, reading: Reading): AsyncGenerator<Row> {
  if (reading.format === 'ndjson') yield* readNdjson(source, reading.after);
  else yield* readCsv(source, reading.mapping ?? {}, reading.after);
}

// --- CSV

/** A file's header, and the place behind it. */
export interface Header {
  readonly names: readonly string[];
  readonly end: Place;
}

/** The header of a CSV file; throws {@link UnreadableFile} when there is none to go by. */
export async function readHeader(source: Source): Promise<Header> {
  const start = { bytes: await startOf(source), lines: 0 };
  for await (const { record, end } of records(source, start)) {
    if (record === undefined) break;
    const names = decoded(record);
    if (names === undefined) throw new UnreadableFile('Line 1: the header is not UTF-8.');
    if (names.length > MAX_COLUMNS) {
      throw new UnreadableFile(`Line 1: there are more than ${MAX_COLUMNS} columns.`);
    }
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new UnreadableFile(`Line 1: column "${twice}" stands twice.`);
    return { names, end };
  }
  throw new UnreadableFile('Line 1: there is no header.');
}

async function* readCsv(
  source: Source,
  mapping: Mapping,
  after: Place | undefined,
): AsyncGenerator<Row> {
  const { names, end: behind_header } = await readHeader(source);
  const guarded = names.includes('fault_line');
  for await (const { record, line, end, message } of records(source, after ?? behind_header)) {
    if (record === undefined) {
      yield unreadable(line, 'MALFORMED_ROW', message);
      continue;
    }
    const texts = decoded(record);
    if (texts === undefined) {
      yield { ...unreadable(line, 'ENCODING', 'is not UTF-8'), end };
      continue;
    }
    if (texts.length !== names.length) {
      const found = `has ${texts.length} cells where the header has ${names.length}`;
      yield { ...unreadable(line, 'COLUMN_COUNT', found), end };
      continue;
    }
    const cells: Record<string, string> = {};
    for (const [index, name] of names.entries()) {
      if (guarded && (FAULT_COLUMNS as readonly string[]).includes(name)) continue;
      const text = texts[index] ?? '';
      define(cells, name, guarded ? withoutCsvGuards(text) : text);
    }
    yield { line, end, cells, fields: fieldsOf(cells, mapping) };
  }
}

function unreadable(line: number, code: string, message: string): Row {
  return { line, fields: {}, fault: { line, code, field: '', message } };
}

interface RecordFound {
  /** Bytes as Latin-1, cell by cell; undefined when it cannot be told where cells end. */
  readonly record: readonly string[] | undefined;
  readonly message: string;
  readonly line: number;
  readonly end: Place;
}

/** Cells of a file from a place on. */
async function* records(source: Source, from: Place): AsyncGenerator<RecordFound> {
  const broken: { line: number; message: string }[] = [];
  const parser = parse({
    info: true,
    // Byte by byte: whether it is UTF-8 is each row's own question.
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    skip_records_with_error: true,
    on_skip: (error) => {
      // Going on would take ever more of the file into one row.
      if (error?.code === 'CSV_MAX_RECORD_SIZE' || error === undefined) throw error;
      const line = from.lines + (error as CsvError & Info).lines;
      if (broken.at(-1)?.line === line) return;
      broken.push({ line, message: 'has a quote that does not enclose a cell, or is not closed' });
      if (broken.length > MAX_UNREADABLE_IN_A_ROW) throw error;
    },
  });
  const input = Readable.from(source(from.bytes));
  input.on('error', (error) => parser.destroy(error));
  let end = from;
  try {
    for await (const { record, info } of input.pipe(parser)) {
      const line = from.lines + info.lines;
      while ((broken[0]?.line ?? line) < line) {
        yield { ...(broken.shift() as (typeof broken)[number]), record: undefined, end };
      }
      end = { bytes: from.bytes + info.bytes, lines: line };
      yield { record, message: '', line, end };
    }
    for (const fault of broken) yield { ...fault, record: undefined, end };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const { code, lines } = error as CsvError & Info;
    if (code === 'CSV_MAX_RECORD_SIZE') {
      const line = from.lines + lines;
      throw new UnreadableFile(
        `Line ${line}: a row is longer than ${MAX_ROW_BYTES} bytes, or a quote is not closed.`,
      );
    }
    if (/QUOTE/.test(code)) throw new UnreadableFile(`Line ${from.lines + lines}: is no CSV.`);
    throw error;
  } finally {
    input.destroy();
  }
}

/** As text; undefined when it is no UTF-8. */
function decoded(record: readonly string[]): string[] | undefined {
  const texts: string[] = [];
  for (const cell of record) {
    if (!NOT_ASCII.test(cell)) {
      texts.push(cell);
      continue;
    }
    const bytes = Buffer.from(cell, 'latin1');
    if (!isUtf8(bytes)) return undefined;
    texts.push(bytes.toString());
  }
  return texts;
}

function fieldsOf(cells: Readonly<Record<string, string>>, mapping: Mapping): Fields {
  const fields: Fields = {};
  for (const [name, text] of Object.entries(mapping.constants ?? {})) put(fields, name, text);
  for (const [name, text] of Object.entries(cells)) {
    const field = fieldOf(name, mapping);
    if (field !== undefined && text.trim() !== '') put(fields, field, text.trim());
  }
  return fields;
}

/** What a column is; undefined when the mapping leaves it out. */
export function fieldOf(column: string, { columns }: Mapping): string | undefined {
  if (columns === undefined) return column;
  return Object.hasOwn(columns, column) ? columns[column] : undefined;
}

/** A dot leads into an object: `subject.type`, `metadata.branch`. */
export function put(fields: Fields, field: string, text: string): void {
  const steps = FIELD.test(field) ? field.split('.') : [field];
  const last = steps.pop() as string;
  let place = fields;
  for (const step of steps) {
    if (!Object.hasOwn(place, step)) define(place, step, {});
    const inner = place[step];
    if (typeof inner !== 'object' || inner === null) return;
    place = inner as Fields;
  }
  define(place, last, steps[0] === 'metadata' ? text : typed(last, text));
}

/** A header is a stranger's text: `__proto__` is a name like others. */
function define(place: object, name: string, value: unknown): void {
  Object.defineProperty(place, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** What is no number stays text, so that the API's rule names the field. */
function typed(field: string, text: string): unknown {
  if (NUMBERS.has(field) && NUMBER.test(text)) return Number(text);
  if (field === 'confirm_distinct' && /^(true|false)$/i.test(text)) return /^true$/i.test(text);
  return text;
}

// --- NDJSON

async function* readNdjson(source: Source, after: Place | undefined): AsyncGenerator<Row> {
  const from = after ?? { bytes: await startOf(source), lines: 0 };
  for await (const { bytes, line, end } of lines(source, from)) {
    if (bytes === undefined) {
      yield { ...unreadable(line, 'ROW_TOO_LONG', `is longer than ${MAX_ROW_BYTES} bytes`), end };
    } else if (bytes.length > 0) {
      yield { ...rowOf(bytes, line), end };
    }
  }
}

function rowOf(bytes: Buffer, line: number): Row {
  let value: unknown;
  try {
    value = parseJson(bytes, MAX_ROW_VALUES);
  } catch (error) {
    if (!isAppError(error)) throw error;
    const message = error.message.replace(/^The body /, '').replace(/\.$/, '');
    return withText(unreadable(line, error.reason ?? error.code, message), bytes);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return withText(unreadable(line, 'MALFORMED_JSON', 'is not a JSON object'), bytes);
  }
  const { fault: _, ...fields } = value as Fields;
  return { line, fields };
}

/** So that a file of faults shows what to correct. */
function withText(row: Row, bytes: Buffer): Row {
  return { ...row, fields: { text: bytes.toString().toWellFormed() } };
}

interface Line {
  /** Without what ends it; undefined when it is too long. */
  readonly bytes: Buffer | undefined;
  readonly line: number;
  readonly end: Place;
}

async function* lines(source: Source, from: Place): AsyncGenerator<Line> {
  let { bytes: at, lines: line } = from;
  let kept: Buffer[] = [];
  let kept_bytes = 0;
  const take = (piece: Buffer) => {
    kept_bytes += piece.length;
    // Of what is too long, nothing is kept.
    if (kept_bytes <= MAX_ROW_BYTES) kept.push(piece);
    else kept = [];
  };
  const ended = (): Line => {
    line += 1;
    const bytes = kept_bytes > MAX_ROW_BYTES ? undefined : trimmed(Buffer.concat(kept));
    kept = [];
    kept_bytes = 0;
    return { bytes, line, end: { bytes: at, lines: line } };
  };
  for await (const chunk of source(from.bytes)) {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline < 0) break;
      take(chunk.subarray(start, newline));
      at += newline + 1 - start;
      start = newline + 1;
      yield ended();
    }
    take(chunk.subarray(start));
    at += chunk.length - start;
  }
  if (kept_bytes > 0) yield ended();
}

/** Without white space around, as JSON has it. */
function trimmed(bytes: Buffer): Buffer {
  const isSpace = (byte: number | undefined) => byte === 32 || byte === 9 || byte === 13;
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start])) start += 1;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return bytes.subarray(start, end);
}

// --- both

/** Behind a byte order mark, where there is one. */
async function startOf(source: Source): Promise<number> {
  let head = Buffer.alloc(0);
  for await (const chunk of source(0)) {
    head = Buffer.concat([head, chunk.subarray(0, BYTE_ORDER_MARK.length)]);
    if (head.length >= BYTE_ORDER_MARK.length) break;
  }
  const first = head.subarray(0, 2).toString('hex');
  if (first === 'fffe' || first === 'feff') {
    throw new UnreadableFile('Line 1: the file is UTF-16; save it as UTF-8.');
  }
  return head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? BYTE_ORDER_MARK.length
    : 0;
}
