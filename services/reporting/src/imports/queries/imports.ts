import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { decodeCursor } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import {
  cursorFault,
  idFromCursor,
  institutionOf,
  type Page,
  type PageRequest,
  readPage,
  uuidFrom,
} from '@credit/platform/requests';
import { MAPPING_NAME } from '@credit/platform/values';
import { noMapping } from '../commands/keep-mapping';
import type { FaultyRow, Import, ImportMapping } from '../domain/import';
import { faultyRowsAfter, importsOfInstitution, loadImport } from '../store/imports';
import { loadMapping, mappingsAfter } from '../store/mappings';

/** One of the institution's own; another's is not there. */
export async function getImport(
  db: Database,
  ctx: CallContext,
  import_id: string,
): Promise<Import> {
  const id = uuidFrom('import_id', import_id);
  const found = await loadImport(db.read(ctx), id, institutionOf(ctx));
  if (found === undefined) throw notFound('The import does not exist.');
  return found;
}

/** Newest first. */
export function listImports(
  db: Database,
  ctx: CallContext,
  request: PageRequest,
): Promise<Page<Import>> {
  const institution_id = institutionOf(ctx);
  const before_id = idFromCursor(request.cursor);
  return readPage(
    request,
    (limit) => importsOfInstitution(db.read(ctx), institution_id, before_id, limit),
    (last) => [last.id],
  );
}

/** What is kept of the faulty rows, in the order of the file. */
export async function listImportFaults(
  db: Database,
  ctx: CallContext,
  request: PageRequest & { readonly import_id: string },
): Promise<{ readonly found: Import; readonly page: Page<FaultyRow> }> {
  const found = await getImport(db, ctx, request.import_id);
  const after_line = lineFrom(request.cursor);
  const page = await readPage(
    request,
    (limit) => faultyRowsAfter(db.read(ctx), found.id, after_line, limit),
    ({ line }) => [String(line)],
  );
  return { found, page };
}

/** One of the institution's own, by its name. */
export async function getImportMapping(
  db: Database,
  ctx: CallContext,
  name: string,
): Promise<ImportMapping> {
  const found = await loadMapping(db.read(ctx), institutionOf(ctx), name);
  if (found === undefined) throw noMapping();
  return found;
}

/** By name. */
export function listImportMappings(
  db: Database,
  ctx: CallContext,
  request: PageRequest,
): Promise<Page<ImportMapping>> {
  const institution_id = institutionOf(ctx);
  const [after = ''] = request.cursor === undefined ? [] : decodeCursor(request.cursor, 1);
  if (after !== '' && !MAPPING_NAME.test(after)) throw cursorFault();
  return readPage(
    request,
    (limit) => mappingsAfter(db.read(ctx), institution_id, after, limit),
    ({ name }) => [name],
  );
}

const LINE = /^\d{1,9}$/;

function lineFrom(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [line = ''] = decodeCursor(cursor, 1);
  if (!LINE.test(line)) throw cursorFault();
  return Number(line);
}
