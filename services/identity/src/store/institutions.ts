import { type Queryable, statement } from '@credit/platform/db';
import { nameKey } from '@credit/platform/values';
import type { Institution, InstitutionDetail, InstitutionStatus } from '../domain/institutions';
import { searchPattern } from './search';

const COLUMNS = 'id, name, website, status, publicly_listed, version, created_at';

const INSERT = statement<Institution>(
  'institutions_insert',
  `INSERT INTO institutions (id, name, name_key, website, status) VALUES ($1, $2, $3, $4, $5)
   RETURNING ${COLUMNS}`,
);

// The oldest, when there are several already.
const FIND_BY_NAME = statement<{ id: string }>(
  'institutions_find_by_name',
  `SELECT id FROM institutions WHERE name_key = $1 AND status <> 'CLOSED' ORDER BY id LIMIT 1`,
);

const FIND = statement<Institution>(
  'institutions_find',
  `SELECT ${COLUMNS} FROM institutions WHERE id = $1`,
);

// NO KEY: users, keys and invitations that refer to the row need not wait.
const LOCK = statement<Institution>(
  'institutions_lock',
  `SELECT ${COLUMNS} FROM institutions WHERE id = $1 FOR NO KEY UPDATE`,
);

const UPDATE = statement<Institution>(
  'institutions_update',
  `UPDATE institutions
   SET status = $2, status_reason = coalesce($3, status_reason), publicly_listed = $4,
     website = $5, version = version + 1, updated_at = now()
   WHERE id = $1
   RETURNING ${COLUMNS}`,
);

const FILTER = `($1::text IS NULL OR lower(name) LIKE $1) AND ($2::text IS NULL OR status = $2)`;

const LIST = statement<Institution>(
  'institutions_list',
  `SELECT ${COLUMNS} FROM institutions
   WHERE ${FILTER} AND ($3::uuid IS NULL OR id < $3)
   ORDER BY id DESC LIMIT $4`,
);

const COUNT = statement<{ count: number }>(
  'institutions_count',
  `SELECT count(*)::int AS count FROM institutions WHERE ${FILTER}`,
);

const LIST_PUBLIC = statement<Institution>(
  'institutions_list_public',
  `SELECT ${COLUMNS} FROM institutions
   WHERE status = 'ACTIVE' AND publicly_listed
     AND ($1::text IS NULL OR (lower(name), id) > (lower($1), $2::uuid))
   ORDER BY lower(name), id LIMIT $3`,
);

// Each count reads an index of the institution's own rows.
const FIND_DETAIL = statement<InstitutionDetail>(
  'institutions_find_detail',
  `SELECT ${COLUMNS}, status_reason,
     (SELECT count(*) FROM users u
      WHERE u.institution_id = i.id AND u.status = 'ACTIVE')::int AS user_count,
     (SELECT count(*) FROM api_keys k
      WHERE k.institution_id = i.id AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now()))::int AS api_key_count,
     (SELECT count(*) FROM invitations v
      WHERE v.institution_id = i.id AND v.accepted_at IS NULL AND v.ended_at IS NULL
        AND v.expires_at > now())::int AS invitation_count
   FROM institutions i WHERE id = $1`,
);

const COUNT_BY_STATUS = statement<{ status: InstitutionStatus; count: bigint }>(
  'institutions_count_by_status',
  'SELECT status, count(*) AS count FROM institutions GROUP BY status ORDER BY status',
);

export function insertInstitution(
  on: Queryable,
  institution: Pick<Institution, 'id' | 'name' | 'website' | 'status'>,
): Promise<Institution> {
  const { id, name, website, status } = institution;
  return on.one(INSERT, [id, name, nameKey(name), website, status]);
}

/** An institution of that name that is not closed; exact under the lock of access. */
export async function findInstitutionByName(
  on: Queryable,
  name: string,
): Promise<string | undefined> {
  return (await on.maybe(FIND_BY_NAME, [nameKey(name)]))?.id;
}

export function findInstitution(on: Queryable, id: string): Promise<Institution | undefined> {
  return on.maybe(FIND, [id]);
}

export function findInstitutionDetail(
  on: Queryable,
  id: string,
): Promise<InstitutionDetail | undefined> {
  return on.maybe(FIND_DETAIL, [id]);
}

export function lockInstitution(on: Queryable, id: string): Promise<Institution | undefined> {
  return on.maybe(LOCK, [id]);
}

export function updateInstitutionRow(
  on: Queryable,
  id: string,
  change: Pick<Institution, 'status' | 'publicly_listed' | 'website'> & {
    reason: string | undefined;
  },
): Promise<Institution> {
  return on.one(UPDATE, [id, change.status, change.reason, change.publicly_listed, change.website]);
}

export interface InstitutionFilter {
  readonly q?: string | undefined;
  readonly status?: InstitutionStatus | undefined;
}

/** Newest first, after the institution `after_id`. */
export function listInstitutionRows(
  on: Queryable,
  filter: InstitutionFilter,
  after_id: string | undefined,
  limit: number,
): Promise<Institution[]> {
  return on.query(LIST, [searchPattern(filter.q), filter.status, after_id, limit]);
}

export async function countInstitutionRows(
  on: Queryable,
  filter: InstitutionFilter,
): Promise<number> {
  return (await on.one(COUNT, [searchPattern(filter.q), filter.status])).count;
}

/** By name, after the institution with that name and id. */
export function listPublicInstitutionRows(
  on: Queryable,
  after: { name: string; id: string } | undefined,
  limit: number,
): Promise<Institution[]> {
  return on.query(LIST_PUBLIC, [after?.name, after?.id, limit]);
}

export function countInstitutionsByStatus(
  on: Queryable,
): Promise<{ status: InstitutionStatus; count: bigint }[]> {
  return on.query(COUNT_BY_STATUS);
}

const NAMES = statement<{ id: string; name: string }>(
  'institutions_names',
  'SELECT id, name FROM institutions WHERE id = ANY ($1)',
);

/** What institutions are called, whatever their status; unknown ones are left out. */
export function institutionNames(
  on: Queryable,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return on.query(NAMES, [ids]);
}
