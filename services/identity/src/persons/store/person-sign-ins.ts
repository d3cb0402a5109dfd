import type { Environment } from '@credit/platform/context';
import { type Queryable, statement } from '@credit/platform/db';

const INSERT = statement<{ expires_at: string }>(
  'person_sign_ins_insert',
  `INSERT INTO person_sign_ins (token_hash, environment, expires_at)
   VALUES ($1, $2, now() + make_interval(secs => $3)) RETURNING expires_at`,
);

const REDEEM = statement<{ environment: Environment }>(
  'person_sign_ins_redeem',
  `UPDATE person_sign_ins SET redeemed_at = now()
   WHERE token_hash = $1 AND redeemed_at IS NULL AND expires_at > now()
   RETURNING environment`,
);

const PROVE = statement(
  'person_sign_ins_prove',
  'UPDATE person_sign_ins SET proven_at = now() WHERE token_hash = $1 AND redeemed_at IS NOT NULL',
);

const TAKE = statement<{ environment: Environment }>(
  'person_sign_ins_take',
  `DELETE FROM person_sign_ins
   WHERE token_hash = $1 AND proven_at > now() - make_interval(secs => $2)
   RETURNING environment`,
);

const SWEEP = statement(
  'person_sign_ins_sweep',
  `DELETE FROM person_sign_ins WHERE token_hash = ANY (ARRAY(
     SELECT token_hash FROM person_sign_ins WHERE expires_at < now() - interval '1 hour'
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Keeps a sign-in that begins; says when it ends. */
export async function insertPersonSignIn(
  on: Queryable,
  token_hash: Buffer,
  environment: Environment,
  lifetime_s: number,
): Promise<string> {
  return (await on.one(INSERT, [token_hash, environment, lifetime_s])).expires_at;
}

/** Lets its code be taken to the provider, once; undefined when that was done, or it is over. */
export async function redeemPersonSignIn(
  on: Queryable,
  token_hash: Buffer,
): Promise<Environment | undefined> {
  return (await on.maybe(REDEEM, [token_hash]))?.environment;
}

/** Notes that the provider has said who it is. */
export async function provePersonSignIn(on: Queryable, token_hash: Buffer): Promise<void> {
  await on.execute(PROVE, [token_hash]);
}

/** Ends one that was proven within so many seconds; undefined when it is none. */
export async function takePersonSignIn(
  on: Queryable,
  token_hash: Buffer,
  within_s: number,
): Promise<Environment | undefined> {
  return (await on.maybe(TAKE, [token_hash, within_s]))?.environment;
}

/** Deletes up to `limit` that have been over for an hour. */
export function sweepPersonSignIns(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
