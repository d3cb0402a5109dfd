import { type Fields, faultHeader, faultJson, faultLine } from '@credit/furnishing';
import type { CallContext } from '@credit/platform/context';
import { isAppError } from '@credit/platform/errors';
import { withRetry } from '@credit/platform/rpc';
import type { Principal } from '@credit/proto/identity/v1/identity';
import {
  type FaultyRow,
  type Import,
  ImportFormat,
  ImportKind,
  type ListImportFaultsResponse,
} from '@credit/proto/reporting/v1/imports';
import { requireMember } from '../admission';
import type { Clients } from '../clients';
import { type DownloadSlots, listDownload } from '../download';
import { type HandlersOf, present } from '../handler';
import type { Renew, Upload } from '../upload';

const FAULTS_PAGE = 100;

export function importRoutes(
  { reporting }: Clients,
  slots: DownloadSlots,
): HandlersOf<
  | 'createImport'
  | 'continueImport'
  | 'listImports'
  | 'getImport'
  | 'listImportFaults'
  | 'getImportFaultsFile'
  | 'startImport'
  | 'cancelImport'
  | 'saveImportMapping'
  | 'listImportMappings'
  | 'getImportMapping'
  | 'deleteImportMapping'
> {
  const read = async (ctx: CallContext, import_id: string): Promise<Import> =>
    present((await reporting.getImport(ctx, { import_id })).import);

  /** Each piece is a call of its own, and the same one again when its answer was lost. */
  async function append(
    renew: Renew,
    import_id: string,
    begin_bytes: number,
    { pieces }: Upload,
    partial = false,
  ) {
    let from_bytes = BigInt(begin_bytes);
    for await (const content of pieces) {
      const piece = { import_id, from_bytes, content };
      const ctx = renew();
      await withRetry(ctx, () => reporting.appendToImport(ctx, piece));
      from_bytes += BigInt(content.length);
    }
    const { import: found } = await reporting.completeImport(renew(), { import_id, partial });
    return shown(present(found));
  }

  return {
    createImport: async ({ ctx, query, principal, upload, renew }) => {
      requireKind(ctx, principal, query.kind);
      const { kind, dry_run = false, partial, mapping } = query;
      const format = upload.type === 'text/csv' ? ImportFormat.CSV : ImportFormat.NDJSON;
      const begun = await reporting.beginImport(ctx, { kind, format, dry_run, mapping });
      const { id } = present(begun.import);
      try {
        return await append(renew, id, 0, upload, partial);
      } catch (error) {
        // What broke off can be gone on with; what is refused would only be in the way.
        if (isFinal(error)) {
          await reporting.cancelImport(renew(), { import_id: id }).catch(() => {});
        }
        throw error;
      }
    },
    continueImport: async ({ ctx, params, query, principal, upload, renew }) => {
      const { kind } = await read(ctx, params.import_id);
      requireKind(ctx, principal, kind);
      return append(renew, params.import_id, query.from_bytes, upload, query.partial);
    },
    listImports: async ({ ctx, query }) => {
      const { imports, next_cursor } = await reporting.listImports(ctx, query);
      return { items: imports.map(shown), next_cursor };
    },
    getImport: async ({ ctx, params }) => shown(await read(ctx, params.import_id)),
    listImportFaults: async ({ ctx, params, query }) => {
      const { rows, next_cursor } = await reporting.listImportFaults(ctx, { ...params, ...query });
      return { items: rows, next_cursor };
    },
    getImportFaultsFile: ({ ctx, params, renew }) =>
      listDownload<ListImportFaultsResponse>(slots, ctx.institution_id, {
        page: (cursor) => {
          const of_page = renew();
          const wanted = { ...params, limit: FAULTS_PAGE, cursor };
          return withRetry(of_page, () => reporting.listImportFaults(of_page, wanted));
        },
        headers: ({ format }) => {
          const is_csv = format === ImportFormat.CSV;
          return [
            ...['Content-Type', `${is_csv ? 'text/csv' : 'application/x-ndjson'}; charset=utf-8`],
            ...[
              'Content-Disposition',
              `attachment; filename="faults.${is_csv ? 'csv' : 'ndjson'}"`,
            ],
          ];
        },
        head: ({ format, columns }) => (format === ImportFormat.CSV ? faultHeader(columns) : ''),
        text: ({ rows }, { format, columns }) =>
          rows.map((row) => faultText(row, format === ImportFormat.CSV, columns)).join(''),
      }),
    startImport: async ({ ctx, params, principal }) => {
      const { kind } = await read(ctx, params.import_id);
      requireKind(ctx, principal, kind);
      return shown(present((await reporting.startImport(ctx, params)).import));
    },
    cancelImport: async ({ ctx, params }) =>
      shown(present((await reporting.cancelImport(ctx, params)).import)),
    saveImportMapping: async ({ ctx, params, body }) =>
      present((await reporting.saveImportMapping(ctx, { ...params, ...body })).mapping),
    listImportMappings: async ({ ctx, query }) => {
      const { mappings, next_cursor } = await reporting.listImportMappings(ctx, query);
      return { items: mappings, next_cursor };
    },
    getImportMapping: async ({ ctx, params }) =>
      present((await reporting.getImportMapping(ctx, params)).mapping),
    deleteImportMapping: async ({ ctx, params }) => {
      await reporting.deleteImportMapping(ctx, params);
      return undefined;
    },
  };
}

/** 403 of a key that may send files, but not write what such rows are. */
function requireKind(
  { environment }: CallContext,
  principal: Principal | undefined,
  kind: ImportKind,
): void {
  const scope = kind === ImportKind.EVENTS ? 'events:write' : 'accounts:write';
  requireMember({ scope, permission: 'records.write' }, principal, environment);
}

/** Whether sending the rest of a file would end the same way. */
function isFinal(error: unknown): boolean {
  return (
    isAppError(error) &&
    (error.code === 'REQUEST_TOO_LARGE' || error.code === 'INVALID_STATE_TRANSITION')
  );
}

function shown({ received_bytes, created_by_type, created_by_id, ...found }: Import) {
  return {
    ...found,
    received_bytes: Number(received_bytes),
    created_by: { type: created_by_type, id: created_by_id },
  };
}

function faultText({ line, faults, row_json }: FaultyRow, is_csv: boolean, columns: string[]) {
  const held = row_json === undefined ? {} : (JSON.parse(row_json) as Fields);
  if (!is_csv) return faultJson({ line, fields: held }, faults);
  // Sound: the cells of a row of CSV are texts.
  const cells = held as Record<string, string>;
  return faultLine({ line, cells, fields: {} }, faults, columns);
}
