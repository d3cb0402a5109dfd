import { createHash } from 'node:crypto';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import {
  type Fault,
  type Format,
  faultHeader,
  faultJson,
  faultLine,
  type Row,
  type Source,
} from '@credit/furnishing';
import { writeWhole } from '../whole-file';

/** A file's bytes. */
export const sourceOf =
  (file: string): Source =>
  (start) =>
    createReadStream(file, { start });

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

export function writeJournal(file: string, journal: Journal): void {
  writeWhole(file, JSON.stringify(journal));
}

/** More faults than this are counted only, so that a wrong mapping fills no disk. */
const MAX_KEPT = 10_000;

/** The faulty rows, which can be corrected and sent again. */
export class FaultFile {
  /** `names` are the columns of a CSV file; `bytes` with `count` faults stand already, from an earlier run; what came after them goes. */
  constructor(
    private readonly file: string,
    private readonly format: Format,
    private readonly names: readonly string[],
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
    const text = this.format === 'ndjson' ? faultJson(row, faults) : this.csv(row, faults);
    appendFileSync(this.file, text);
    this.bytes += Buffer.byteLength(text);
  }

  private csv(row: Row, faults: readonly Fault[]): string {
    const head = this.bytes === 0 ? faultHeader(this.names) : '';
    return head + faultLine(row, faults, this.names);
  }
}
