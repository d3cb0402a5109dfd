import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  FAULT_COLUMNS,
  type Format,
  faultsOf,
  headerFaults,
  type Kind,
  type Mapping,
  type Row,
  readHeader,
  readRows,
  UnreadableFile,
} from '@credit/furnishing';
import { Client } from '../demo/client';
import { Progress } from '../demo/progress';
import { FaultFile, fingerprint, formatOf, readJournal, sourceOf, writeJournal } from './files';
import { batchSize, Reporter } from './reporter';

// Reports a file of accounts or events through the public API. The whole file is checked before
// its first row is sent. Killed or run again, it goes on where it was.

const USAGE = `npm run furnish -- FILE [--kind accounts|events] [--base URL] [--map mapping.json] [--dry-run]
FILE is CSV with a header, or NDJSON (.ndjson, .jsonl). The key is read from CREDIT_API_KEY.`;
const EXIT = { FAULTS: 1, USAGE: 2, REFUSED_ROWS: 3, FAILED: 4 } as const;
const DEFAULT_BASE = 'http://127.0.0.1:8080/api/v1';
const PATIENCE_MS = 120_000;
const MAX_ROWS = 1_000_000;
const MAX_FILE_BYTES = 1024 ** 3;

class Misused extends Error {}

interface Order {
  readonly file: string;
  readonly format: Format;
  readonly kind: Kind;
  readonly base: string;
  readonly mapping: Mapping;
  readonly dry_run: boolean;
}

function readOrder(args: string[]): Order {
  const options = {
    kind: { type: 'string', default: 'accounts' },
    base: { type: 'string', default: DEFAULT_BASE },
    map: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  } as const;
  let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new Misused(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Misused('Name one file.');
  if (!existsSync(file)) throw new Misused(`There is no file ${file}.`);
  if (statSync(file).size > MAX_FILE_BYTES) throw new Misused('The file is larger than 1 GiB.');
  if (values.kind !== 'accounts' && values.kind !== 'events') {
    throw new Misused('--kind is accounts or events.');
  }
  if (!URL.canParse(values.base)) throw new Misused('--base is no address.');
  return {
    file,
    format: formatOf(file),
    kind: values.kind,
    base: values.base.replace(/\/$/, ''),
    mapping: values.map === undefined ? {} : readMapping(values.map),
    dry_run: values['dry-run'],
  };
}

function readMapping(file: string): Mapping {
  const fault = `${file} is no mapping: { "columns": { "HEADER": "field" }, "constants": { "field": "value" } }`;
  let mapping: unknown;
  try {
    mapping = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Misused(fault);
  }
  const isTexts = (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string');
  if (typeof mapping !== 'object' || mapping === null) throw new Misused(fault);
  for (const [name, value] of Object.entries(mapping)) {
    if ((name !== 'columns' && name !== 'constants') || !isTexts(value)) throw new Misused(fault);
  }
  return mapping;
}

const rowsOf = ({ file, format, mapping }: Order) => readRows(sourceOf(file), { format, mapping });

/** The columns of a CSV file, which every row of a file of faults has behind those of its own. */
async function columnsOf({ file, format, kind, mapping }: Order): Promise<readonly string[]> {
  if (format === 'ndjson') return [];
  const { names } = await readHeader(sourceOf(file), mapping);
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
  const order = readOrder(process.argv.slice(2));
  const key = process.env.CREDIT_API_KEY ?? '';
  if (key === '' && !order.dry_run) throw new Misused('CREDIT_API_KEY is not set.');

  const names = await columnsOf(order);
  const faults_path = `${order.file}.faults.${order.format}`;
  const journal_path = `${order.file}.furnish.json`;
  // Only a hash of the key is kept: of a key for test data nothing follows for live data.
  const key_hash = createHash('sha256').update(key).digest('hex');
  const of = await fingerprint(order.file, [
    order.kind,
    order.base,
    JSON.stringify(order.mapping),
    key_hash,
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

  const reporter = new Reporter(
    new Client(order.base, key, { patience_ms: PATIENCE_MS }),
    order.kind,
  );
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
  let batch: Row[] = [];
  for await (const row of rowsOf(order)) {
    seen += 1;
    if (seen <= done_before) continue;
    batch.push(row);
    if (batch.length < batchSize(order.kind)) continue;
    await send(batch);
    batch = [];
  }
  if (batch.length > 0) await send(batch);

  const { reported, existing, refused } = journal;
  console.log(`${reported} reported, ${existing} on file already, ${refused} refused.`);
  if (refused === 0) return 0;
  console.log(`The refused rows are in ${faults_path}.`);
  return EXIT.REFUSED_ROWS;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof Misused) console.error(USAGE);
    const misused = error instanceof Misused || error instanceof UnreadableFile;
    process.exitCode = misused ? EXIT.USAGE : EXIT.FAILED;
  },
);
