// What ReportingService says of imports.

import type { Database } from '@credit/platform/db';
import type { Handlers } from '@credit/platform/rpc';
import { specified } from '@credit/platform/values';
import type * as types from '@credit/proto/reporting/v1/imports';
import type * as wire from '@credit/proto/reporting/v1/reporting';
import type { CommandDeps } from './commands/batch';
import { deleteImportMapping, saveImportMapping } from './imports/commands/keep-mapping';
import {
  appendToImport,
  beginImport,
  cancelImport,
  completeImport,
  startImport,
} from './imports/commands/order-import';
import type { FaultyRow, Import } from './imports/domain/import';
import {
  getImport,
  getImportMapping,
  listImportFaults,
  listImportMappings,
  listImports,
} from './imports/queries/imports';

type ImportHandlers = Pick<
  Handlers<typeof wire.ReportingServiceDefinition>,
  | 'beginImport'
  | 'appendToImport'
  | 'completeImport'
  | 'getImport'
  | 'listImports'
  | 'listImportFaults'
  | 'startImport'
  | 'cancelImport'
  | 'saveImportMapping'
  | 'getImportMapping'
  | 'listImportMappings'
  | 'deleteImportMapping'
>;

/** Who is told that there is work. */
export interface ImportQueue {
  wake(): void;
}

export function importHandlers(
  deps: CommandDeps & { readonly db: Database; readonly imports: ImportQueue },
): ImportHandlers {
  const { db, imports } = deps;
  return {
    beginImport: async (ctx, { kind, format, dry_run, mapping }) => {
      const wanted = { kind: specified(kind), format: specified(format), dry_run, mapping };
      const begun = await db.transaction(ctx, (tx) => beginImport(tx, deps, ctx, wanted));
      return { import: importMessage(begun) };
    },
    appendToImport: async (ctx, { import_id, from_bytes, content }) => {
      const piece = { import_id, from_bytes, content: Buffer.from(content) };
      return {
        received_bytes: await db.transaction(ctx, (tx) => appendToImport(tx, deps, ctx, piece)),
      };
    },
    completeImport: async (ctx, { import_id, partial }) => {
      if (partial) return { import: importMessage(await getImport(db, ctx, import_id)) };
      const found = await db.transaction(ctx, (tx) => completeImport(tx, deps, ctx, import_id));
      imports.wake();
      return { import: importMessage(found) };
    },
    getImport: async (ctx, { import_id }) => ({
      import: importMessage(await getImport(db, ctx, import_id)),
    }),
    listImports: async (ctx, request) => {
      const page = await listImports(db, ctx, request);
      return { imports: page.items.map(importMessage), next_cursor: page.next_cursor };
    },
    listImportFaults: async (ctx, request) => {
      const { found, page } = await listImportFaults(db, ctx, request);
      return {
        rows: page.items.map(faultyRowMessage),
        next_cursor: page.next_cursor,
        format: found.format,
        columns: [...(found.columns ?? [])],
      };
    },
    startImport: async (ctx, { import_id }) => {
      const found = await db.transaction(ctx, (tx) => startImport(tx, deps, ctx, import_id));
      imports.wake();
      return { import: importMessage(found) };
    },
    cancelImport: async (ctx, { import_id }) => ({
      import: importMessage(
        await db.transaction(ctx, (tx) => cancelImport(tx, deps, ctx, import_id)),
      ),
    }),
    saveImportMapping: async (ctx, { kind, ...rest }) => {
      const wanted = { ...rest, kind: specified(kind) };
      return {
        mapping: await db.transaction(ctx, (tx) => saveImportMapping(tx, deps, ctx, wanted)),
      };
    },
    getImportMapping: async (ctx, { name }) => ({
      mapping: await getImportMapping(db, ctx, name),
    }),
    listImportMappings: async (ctx, request) => {
      const page = await listImportMappings(db, ctx, request);
      return { mappings: [...page.items], next_cursor: page.next_cursor };
    },
    deleteImportMapping: async (ctx, { name }) => {
      await db.transaction(ctx, (tx) => deleteImportMapping(tx, deps, ctx, name));
      return {};
    },
  };
}

function importMessage(found: Import): types.Import {
  return {
    ...found,
    sha256: found.sha256?.toString('hex'),
    rows: found.row_count,
    mapping: found.mapping_name,
    created_by_type: found.actor_type,
    created_by_id: found.actor_id,
  };
}

function faultyRowMessage({ line, faults, row_json }: FaultyRow): types.FaultyRow {
  return { line, faults: [...faults], row_json };
}
