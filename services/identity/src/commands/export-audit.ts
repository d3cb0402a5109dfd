import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { systemContext } from '@credit/platform/context';
import type { Database, Queryable } from '@credit/platform/db';
import { noteOf, readConsistency, readFrontiers } from '@credit/platform/merkle';
import { toTimestamp } from '@credit/platform/runtime';
import { recordText } from '../domain/audit-chain';
import { type ExportEnd, endsHead, exportOrigin, FORMAT } from '../domain/audit-export';
import { auditOrigin } from '../domain/audit-origin';
import { type Line, type VerifiedExport, verifyAuditExport } from '../queries/verify-audit-export';
import { readChain } from '../store/audit';
import { findCheckpoint } from '../store/audit-checkpoints';
import { piecesOfMonth } from '../store/audit-exports';
import { lastSigned, type SigningDependencies } from './sign-next';

/** What a month is exported with. */
export interface ExportDependencies extends SigningDependencies {
  readonly db: Database;
}

const BATCH = 1_000;

/** Where a month is kept. */
export function exportFile(directory: string, month: string): string {
  return path.join(directory, `audit-${month}.jsonl.gz`);
}

/**
 * Writes a closed month to its file, and reads it back as whoever checks it later. It has its name once all of
 * it is on the disk. Undefined when nothing was written in that month.
 */
export async function exportAuditMonth(
  deps: ExportDependencies,
  directory: string,
  month: string,
): Promise<VerifiedExport | undefined> {
  const on = deps.db.read(systemContext('live'));
  if ((await piecesOfMonth(on, month)).length === 0) return undefined;
  const file = exportFile(directory, month);
  const part = `${file}.part`;
  try {
    // On the disk before it has its name.
    const out = createWriteStream(part, { mode: 0o640, flush: true });
    await pipeline(Readable.from(linesOf(on, deps, month)), createGzip(), out);
    const verified = await verifyAuditExport(part, deps.checkpoint_keys.verifier);
    await rename(part, file);
    return verified;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

const toLine = (line: Line) => `${JSON.stringify(line)}\n`;
const base64 = (bytes: Buffer) => bytes.toString('base64');

async function* linesOf(
  on: Queryable,
  deps: ExportDependencies,
  month: string,
): AsyncGenerator<string> {
  yield toLine({ audit_export: FORMAT, month });
  const ends: ExportEnd[] = [];
  for (const { chain_id, first, last, count } of await piecesOfMonth(on, month)) {
    if (count !== last - first + 1n) {
      throw new Error(
        `${auditOrigin(chain_id)} has entries of other months among those of ${month}.`,
      );
    }
    const end = yield* linesOfChain(on, deps, chain_id, first, last);
    ends.push(end);
  }
  const signed_at = toTimestamp(deps.clock.now_ms());
  const origin = exportOrigin(month);
  const seal = deps.checkpoint_keys.sign({ origin, signed_at, ...endsHead(ends) });
  yield toLine({ seal: noteOf(seal) });
}

async function* linesOfChain(
  on: Queryable,
  deps: ExportDependencies,
  chain_id: string,
  first: bigint,
  last: bigint,
): AsyncGenerator<string, ExportEnd> {
  const origin = auditOrigin(chain_id);
  const signed = await lastSigned(on, deps, origin);
  const checkpoint = await findCheckpoint(on, origin, signed.size);
  const size = Number(last);
  if (checkpoint === undefined || checkpoint.size < size) {
    throw new Error(`${origin} is not signed up to its entry ${last} yet.`);
  }
  const sizes = [Number(first) - 1, size] as const;
  const [before, after] = await Promise.all(
    sizes.map(async (of) => (await readFrontiers(on, new Map([[chain_id, of]]))).get(chain_id)),
  );
  if (before === undefined || after === undefined) throw new Error('A log has no edge.');
  const edge = before.edge().map(({ hashes, ...key }) => ({ ...key, hashes: base64(hashes) }));
  yield toLine({ chain_id, first: `${first}`, edge });
  let hash: Buffer | undefined;
  for (let read = first - 1n; read < last; ) {
    const records = await readChain(on, chain_id, read, last, BATCH);
    if (records.length === 0) throw new Error(`${origin} lacks entries after ${read}.`);
    for (const record of records) yield `${recordText(record, record.prev_hash)}\n`;
    read += BigInt(records.length);
    hash = records.at(-1)?.hash;
  }
  if (hash === undefined) throw new Error(`${origin} has no entries.`);
  const root = after.root();
  const steps = await readConsistency(on, chain_id, size, checkpoint.size);
  yield toLine({
    last: `${last}`,
    hash: base64(hash),
    root: base64(root),
    checkpoint: noteOf(checkpoint),
    path: steps.map(base64),
  });
  return { chain_id, first, last, hash, root };
}
