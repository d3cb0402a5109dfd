import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Operation, operations, toDetails } from '@credit/contract';
import { parse } from 'csv-parse';
import type { Json } from '../demo/client';

/** What a file holds: one account or one event a row. */
export type Kind = 'accounts' | 'events';

/** How columns of a CSV file become fields of the API. */
export interface Mapping {
  /** Header name to field; columns that are not named are left out. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Fields that are the same in all rows. */
  readonly constants?: Readonly<Record<string, string>>;
}

/** Why a row cannot be reported. */
export interface Fault {
  readonly line: number;
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

/** One row: the fields that it gives, or why it can't be read. */
export interface Row {
  readonly line: number;
  /** As in a CSV file, by header name. */
  readonly cells?: Readonly<Record<string, string>>;
  readonly fields: Json;
  readonly fault?: Fault;
}

/** A file that no row can be read from any more; the message names the line. */
export class UnreadableFile extends Error {}

const MAX_ROW_BYTES = 65_536;
const NUMBERS = new Set([
  'original_principal',
  'current_balance',
  'interest_rate_bps',
  'amount',
  'balance_after',
]);
const NUMBER = /^-?\d{1,15}(\.\d{1,6})?$/;
const FIELD = /^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$/;
/** Columns that a file of faults has before the row's own. */
export const FAULT_COLUMNS = ['fault_line', 'fault_code', 'fault_field', 'fault_message'] as const;
/** What the writer of faults puts before a cell that a spreadsheet would calculate. */
const GUARD = /^'(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/;

/** By its name: what is not NDJSON is CSV. */
export const isNdjson = (file: string): boolean => /\.(ndjson|jsonl)$/i.test(file);

/** Reads a CSV (header first) or NDJSON file row by row, in memory that does not grow with it. */
export async function* readRows(file: string, mapping: Mapping = {}): AsyncGenerator<Row> {
  if (isNdjson(file)) yield* readNdjson(file);
  else yield* readCsv(file, mapping);
}

async function* readCsv(file: string, mapping: Mapping): AsyncGenerator<Row> {
  let guarded = false;
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    columns: (names: string[]) => {
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) throw new UnreadableFile(`Line 1: column "${twice}" stands twice.`);
      for (const name of Object.keys(mapping.columns ?? {})) {
        if (!names.includes(name)) throw new UnreadableFile(`Line 1: no column "${name}".`);
      }
      guarded = names.includes('fault_line');
      return names;
    },
  });
  const source = createReadStream(file);
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser)) {
      const cells: Record<string, string> = {};
      for (const [name, text] of Object.entries(record as Record<string, string>)) {
        if (guarded && (FAULT_COLUMNS as readonly string[]).includes(name)) continue;
        cells[name] = guarded ? text.replace(GUARD, '') : text;
      }
      yield { line: info.lines, cells, fields: fieldsOf(cells, mapping) };
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) {
      throw new UnreadableFile(error.message);
    }
    throw error;
  } finally {
    source.destroy();
  }
}

async function* readNdjson(file: string): AsyncGenerator<Row> {
  const source = createReadStream(file);
  let since_newline = 0;
  source.on('data', (chunk) => {
    const bytes = chunk as Buffer;
    const last = bytes.lastIndexOf(10);
    since_newline = last < 0 ? since_newline + bytes.length : bytes.length - last - 1;
    if (since_newline > 2 * MAX_ROW_BYTES) {
      source.destroy(new UnreadableFile(`A line is longer than ${MAX_ROW_BYTES} bytes.`));
    }
  });
  // readline does not hand on what its input ends with.
  let failure: Error | undefined;
  const lines = createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY });
  source.on('error', (error) => {
    failure = error;
    lines.close();
  });
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const fields = parseObject(text);
    if (fields === undefined) {
      const fault = { line, code: 'NOT_JSON', field: '', message: 'is not a JSON object' };
      yield { line, fields: { text }, fault };
    } else {
      const { fault: _, ...corrected } = fields;
      yield { line, fields: corrected };
    }
  }
  source.destroy();
  if (failure !== undefined) throw failure;
}

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(cells: Readonly<Record<string, string>>, mapping: Mapping): Json {
  const fields: Json = {};
  for (const [name, text] of Object.entries(mapping.constants ?? {})) put(fields, name, text);
  for (const [name, text] of Object.entries(cells)) {
    const field = mapping.columns === undefined ? name : mapping.columns[name];
    if (field !== undefined && text.trim() !== '') put(fields, field, text.trim());
  }
  return fields;
}

/** A dot leads into an object: `subject.type`, `metadata.branch`. */
function put(fields: Json, field: string, text: string): void {
  const steps = FIELD.test(field) ? field.split('.') : [field];
  const last = steps.pop() as string;
  let place = fields;
  for (const step of steps) {
    if (!Object.hasOwn(place, step)) define(place, step, {});
    place = place[step];
    if (typeof place !== 'object') return;
  }
  define(place, last, steps[0] === 'metadata' ? text : typed(last, text));
}

/** A header is a stranger's text: `__proto__` is a name like others. */
function define(place: Json, name: string, value: unknown): void {
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

/** Stands for an id that is known only once the row is reported. */
const LATER = '00000000-0000-4000-8000-000000000000';

/** What the API's own rules and this tool's say against a row; nothing is sent. */
export function faultsOf(row: Row, kind: Kind): Fault[] {
  if (row.fault !== undefined) return [row.fault];
  return kind === 'accounts' ? accountFaults(row) : eventFaults(row);
}

function accountFaults({ line, fields }: Row): Fault[] {
  const { subject, ...account } = fields;
  if (subject === undefined) return schemaFaults(line, 'accounts', account);
  const faults: Fault[] = [];
  if (account.subject_id !== undefined) {
    faults.push(ruled(line, 'subject_id', 'stands beside subject.…: give one of both'));
  }
  for (const { path, message } of detailsOf(operations.createSubject, subject)) {
    faults.push(ruled(line, path === '' ? 'subject' : `subject.${path}`, message));
  }
  if (subject?.type === 'ORGANISATION' && subject.registration_number === undefined) {
    const message = 'is required in a file: by it an organisation on file is found again';
    faults.push(ruled(line, 'subject.registration_number', message));
  }
  return [...faults, ...schemaFaults(line, 'accounts', { ...account, subject_id: LATER })];
}

function eventFaults({ line, fields }: Row): Fault[] {
  const { external_account_id, ...event } = fields;
  const faults: Fault[] = [];
  if ((external_account_id === undefined) === (event.credit_account_id === undefined)) {
    const message = 'give this or credit_account_id, one of both';
    faults.push(ruled(line, 'external_account_id', message));
  }
  if (event.source_reference === undefined) {
    const message = 'is required in a file: by it an event on file is found again';
    faults.push(ruled(line, 'source_reference', message));
  }
  if (external_account_id !== undefined && typeof external_account_id !== 'string') {
    faults.push(ruled(line, 'external_account_id', 'must be a string'));
  }
  return [...faults, ...schemaFaults(line, 'events', { credit_account_id: LATER, ...event })];
}

function schemaFaults(line: number, list: Kind, item: Json): Fault[] {
  const operation = list === 'accounts' ? operations.createAccounts : operations.reportEvents;
  return detailsOf(operation, { [list]: [item] }).map(({ path, message }) =>
    ruled(line, path.replace(`${list}[0].`, ''), message),
  );
}

/** What an operation's declaration says against a body. */
function detailsOf(operation: Pick<Operation, 'body'>, body: unknown) {
  const checked = operation.body?.safeParse(body);
  return checked === undefined || checked.success ? [] : toDetails(checked.error.issues);
}

const ruled = (line: number, field: string, message: string): Fault => ({
  line,
  code: 'VALIDATION_ERROR',
  field,
  message,
});
