import { existsSync, readFileSync, statSync } from 'node:fs';
import {
  FAULT_COLUMNS,
  type Format,
  faultsOf,
  formatOf,
  headerFaults,
  type Kind,
  type Mapping,
  type Row,
  readHeader,
  readMapping,
  readRows,
  UnreadableFile,
} from '@credit/furnishing';
import {
  keyMark,
  Misused,
  NETWORK_OPTIONS,
  NETWORK_USAGE,
  readArguments,
  readBase,
  readKey,
  requireKey,
  runTool,
} from '../command-line';
import { Client } from '../demo/client';
import { Progress } from '../demo/progress';
import { FaultFile, fingerprint, readJournal, sourceOf, writeJournal } from './files';
import { portionSize, Reporter } from './reporter';

// Reports a file of accounts or events through the public API. The whole file is checked before
// its first row is sent. Killed or run again, it goes on where it was.

const USAGE = `npm run furnish -- FILE [--kind accounts|events] [--base URL] [--key KEY] [--map mapping.json | --mapping NAME] [--dry-run]
FILE is CSV with a header, or NDJSON (.ndjson, .jsonl). NAME is of a mapping that the network keeps.
${NETWORK_USAGE}`;
const EXIT = { FAULTS: 1, USAGE: 2, REFUSED_ROWS: 3, FAILED: 4 } as const;
const PATIENCE_MS = 120_000;
const MAX_ROWS = 1_000_000;
const MAX_FILE_BYTES = 1024 ** 3;

interface Order {
  readonly file: string;
  readonly format: Format;
  readonly kind: Kind;
  readonly base: string;
  readonly key: string | undefined;
  readonly mapping: Mapping;
  readonly dry_run: boolean;
}

async function readOrder(args: string[]): Promise<Order> {
  const { values, positionals } = readArguments(args, {
    ...NETWORK_OPTIONS,
    kind: { type: 'string', default: 'accounts' },
    map: { type: 'string' },
    mapping: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Misused('Name one file.');
  if (!existsSync(file)) throw new Misused(`There is no file ${file}.`);
  if (statSync(file).size > MAX_FILE_BYTES) throw new Misused('The file is larger than 1 GiB.');
  if (values.kind !== 'accounts' && values.kind !== 'events') {
    throw new Misused('--kind is accounts or events.');
  }
  const format = formatOf(file);
  if (values.map !== undefined && values.mapping !== undefined) {
    throw new Misused('Give --map or --mapping, one of both.');
  }
  if (format === 'ndjson' && (values.map ?? values.mapping) !== undefined) {
    throw new Misused('A mapping is of CSV files: rows of NDJSON name fields themselves.');
  }
  const base = readBase(values.base);
  const key = readKey(values.key, process.env);
  const api = clientFor(base, values.mapping === undefined ? key : requireKey(key));
  const mapping = await mappingFrom(values, values.kind, api);
  return { file, format, kind: values.kind, base, key, mapping, dry_run: values['dry-run'] };
}

/** From a file, or the one that the network keeps under a name. */
async function mappingFrom(
  { map, mapping: name }: { readonly map?: string; readonly mapping?: string },
  kind: Kind,
  api: Client,
): Promise<Mapping> {
  if (map !== undefined) return checked(map, jsonIn(map), kind);
  if (name === undefined) return {};
  const { status, body, text } = await api.request(
    'GET',
    `/import-mappings/${encodeURIComponent(name)}`,
  );
  if (status === 404) throw new Misused(`The network keeps no mapping "${name}" of yours.`);
  if (status !== 200) throw new Error(`The mapping cannot be read: ${status} ${text}`);
  const { columns, constants } = body;
  const kept = { kind: body.kind, constants, ...(columns !== null && { columns }) };
  return checked(`The mapping "${name}"`, kept, kind);
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Misused(`${file} is no JSON.`);
  }
}

function checked(what: string, value: unknown, kind: Kind): Mapping {
  const read = readMapping(value, kind);
  if ('mapping' in read) return read.mapping;
  const faults = read.faults.map(({ field, message }) => `${field} ${message}`.trim());
  throw new Misused(`${what} is no mapping of ${kind}: ${faults.join('; ')}.`);
}

const clientFor = (base: string, key: string | undefined) =>
  new Client(base, key, { patience_ms: PATIENCE_MS });

const rowsOf = ({ file, format, mapping }: Order) => readRows(sourceOf(file), { format, mapping });

/** The columns of a CSV file, which every row of a file of faults has behind those of its own. */
async function columnsOf({ file, format, kind, mapping }: Order): Promise<readonly string[]> {
  if (format === 'ndjson') return [];
  const { names } = await readHeader(sourceOf(file));
  const own = names.filter((name) => !(FAULT_COLUMNS as readonly string[]).includes(name));
  const [fault] = headerFaults(own, mapping, kind);
  if (fault !== undefined) throw new UnreadableFile(`Line 1: ${fault.field} ${fault.message}.`);
  return own;
}

/** How many rows there are, and how many of them have faults. */
async function check(order: Order, faults: FaultFile): Promise<number> {
  let rows = 0;
  for await (const row of rowsOf(order)) {
    rows += 1;
    if (rows > MAX_ROWS) throw new UnreadableFile(`There are more than ${MAX_ROWS} rows.`);
    const found = faultsOf(row, order.kind);
    if (found.length > 0) faults.add(row, found);
  }
  return rows;
}

async function main(): Promise<number> {
  const order = await readOrder(process.argv.slice(2));
  if (!order.dry_run) requireKey(order.key);

  const names = await columnsOf(order);
  const faults_path = `${order.file}.faults.${order.format}`;
  const journal_path = `${order.file}.furnish.json`;
  const of = await fingerprint(order.file, [
    order.kind,
    order.base,
    JSON.stringify(order.mapping),
    keyMark(order.key),
  ]);
  let journal = readJournal(journal_path, of);

  let total: number;
  if (journal.rows_done === 0) {
    const found = new FaultFile(faults_path, order.format, names);
    total = await check(order, found);
    console.log(`Checked ${total} rows: ${found.count} have faults.`);
    if (found.count > 0) {
      console.log(`Nothing was sent. The rows to correct are in ${faults_path}.`);
      return EXIT.FAULTS;
    }
  } else {
    // The content is the same as when it was checked.
    total = 0;
    for await (const _ of rowsOf(order)) total += 1;
    console.log(`Going on after ${journal.rows_done} of ${total} rows.`);
  }
  if (order.dry_run) return 0;

  const reporter = new Reporter(clientFor(order.base, order.key), order.kind);
  const faults = new FaultFile(
    faults_path,
    order.format,
    names,
    journal.faults_bytes,
    journal.refused,
  );
  const progress = new Progress(total, 'rows');
  progress.add(journal.rows_done, '');
  const send = async (rows: Row[]) => {
    const { reported, existing, refused } = await reporter.report(rows);
    for (const { row, fault } of refused) faults.add(row, [fault]);
    journal = {
      ...journal,
      rows_done: journal.rows_done + rows.length,
      reported: journal.reported + reported,
      existing: journal.existing + existing,
      refused: journal.refused + refused.length,
      faults_bytes: faults.size,
    };
    writeJournal(journal_path, journal);
    progress.add(rows.length, `${journal.refused} refused`);
  };
  const done_before = journal.rows_done;
  let seen = 0;
  let portion: Row[] = [];
  for await (const row of rowsOf(order)) {
    seen += 1;
    if (seen <= done_before) continue;
    portion.push(row);
    if (portion.length < portionSize(order.kind)) continue;
    await send(portion);
    portion = [];
  }
  if (portion.length > 0) await send(portion);

  const { reported, existing, refused } = journal;
  console.log(`${reported} reported, ${existing} on file already, ${refused} refused.`);
  if (refused === 0) return 0;
  console.log(`The refused rows are in ${faults_path}.`);
  return EXIT.REFUSED_ROWS;
}

runTool({
  usage: USAGE,
  main,
  exitCodeOf: (error) =>
    error instanceof Misused || error instanceof UnreadableFile ? EXIT.USAGE : EXIT.FAILED,
});
