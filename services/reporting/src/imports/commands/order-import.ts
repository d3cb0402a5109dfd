// What an institution tells an import to do, from its first byte to its end.

import { mappingOf } from '@credit/furnishing';
import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict, invalid, notFound, tooLarge } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import type { CommandDeps } from '../../commands/batch';
import {
  checkOrder,
  type Import,
  type ImportFormat,
  type ImportKind,
  type ImportMapping,
  KEPT_MS,
  MAX_FILE_BYTES,
  MAX_HELD_BYTES,
  MAX_OPEN,
  MAX_PIECE_BYTES,
  MAX_PIECES,
  type Order,
  stateToGoOn,
  UNFINISHED_MS,
} from '../domain/import';
import {
  appendPiece,
  insertImport,
  lockHeld,
  lockImport,
  moveImport,
  pieceAt,
} from '../store/imports';
import { loadMapping } from '../store/mappings';
import { shownName } from './keep-mapping';

/** Begins an import; its file is still to come. */
export async function beginImport(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  wanted: {
    readonly kind: ImportKind | undefined;
    readonly format: ImportFormat | undefined;
    readonly dry_run: boolean;
    /** Of a mapping of the institution's. */
    readonly mapping: string | undefined;
  },
): Promise<Import> {
  const institution_id = institutionOf(ctx);
  const { kind, format, dry_run } = wanted;
  if (kind === undefined) throw invalid('kind', 'is required');
  if (format === undefined) throw invalid('format', 'is required');
  const mapping =
    wanted.mapping === undefined
      ? undefined
      : await mappingNamed(tx, institution_id, wanted.mapping, { kind, format });
  const { open } = await lockHeld(tx, institution_id);
  if (open >= MAX_OPEN) {
    throw conflict(`${MAX_OPEN} imports wait or are at work: let one end, or cancel it.`, {
      reason: 'LIMIT_REACHED',
    });
  }
  const now_ms = deps.clock.now_ms();
  const made = await insertImport(tx, {
    id: deps.newId(),
    institution_id,
    kind,
    format,
    dry_run,
    actor_type: ctx.actor.type,
    actor_id: ctx.actor.id,
    now: toTimestamp(now_ms),
    expires_at: toTimestamp(now_ms + UNFINISHED_MS),
    mapping_name: mapping?.name,
    mapping_json: mapping && JSON.stringify(mappingOf(mapping)),
  });
  const named = mapping === undefined ? {} : { mapping: mapping.name };
  log(tx, now_ms, 'import.begun', made.id, { kind, format, dry_run, ...named });
  return made;
}

/** The mapping of a name, when it fits what is to be read by it. */
async function mappingNamed(
  tx: Transaction,
  institution_id: string,
  name: string,
  { kind, format }: { readonly kind: ImportKind; readonly format: ImportFormat },
): Promise<ImportMapping> {
  const found = await loadMapping(tx, institution_id, name);
  if (found === undefined) {
    throw invalid('mapping', `is "${shownName(name)}", which is the name of no mapping of yours`);
  }
  if (found.kind !== kind) {
    throw invalid('mapping', `is "${name}", which is for files of ${found.kind}`);
  }
  if (format !== 'CSV') {
    throw invalid('mapping', 'is for CSV: rows of NDJSON name their fields themselves');
  }
  return found;
}

/** Appends a piece; the same one again, as after an answer that was lost, is on file already. */
export async function appendToImport(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  piece: {
    readonly import_id: string;
    readonly from_bytes: bigint;
    readonly content: Buffer;
  },
): Promise<bigint> {
  const { from_bytes, content } = piece;
  if (content.length === 0 || content.length > MAX_PIECE_BYTES) {
    throw invalid('content', `must have 1 to ${MAX_PIECE_BYTES} bytes`);
  }
  // Before the import's own row: all that begin or append take their locks in this order.
  const { held_bytes } = await lockHeld(tx, institutionOf(ctx));
  const found = await lockOwn(tx, ctx, piece.import_id, 'append');
  const { id, received_bytes, pieces } = found;
  if (from_bytes !== received_bytes) {
    const there = await pieceAt(tx, id, from_bytes);
    if (there?.start_bytes === from_bytes && there.content.equals(content)) return received_bytes;
    throw conflict(`${received_bytes} bytes were received: go on from there.`, {
      reason: 'UPLOAD_OFFSET',
    });
  }
  const after_bytes = received_bytes + BigInt(content.length);
  if (after_bytes > MAX_FILE_BYTES || pieces >= MAX_PIECES) {
    throw tooLarge('A file has 1 GiB at most; send several.', 'BODY_TOO_LARGE');
  }
  if (held_bytes + BigInt(content.length) > MAX_HELD_BYTES) {
    throw conflict('Your imports hold 2 GiB together: let some end, or cancel them.', {
      reason: 'LIMIT_REACHED',
    });
  }
  const expires_at = toTimestamp(deps.clock.now_ms() + UNFINISHED_MS);
  appendPiece(tx, id, { start_bytes: from_bytes, content, expires_at });
  return after_bytes;
}

/** Says that the file is whole: its rows are checked next. */
export async function completeImport(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  import_id: string,
): Promise<Import> {
  const found = await lockOwn(tx, ctx, import_id, 'complete');
  if (found.received_bytes === 0n) throw invalid('', 'the file is empty');
  return move(tx, deps, found, 'CHECKING', 'import.received', {
    bytes: Number(found.received_bytes),
  });
}

/** Writes what was only checked, or goes on with what broke. */
export async function startImport(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  import_id: string,
): Promise<Import> {
  const found = await lockOwn(tx, ctx, import_id, 'start');
  return move(tx, deps, found, stateToGoOn(found), 'import.started', {
    rows: found.row_count ?? null,
  });
}

/** Gives it up; what it has written stays. */
export async function cancelImport(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  import_id: string,
): Promise<Import> {
  const found = await lockOwn(tx, ctx, import_id, 'cancel');
  return move(tx, deps, found, 'CANCELLED', 'import.cancelled', { reported: found.reported });
}

async function lockOwn(tx: Transaction, ctx: CallContext, import_id: string, order: Order) {
  const id = uuidFrom('import_id', import_id);
  const found = await lockImport(tx, id, institutionOf(ctx));
  if (found === undefined) throw notFound('The import does not exist.');
  checkOrder(order, found);
  return found;
}

function move(
  tx: Transaction,
  deps: CommandDeps,
  { id }: Import,
  state: 'CHECKING' | 'APPLYING' | 'CANCELLED',
  action: string,
  changes: Record<string, unknown>,
): Promise<Import> {
  const now_ms = deps.clock.now_ms();
  log(tx, now_ms, action, id, changes);
  return moveImport(tx, id, {
    state,
    now: toTimestamp(now_ms),
    expires_at: toTimestamp(now_ms + KEPT_MS),
  });
}

function log(
  tx: Transaction,
  now_ms: number,
  action: string,
  target_id: string,
  changes: Record<string, unknown>,
): void {
  tx.audit({ at: toTimestamp(now_ms), action, target_type: 'import', target_id, changes });
}
