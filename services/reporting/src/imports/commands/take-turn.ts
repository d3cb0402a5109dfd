// A turn at an import: batch by batch, each with the progress that it is, until others have theirs.

import { createHash } from 'node:crypto';
import {
  FAULT_COLUMNS,
  type Format,
  headerFaults,
  type Mapping,
  type Place,
  type Row,
  readHeader,
  readRows,
  type Source,
} from '@credit/furnishing';
import type { CallContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';
import { crashPoint, toTimestamp } from '@credit/platform/runtime';
import type { CommandDeps } from '../../commands/batch';
import {
  type FaultyRow,
  type ImportFailure,
  type ImportState,
  KEPT_MS,
  keepFaults,
  MAX_ROWS,
  stateAfterCheck,
} from '../domain/import';
import {
  advanceImport,
  type ClaimedImport,
  contentFrom,
  endPhase,
  holdImport,
  keepFaultyRows,
  keepHash,
  releaseImport,
} from '../store/imports';
import { type Applied, applyRows } from './apply-rows';
import { checkRows } from './check-rows';
import { kindOfRows } from './read-batch';

/** Longer than any batch, and than the whole file's hash takes. */
export const LEASE_MS = 120_000;
/** As many as a request may hold; of those that are only looked at, as many as is quick. */
const CHECKED_AT_ONCE = 500;
const WRITTEN_AT_ONCE = { ACCOUNTS: 100, EVENTS: 500 } as const;
const BATCH_BYTES = 2_097_152;

/** It is not in hand any more: cancelled, or another's by now. */
export class OutOfHand extends Error {}

/** What a turn is taken with. */
export interface TurnDeps extends CommandDeps {
  readonly db: Database;
  /** Whether others are to have their turn, or the process ends. */
  readonly isOver: () => boolean;
  /** Between two batches, with how long the last took. */
  readonly rest: (took_ms: number) => Promise<void>;
}

interface Batch {
  readonly rows: readonly Row[];
  readonly end: Place;
}

/** One turn at an import that is in hand. */
export class Turn {
  private checked_rows: number;
  private faulty_rows: number;
  private kept: { readonly kept_rows: number; readonly kept_bytes: bigint };
  private readonly source: Source;
  private readonly mapping: Mapping;

  constructor(
    private readonly deps: TurnDeps,
    private readonly ctx: CallContext,
    private readonly found: ClaimedImport,
  ) {
    this.checked_rows = found.checked_rows;
    this.faulty_rows = found.faulty_rows;
    this.kept = found;
    this.mapping = found.mapping_json === undefined ? {} : JSON.parse(found.mapping_json);
    this.source = (from_bytes) => contentFrom(deps.db.read(ctx), found.id, from_bytes);
  }

  async take(): Promise<void> {
    const { deps, found } = this;
    if (found.sha256 === undefined && !(await this.lookAtWhole())) return;
    for await (const batch of this.batches()) {
      const begun_ms = performance.now();
      if (found.state === 'APPLYING') await this.apply(batch);
      else if (!(await this.check(batch))) return;
      crashPoint('import.batch_committed');
      if (deps.isOver()) {
        await releaseImport(deps.db.read(this.ctx), found, 0);
        return;
      }
      await deps.rest(performance.now() - begun_ms);
    }
    crashPoint('import.read_through');
    await this.inHand(async (tx) => {
      const state =
        found.state === 'APPLYING' ? 'FINISHED' : stateAfterCheck(found, this.faulty_rows);
      this.end(tx, state, state === 'FAILED' ? 'FAULTS' : undefined);
    });
  }

  /** Ends an import of a file that has a fault beyond which nothing can be read. */
  async endFaulty(row: Pick<FaultyRow, 'line' | 'faults'>): Promise<void> {
    await this.inHand(async (tx) => {
      const place = { bytes: Number(this.found.place_bytes), lines: this.found.place_lines };
      this.advance(tx, { rows: [], end: place }, { faulty: [row], checked: 0 });
      this.end(tx, 'FAILED', 'FAULTS');
    });
  }

  /** Its hash and its header; false when nothing more can come of it. */
  private async lookAtWhole(): Promise<boolean> {
    const { deps, ctx, found, source } = this;
    const hash = createHash('sha256');
    for await (const piece of source(0)) hash.update(piece);
    let names: string[] | undefined;
    if (found.format === 'CSV') {
      const header = await readHeader(source);
      names = header.names.filter((name) => !(FAULT_COLUMNS as readonly string[]).includes(name));
    }
    await keepHash(deps.db.read(ctx), found, hash.digest(), names);
    const kind = kindOfRows(found.kind);
    const faults = names === undefined ? [] : headerFaults(names, this.mapping, kind);
    if (faults.length === 0) return true;
    await this.endFaulty({ line: 1, faults });
    return false;
  }

  private async *batches(): AsyncGenerator<Batch> {
    const { kind, format, state, place_bytes, place_lines } = this.found;
    const begin = { bytes: Number(place_bytes), lines: place_lines };
    const most = state === 'APPLYING' ? WRITTEN_AT_ONCE[kind] : CHECKED_AT_ONCE;
    const after = begin.bytes === 0 ? undefined : begin;
    let start = begin;
    let end = begin;
    let rows: Row[] = [];
    const reading = { format: format.toLowerCase() as Format, mapping: this.mapping, after };
    for await (const row of readRows(this.source, reading)) {
      rows.push(row);
      if (row.end === undefined) continue;
      end = row.end;
      if (rows.length < most && end.bytes - start.bytes < BATCH_BYTES) continue;
      yield { rows, end };
      rows = [];
      start = end;
    }
    if (rows.length > 0) yield { rows, end };
  }

  /** False when the file has too many rows. */
  private async check({ rows, end }: Batch): Promise<boolean> {
    const over = rows[MAX_ROWS - this.checked_rows];
    if (over !== undefined) {
      const message = `is beyond the ${MAX_ROWS} rows that a file may have: send several`;
      const fault = { code: 'TOO_MANY_ROWS', field: '', message };
      await this.endFaulty({ line: over.line, faults: [fault] });
      return false;
    }
    await this.inHand(async (tx) => {
      const faulty = await checkRows(tx, this.deps, this.found, rows);
      this.advance(tx, { rows, end }, { faulty, checked: rows.length });
    });
    return true;
  }

  private async apply(batch: Batch): Promise<void> {
    const { deps, ctx, found } = this;
    await applyRows(deps.db, deps, ctx, found, batch.rows, {
      hold: (tx) => hold(tx, found),
      advance: (tx, applied) =>
        this.advance(tx, batch, { faulty: applied.refused, checked: 0, applied }),
    });
  }

  private inHand(write: (tx: Transaction) => Promise<void>): Promise<void> {
    return this.deps.db.transaction(this.ctx, async (tx) => {
      await hold(tx, this.found);
      await write(tx);
    });
  }

  private advance(
    tx: Transaction,
    { rows, end }: Batch,
    {
      faulty,
      checked,
      applied,
    }: { faulty: readonly FaultyRow[]; checked: number; applied?: Applied },
  ): void {
    const { kept, kept_bytes } = keepFaults(faulty, this.kept);
    keepFaultyRows(tx, this.found.id, kept);
    advanceImport(tx, this.found.id, {
      place_bytes: end.bytes,
      place_lines: end.lines,
      checked,
      applied: applied === undefined ? 0 : rows.length,
      reported: applied?.reported ?? 0,
      existing: applied?.existing ?? 0,
      refused: applied?.refused.length ?? 0,
      faulty: faulty.length,
      kept_rows: kept.length,
      kept_bytes,
      lease_ms: LEASE_MS,
    });
    tx.afterCommit(() => {
      this.checked_rows += checked;
      this.faulty_rows += faulty.length;
      this.kept = {
        kept_rows: this.kept.kept_rows + kept.length,
        kept_bytes: this.kept.kept_bytes + BigInt(kept_bytes),
      };
    });
  }

  private end(tx: Transaction, state: ImportState, failure?: ImportFailure): void {
    const now_ms = this.deps.clock.now_ms();
    endPhase(tx, this.found.id, {
      state,
      failure,
      now: toTimestamp(now_ms),
      expires_at: toTimestamp(now_ms + KEPT_MS),
    });
    if (state === 'APPLYING') return;
    tx.audit({
      at: toTimestamp(now_ms),
      action: `import.${state.toLowerCase()}`,
      target_type: 'import',
      target_id: this.found.id,
    });
  }
}

async function hold(tx: Transaction, found: ClaimedImport): Promise<void> {
  if (!(await holdImport(tx, found))) throw new OutOfHand();
}
