import {
  column,
  columns,
  nullable,
  type Queryable,
  statement,
  type Transaction,
} from '@credit/platform/db';
import type { ImportKind, ImportMapping } from '../domain/import';

const MAPPING = columns({
  id: column('uuid'),
  name: column('text'),
  kind: column<'text', ImportKind>('text'),
  columns_json: nullable(column('text')),
  constants_json: column('text'),
  created_at: column('timestamptz'),
  updated_at: column('timestamptz'),
});
const COLUMNS = MAPPING.names('m');

const LOCK_INSTITUTION = statement(
  'import_mappings_lock_institution',
  `SELECT pg_advisory_xact_lock(hashtextextended('import_mappings ' || $1::uuid, 0))`,
);
const OTHERS = statement<{ count: number }>(
  'import_mappings_others',
  `SELECT count(*)::integer AS count FROM import_mappings
   WHERE institution_id = $1 AND name <> $2`,
);

/** How many an institution keeps beside one of a name; whoever would keep more waits. */
export async function lockOtherMappings(
  tx: Transaction,
  institution_id: string,
  name: string,
): Promise<number> {
  await tx.query(LOCK_INSTITUTION, [institution_id]);
  return (await tx.one(OTHERS, [institution_id, name])).count;
}

const SAVE = statement<ImportMapping>(
  'import_mappings_save',
  `INSERT INTO import_mappings AS m (id, institution_id, name, kind, columns_json, constants_json,
     created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
   ON CONFLICT (institution_id, name) DO UPDATE SET kind = EXCLUDED.kind,
     columns_json = EXCLUDED.columns_json, constants_json = EXCLUDED.constants_json,
     updated_at = EXCLUDED.updated_at
   RETURNING ${COLUMNS}`,
);

/** In place of the one of its name, whose id it then has. */
export function saveMapping(
  tx: Transaction,
  row: {
    readonly id: string;
    readonly institution_id: string;
    readonly name: string;
    readonly kind: ImportKind;
    readonly columns_json: string | undefined;
    readonly constants_json: string;
    readonly now: string;
  },
): Promise<ImportMapping> {
  return tx.one(SAVE, [
    row.id,
    row.institution_id,
    row.name,
    row.kind,
    row.columns_json,
    row.constants_json,
    row.now,
  ]);
}

const LOAD = statement<ImportMapping>(
  'import_mappings_load',
  `SELECT ${COLUMNS} FROM import_mappings AS m WHERE m.institution_id = $1 AND m.name = $2`,
);

export function loadMapping(
  on: Queryable,
  institution_id: string,
  name: string,
): Promise<ImportMapping | undefined> {
  return on.maybe(LOAD, [institution_id, name]);
}

const AFTER = statement<ImportMapping>(
  'import_mappings_after',
  `SELECT ${COLUMNS} FROM import_mappings AS m
   WHERE m.institution_id = $1 AND m.name > $2 ORDER BY m.name LIMIT $3`,
);

export function mappingsAfter(
  on: Queryable,
  institution_id: string,
  after_name: string,
  limit: number,
): Promise<ImportMapping[]> {
  return on.query(AFTER, [institution_id, after_name, limit]);
}

const DELETE = statement<{ id: string }>(
  'import_mappings_delete',
  `DELETE FROM import_mappings WHERE institution_id = $1 AND name = $2 RETURNING id`,
);

/** Its id; undefined when there was none of the name. */
export async function deleteMapping(
  tx: Transaction,
  institution_id: string,
  name: string,
): Promise<string | undefined> {
  return (await tx.maybe(DELETE, [institution_id, name]))?.id;
}
