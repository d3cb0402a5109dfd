// Mappings that an institution keeps for its files.

import { mappingOf, readMapping } from '@credit/furnishing';
import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import {
  type AppError,
  conflict,
  type ErrorDetail,
  invalid,
  notFound,
} from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { MAPPING_NAME, TEXTS } from '@credit/platform/values';
import type { CommandDeps } from '../../commands/batch';
import { type ImportKind, type ImportMapping, MAX_MAPPINGS } from '../domain/import';
import { deleteMapping, lockOtherMappings, saveMapping } from '../store/mappings';
import { kindOfRows } from './read-batch';

/** Keeps a mapping in place of the one of its name. */
export async function saveImportMapping(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  wanted: {
    readonly name: string;
    readonly kind: ImportKind | undefined;
    readonly columns_json?: string | undefined;
    readonly constants_json?: string | undefined;
  },
): Promise<ImportMapping> {
  const institution_id = institutionOf(ctx);
  const { name, kind, columns_json, constants_json = '{}' } = wanted;
  if (kind === undefined) throw invalid('kind', 'is required');
  const details: ErrorDetail[] = [];
  if (!MAPPING_NAME.test(name)) details.push({ path: 'name', message: 'is no name of a mapping' });
  const read = readMapping(writtenOut({ columns_json, constants_json }), kindOfRows(kind));
  if ('faults' in read) {
    details.push(...read.faults.map(({ field, message }) => ({ path: field, message })));
  }
  if (details.length > 0) throw invalid(details);
  const others = await lockOtherMappings(tx, institution_id, name);
  if (others >= MAX_MAPPINGS) {
    throw conflict(`An institution keeps ${MAX_MAPPINGS} mappings: delete one.`, {
      reason: 'LIMIT_REACHED',
    });
  }
  const now = toTimestamp(deps.clock.now_ms());
  const saved = await saveMapping(tx, {
    id: deps.newId(),
    institution_id,
    name,
    kind,
    columns_json,
    constants_json,
    now,
  });
  tx.audit({
    at: now,
    action: 'import_mapping.saved',
    target_type: 'import_mapping',
    target_id: saved.id,
    changes: { name, kind },
  });
  return saved;
}

/** Deletes a mapping; imports that were begun with it have their own copy. */
export async function deleteImportMapping(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  name: string,
): Promise<void> {
  const id = await deleteMapping(tx, institutionOf(ctx), name);
  if (id === undefined) throw noMapping();
  tx.audit({
    at: toTimestamp(deps.clock.now_ms()),
    action: 'import_mapping.deleted',
    target_type: 'import_mapping',
    target_id: id,
    changes: { name },
  });
}

export function noMapping(): AppError {
  return notFound('The mapping does not exist.');
}

/** A name that may be no name at all. */
export function shownName(name: string): string {
  return name.slice(0, TEXTS.mapping_name.max).toWellFormed();
}

function writtenOut(kept: Parameters<typeof mappingOf>[0]): unknown {
  try {
    const { columns, constants } = mappingOf(kept);
    return { ...(columns !== undefined && { columns }), constants };
  } catch {
    throw invalid('columns', 'must be an object');
  }
}
