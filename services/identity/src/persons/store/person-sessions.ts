import type { Environment } from '@credit/platform/context';
import { type Queryable, statement } from '@credit/platform/db';

/** How a person has shown whose file it is. */
export type Proof = 'ACCESS_LINK' | 'IDENTITY_PROVIDER';

/** A session that begins. */
export interface NewPersonSession {
  readonly id: string;
  readonly token_hash: Buffer;
  readonly subject_id: string;
  readonly environment: Environment;
  readonly proof: Proof;
  readonly access_link_id: string | undefined;
  readonly lifetime_s: number;
}

const INSERT = statement(
  'person_sessions_insert',
  `INSERT INTO person_sessions
     (id, token_hash, subject_id, environment, proof, access_link_id, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))`,
);

const END = statement(
  'person_sessions_end',
  `UPDATE person_sessions SET revoked_at = now()
   WHERE id = $1 AND subject_id = $2 AND revoked_at IS NULL`,
);

const SWEEP = statement(
  'person_sessions_sweep',
  `DELETE FROM person_sessions WHERE id = ANY (ARRAY(
     SELECT id FROM person_sessions WHERE expires_at < now() - interval '1 day'
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

export async function insertPersonSession(
  on: Queryable,
  { id, token_hash, subject_id, environment, proof, access_link_id, lifetime_s }: NewPersonSession,
): Promise<void> {
  await on.execute(INSERT, [
    id,
    token_hash,
    subject_id,
    environment,
    proof,
    access_link_id,
    lifetime_s,
  ]);
}

/** Ends a session of the subject's person; false when it was over. */
export async function endPersonSession(
  on: Queryable,
  id: string,
  subject_id: string,
): Promise<boolean> {
  return (await on.execute(END, [id, subject_id])) === 1;
}

const END_ALL = statement(
  'person_sessions_end_all',
  `UPDATE person_sessions SET revoked_at = now()
   WHERE subject_id = ANY ($1::uuid[]) AND environment = $2 AND revoked_at IS NULL`,
);

/** Ends every session of subjects' persons. */
export async function endSessionsOf(
  on: Queryable,
  subject_ids: readonly string[],
  environment: Environment,
): Promise<void> {
  await on.execute(END_ALL, [subject_ids, environment]);
}

/** Deletes up to `limit` that have been over for a day. */
export function sweepPersonSessions(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
