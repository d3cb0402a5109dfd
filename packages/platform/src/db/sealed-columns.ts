import type { SealedSecret } from '../credentials';
import type { Queryable } from './queryable';
import { statement } from './statement';

/** A sealed secret and the row that it belongs to, to whose id it is bound. */
export interface SealedRow extends SealedSecret {
  readonly id: string;
}

/** What a table's secrets are sealed with. */
export interface SealedColumns {
  /** What the secrets are, as `signing secrets`. */
  readonly of: string;
  count(on: Queryable): Promise<{ key_id: string; count: number }[]>;
  /** Those sealed with another key than this, by id, after one. */
  listOthers(
    on: Queryable,
    key_id: string,
    after_id: string | undefined,
    limit: number,
  ): Promise<SealedRow[]>;
  /** Unless another secret was put there since it was read: then false. */
  replace(on: Queryable, read: SealedRow, sealed: SealedSecret): Promise<boolean>;
}

/** The statements of a table with sealed secrets; the names are the code's own. */
export function sealedColumns(names: {
  readonly of: string;
  readonly table: string;
  readonly id: string;
  readonly key_id: string;
  readonly sealed: string;
}): SealedColumns {
  const { of, table, id, key_id, sealed } = names;
  const COUNT = statement<{ key_id: string; count: number }>(
    `${table}_sealed_count`,
    `SELECT ${key_id} AS key_id, count(*)::integer AS count FROM ${table} GROUP BY 1 ORDER BY 1`,
  );
  const LIST_OTHERS = statement<SealedRow>(
    `${table}_sealed_by_others`,
    `SELECT ${id} AS id, ${key_id} AS key_id, ${sealed} AS sealed FROM ${table}
     WHERE ${key_id} <> $1 AND ($2::uuid IS NULL OR ${id} > $2) ORDER BY ${id} LIMIT $3`,
  );
  const REPLACE = statement(
    `${table}_reseal`,
    `UPDATE ${table} SET ${key_id} = $3, ${sealed} = $4 WHERE ${id} = $1 AND ${sealed} = $2`,
  );
  return {
    of,
    count: (on) => on.query(COUNT, []),
    listOthers: (on, key, after_id, limit) => on.query(LIST_OTHERS, [key, after_id, limit]),
    replace: async (on, read, { key_id: key, sealed: bytes }) =>
      (await on.execute(REPLACE, [read.id, read.sealed, key, bytes])) === 1,
  };
}
