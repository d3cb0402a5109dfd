import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor } from '@credit/platform/db';
import { invalid, notFound } from '@credit/platform/errors';
import {
  eventsOrigin,
  readConsistency,
  readInclusion,
  type SignedCheckpoint,
} from '@credit/platform/merkle';
import {
  cursorFault,
  institutionOf,
  type Page,
  type PageRequest,
  readPage,
} from '@credit/platform/requests';
import { recordText } from '../domain/audit-chain';
import { auditOrigin } from '../domain/audit-origin';
import { findRecord } from '../store/audit';
import { findCheckpoint, pageOfCheckpoints } from '../store/audit-checkpoints';

/** An entry, and what shows that it stands in what was signed. */
export interface EntryProof {
  readonly entry: string;
  /** From 0. */
  readonly index: number;
  readonly path: readonly Buffer[];
  readonly checkpoint: SignedCheckpoint;
}

const NO_CHECKPOINT = 'No checkpoint covers it yet; one is made within the hour.';

/** A chain's signed states, newest first. */
export function listCheckpoints(
  db: Database,
  ctx: CallContext,
  chain_id: string,
  request: PageRequest,
): Promise<Page<SignedCheckpoint>> {
  const below = request.cursor === undefined ? undefined : sizeFromCursor(request.cursor);
  const read = (limit: number) =>
    pageOfCheckpoints(db.read(ctx), auditOrigin(chain_id), below, limit);
  return readPage(request, read, (last) => [String(last.size)]);
}

function sizeFromCursor(cursor: string): number {
  const [text = ''] = decodeCursor(cursor, 1);
  if (!/^\d{1,15}$/.test(text)) throw cursorFault();
  return Number(text);
}

/** That an entry of a chain stands in it as it was signed: last, or when it had that size. */
export async function proveEntry(
  db: Database,
  ctx: CallContext,
  chain_id: string,
  id: string,
  size: number | undefined,
): Promise<EntryProof> {
  const on = db.read(ctx);
  const record = await findRecord(on, chain_id, id);
  if (record === undefined) throw notFound('The audit event does not exist.');
  const checkpoint = await findCheckpoint(on, auditOrigin(chain_id), size);
  if (checkpoint === undefined) {
    throw notFound(size === undefined ? NO_CHECKPOINT : 'There is no checkpoint of that size.');
  }
  const index = Number(record.sequence) - 1;
  if (index >= checkpoint.size) {
    throw notFound(
      size === undefined ? NO_CHECKPOINT : 'That checkpoint is older than the audit event.',
    );
  }
  const path = await readInclusion(on, chain_id, index, checkpoint.size);
  return { entry: recordText(record, record.prev_hash), index, path, checkpoint };
}

/** That a chain only grew between two sizes. */
export async function proveConsistency(
  db: Database,
  ctx: CallContext,
  chain_id: string,
  from: number,
  to: number,
): Promise<readonly Buffer[]> {
  if (from > to) throw invalid('from', 'must not be above `to`');
  const on = db.read(ctx);
  const newest = await findCheckpoint(on, auditOrigin(chain_id));
  if (to > (newest?.size ?? 0)) throw notFound('No checkpoint covers that size yet.');
  return readConsistency(on, chain_id, from, to);
}

/** What was signed of the log of the caller's institution's credit events: last, or at a size. */
export async function readEventLogCheckpoint(
  db: Database,
  ctx: CallContext,
  size: number | undefined,
): Promise<SignedCheckpoint> {
  const origin = eventsOrigin(ctx.environment, institutionOf(ctx));
  const checkpoint = await findCheckpoint(db.read(ctx), origin, size);
  if (checkpoint !== undefined) return checkpoint;
  throw notFound(size === undefined ? NO_CHECKPOINT : 'There is no checkpoint of that size.');
}
