import { type Queryable, statement } from '@credit/platform/db';

/** What is known of an institution. */
export interface InstitutionRow {
  id: string;
  name: string;
  status: string;
  version: number;
}

// Events of one institution may come twice or late; the version decides.
const UPSERT = statement(
  'institution_upsert',
  `INSERT INTO institutions AS known (id, name, status, version) VALUES ($1, $2, $3, $4)
   ON CONFLICT (id) DO UPDATE
     SET name = excluded.name, status = excluded.status, version = excluded.version
     WHERE known.version < excluded.version`,
);

/** Keeps the newest version of an institution; false when it was known already. */
export async function upsertInstitution(on: Queryable, row: InstitutionRow): Promise<boolean> {
  return (await on.execute(UPSERT, [row.id, row.name, row.status, row.version])) > 0;
}
