import { batchStatement, type Queryable, statement } from '@credit/platform/db';
import type { ApiKey, KeyDraft, KeyEnvironment } from '../domain/api-keys';

// Whether a key is active is a question to the database's clock, as in authorisation.
const COLUMNS = `k.id, k.institution_id, k.display_name, k.prefix, k.scopes, k.environment,
  k.allowed_ips, k.expires_at, k.created_by, k.created_at,
  k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AS active`;

const INSERT = batchStatement(
  'api_keys_insert',
  {
    id: 'uuid',
    institution_id: 'uuid',
    display_name: 'text',
    prefix: 'text',
    secret_hash: 'bytea',
    scopes: 'text[]',
    environment: 'text',
    expires_at: 'timestamptz',
    created_by: 'uuid',
    rotated_from: 'uuid',
    allowed_ips: 'text[]',
  },
  ({ allowed_ips, ...row }) =>
    `INSERT INTO api_keys AS k (${Object.keys(row).join(', ')}, allowed_ips)
   VALUES (${Object.values(row).join(', ')}, ${allowed_ips}::cidr[])
   RETURNING ${COLUMNS}, NULL::timestamptz AS last_used_at`,
).answering<ApiKey>();

// Each authentication notes its time beside its counters, so the key's row stays untouched.
const FIND = statement<ApiKey>(
  'api_keys_find',
  `SELECT ${COLUMNS}, c.last_used_at
   FROM api_keys k LEFT JOIN rate_counters c ON c.id = k.id
   WHERE k.id = $1`,
);

const LIST = statement<ApiKey>(
  'api_keys_list',
  `SELECT ${COLUMNS}, c.last_used_at
   FROM api_keys k LEFT JOIN rate_counters c ON c.id = k.id
   WHERE k.institution_id = $1 AND ($2::uuid IS NULL OR k.id < $2)
   ORDER BY k.id DESC LIMIT $3`,
);

const LOCK = statement<ApiKey & { is_revoked: boolean }>(
  'api_keys_lock',
  `SELECT ${COLUMNS}, NULL::timestamptz AS last_used_at, k.revoked_at IS NOT NULL AS is_revoked
   FROM api_keys k WHERE k.id = $1 AND k.institution_id = $2 FOR UPDATE`,
);

// Active ones of an institution; those made at the same time wait for each other.
const COUNT_ACTIVE = statement<{ active: number }>(
  'api_keys_count_active',
  `SELECT count(*)::int AS active FROM api_keys
   WHERE institution_id = $1 AND environment = $2 AND revoked_at IS NULL
     AND (expires_at IS NULL OR expires_at > now())`,
);

const LOCK_OWNER = statement(
  'api_keys_lock_owner',
  'SELECT 1 FROM institutions WHERE id = $1 FOR NO KEY UPDATE',
);

const REVOKE = statement(
  'api_keys_revoke',
  'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL',
);

/** A key to be made. */
export interface NewApiKey extends KeyDraft {
  readonly id: string;
  readonly institution_id: string;
  readonly prefix: string;
  readonly secret_hash: Buffer;
  readonly created_by: string;
  readonly rotated_from: string | undefined;
}

export function insertApiKey(on: Queryable, key: NewApiKey): Promise<ApiKey> {
  return on.one(INSERT, INSERT.values(key));
}

/** How many are active; none is made beside until the transaction ends. */
export async function countActiveKeys(
  on: Queryable,
  institution_id: string,
  environment: KeyEnvironment,
): Promise<number> {
  await on.execute(LOCK_OWNER, [institution_id]);
  return (await on.one(COUNT_ACTIVE, [institution_id, environment])).active;
}

export function findApiKey(on: Queryable, id: string): Promise<ApiKey | undefined> {
  return on.maybe(FIND, [id]);
}

/** Newest first, after the key `after_id`. */
export function listApiKeyRows(
  on: Queryable,
  institution_id: string,
  after_id: string | undefined,
  limit: number,
): Promise<ApiKey[]> {
  return on.query(LIST, [institution_id, after_id, limit]);
}

/** Undefined when it is unknown or another institution's. */
export function lockApiKey(
  on: Queryable,
  id: string,
  institution_id: string,
): Promise<(ApiKey & { is_revoked: boolean }) | undefined> {
  return on.maybe(LOCK, [id, institution_id]);
}

export async function markRevoked(on: Queryable, id: string): Promise<void> {
  await on.execute(REVOKE, [id]);
}
