import type { Environment } from '@credit/platform/context';
import { type Queryable, statement } from '@credit/platform/db';

/** A link that opens one subject's file to its person, once. */
export interface AccessLink {
  readonly id: string;
  readonly subject_id: string;
  readonly environment: Environment;
  readonly institution_id: string;
}

// Of two that an institution makes for one subject the later is good.
const INSERT = statement<{ expires_at: string }>(
  'access_links_insert',
  `WITH earlier AS (
     UPDATE access_links SET ended_at = now()
     WHERE subject_id = $3 AND institution_id = $5 AND environment = $4 AND ended_at IS NULL
   )
   INSERT INTO access_links (id, token_hash, subject_id, environment, institution_id, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
   RETURNING expires_at`,
);

// The second of two that use one waits for the first, and finds it used.
const USE = statement<AccessLink>(
  'access_links_use',
  `UPDATE access_links AS link SET ended_at = now()
   FROM institutions AS institution
   WHERE link.token_hash = $1 AND link.ended_at IS NULL AND link.expires_at > now()
     AND institution.id = link.institution_id AND institution.status = 'ACTIVE'
   RETURNING link.id, link.subject_id, link.environment, link.institution_id`,
);

const SWEEP = statement(
  'access_links_sweep',
  `DELETE FROM access_links WHERE id = ANY (ARRAY(
     SELECT id FROM access_links WHERE expires_at < now() - interval '1 day'
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Keeps a link in place of what the institution made for the subject before; says when it ends. */
export async function insertAccessLink(
  on: Queryable,
  link: AccessLink & { readonly token_hash: Buffer; readonly lifetime_s: number },
): Promise<string> {
  const { id, token_hash, subject_id, environment, institution_id, lifetime_s } = link;
  const row = await on.one(INSERT, [
    id,
    token_hash,
    subject_id,
    environment,
    institution_id,
    lifetime_s,
  ]);
  return row.expires_at;
}

/** Uses a link up; undefined when it is none, is over, or its institution is not ACTIVE any more. */
export function takeAccessLink(on: Queryable, token_hash: Buffer): Promise<AccessLink | undefined> {
  return on.maybe(USE, [token_hash]);
}

const END_ALL = statement(
  'access_links_end_all',
  `UPDATE access_links SET ended_at = now()
   WHERE subject_id = ANY ($1::uuid[]) AND environment = $2 AND ended_at IS NULL`,
);

/** Ends every link to subjects' files. */
export async function endLinksTo(
  on: Queryable,
  subject_ids: readonly string[],
  environment: Environment,
): Promise<void> {
  await on.execute(END_ALL, [subject_ids, environment]);
}

/** Deletes up to `limit` that have been over for a day. */
export function sweepAccessLinks(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
