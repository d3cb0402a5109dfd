import { createHash } from 'node:crypto';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { FAULT_COLUMNS, type Fault, type Row } from './rows';

/** How far a file was reported; kept beside it as FILE.furnish.json. */
export interface Journal {
  /** Of the file, how it is read, to where and with which key: of others nothing is known here. */
  readonly fingerprint: string;
  readonly rows_done: number;
  readonly reported: number;
  readonly existing: number;
  readonly refused: number;
  readonly faults_bytes: number;
}

/** Of the file's content and `rest`. */
export async function fingerprint(file: string, rest: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(rest));
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** The journal of an earlier run of the same; a new one else. */
export function readJournal(file: string, of: string): Journal {
  const fresh = {
    fingerprint: of,
    rows_done: 0,
    reported: 0,
    existing: 0,
    refused: 0,
    faults_bytes: 0,
  };
  if (!existsSync(file)) return fresh;
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Journal;
  return kept.fingerprint === of ? kept : fresh;
}

/** Whole or not at all, wherever the process is killed. */
export function writeJournal(file: string, journal: Journal): void {
  writeFileSync(`${file}.new`, JSON.stringify(journal));
  renameSync(`${file}.new`, file);
}

/** More faults than this are counted only, so that a wrong mapping fills no disk. */
const MAX_KEPT = 10_000;

/** The faulty rows, which can be corrected and sent again. */
export class FaultFile {
  private header: readonly string[] | undefined;

  /** `bytes` with `count` faults stand already, from an earlier run; what came after them goes. */
  constructor(
    private readonly file: string,
    private bytes = 0,
    private counted = 0,
  ) {
    if (!existsSync(file)) this.bytes = 0;
    else if (bytes > 0) truncateSync(file, bytes);
    else rmSync(file);
  }

  get count(): number {
    return this.counted;
  }

  get size(): number {
    return this.bytes;
  }

  /** One line a row, in the format of the file that it comes from. */
  add(row: Row, faults: readonly Fault[]): void {
    this.counted += 1;
    if (this.counted > MAX_KEPT) return;
    const text = row.cells === undefined ? this.jsonLine(row, faults) : this.csvLine(row, faults);
    appendFileSync(this.file, text);
    this.bytes += Buffer.byteLength(text);
  }

  private jsonLine({ line, fields }: Row, faults: readonly Fault[]): string {
    const told = faults.map(({ code, field, message }) => ({ code, field, message }));
    return `${JSON.stringify({ fault: { line, faults: told }, ...fields })}\n`;
  }

  private csvLine({ line, cells = {} }: Row, faults: readonly Fault[]): string {
    this.header ??= Object.keys(cells);
    const names = this.header;
    const told = [
      line,
      faults[0]?.code,
      faults.map(({ field }) => field).join('; '),
      faults.map(({ message }) => message).join('; '),
    ];
    const head = this.bytes === 0 ? [[...FAULT_COLUMNS, ...names]] : [];
    const row = [...told, ...names.map((name) => cells[name] ?? '')];
    return stringify([...head, row], { escape_formulas: true });
  }
}
