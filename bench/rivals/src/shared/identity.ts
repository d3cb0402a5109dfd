import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Statement } from './database.ts';
import { Refused } from './refused.ts';

/** Whose key it is, and what is left of its minute. */
export interface Caller {
  readonly key_id: string;
  readonly institution_id: string;
  readonly scopes: readonly string[];
  readonly limit: number;
  readonly remaining: number;
  readonly reset_s: number;
}

// One statement looks the key up by its hash and counts the request on it.
const AUTHORISE: Statement = {
  name: 'authorise',
  text: `WITH key AS (
     SELECT k.id, k.institution_id, k.scopes, i.status
     FROM identity.api_keys k JOIN identity.institutions i ON i.id = k.institution_id
     WHERE k.secret_hash = $1 AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())
   ), counted AS (
     INSERT INTO identity.request_counts AS c (key_id, minute, count)
     SELECT id, floor(extract(epoch FROM now()) / 60)::integer, 1 FROM key
     ON CONFLICT (key_id) DO UPDATE SET
       minute = excluded.minute,
       count = CASE WHEN c.minute = excluded.minute THEN c.count + 1 ELSE 1 END
     RETURNING minute, count
   )
   SELECT key.id AS key_id, key.institution_id, key.scopes, key.status, counted.minute, counted.count
   FROM key, counted`,
};

/** A crash may give back the counts of its last moments; nobody waits for the disk. */
export const COUNTING_SETTINGS = { synchronous_commit: 'off' };

export async function authorise(
  pool: pg.Pool,
  token: string,
  limit_per_minute: number,
): Promise<Caller> {
  const hash = createHash('sha256').update(token).digest();
  const { rows } = await pool.query({ ...AUTHORISE, values: [hash] });
  const [row] = rows;
  if (row === undefined) throw new Refused(401, 'UNAUTHORIZED', 'The token is not valid.');
  if (row.status !== 'ACTIVE') {
    throw new Refused(403, 'FORBIDDEN', 'The institution is suspended.');
  }
  if (row.count > limit_per_minute) {
    throw new Refused(429, 'RATE_LIMITED', 'The minute is used up.');
  }
  return {
    key_id: row.key_id,
    institution_id: row.institution_id,
    scopes: row.scopes,
    limit: limit_per_minute,
    remaining: limit_per_minute - row.count,
    reset_s: (row.minute + 1) * 60,
  };
}

export function requireScope({ scopes }: Caller, scope: string): void {
  if (!scopes.includes(scope)) throw new Refused(403, 'FORBIDDEN', `The scope ${scope} is needed.`);
}

/** Headers of every answer to a known caller. */
export function limitHeaders({ limit, remaining, reset_s }: Caller): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset_s),
  };
}
