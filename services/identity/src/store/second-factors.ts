import type { SealedSecret } from '@credit/platform/credentials';
import { type Queryable, sealedColumns, statement } from '@credit/platform/db';

/** A user's second factor, offered or confirmed. */
export interface SecondFactor extends SealedSecret {
  readonly user_id: string;
  readonly is_confirmed: boolean;
}

const COLUMNS = 'user_id, key_id, sealed, confirmed_at IS NOT NULL AS is_confirmed';

// A confirmed one is never put another in place of: it is removed first.
const OFFER = statement(
  'second_factors_offer',
  `INSERT INTO second_factors AS f (user_id, key_id, sealed) VALUES ($1, $2, $3)
   ON CONFLICT (user_id) DO UPDATE
   SET key_id = $2, sealed = $3, last_step = NULL, created_at = now()
   WHERE f.confirmed_at IS NULL`,
);

const FIND = statement<SecondFactor>(
  'second_factors_find',
  `SELECT ${COLUMNS} FROM second_factors WHERE user_id = $1`,
);

const CONFIRM = statement(
  'second_factors_confirm',
  'UPDATE second_factors SET confirmed_at = now() WHERE user_id = $1 AND confirmed_at IS NULL',
);

const USE_STEP = statement(
  'second_factors_use_step',
  `UPDATE second_factors SET last_step = $2
   WHERE user_id = $1 AND (last_step IS NULL OR last_step < $2)`,
);

// Its recovery codes go with it.
const DELETE = statement('second_factors_delete', 'DELETE FROM second_factors WHERE user_id = $1');

/** What the authenticators' secrets are sealed with. */
export const SEALED = sealedColumns({
  of: "authenticators' secrets",
  table: 'second_factors',
  id: 'user_id',
  key_id: 'key_id',
  sealed: 'sealed',
});

const DELETE_CODES = statement(
  'recovery_codes_delete',
  'DELETE FROM recovery_codes WHERE user_id = $1',
);

const INSERT_CODES = statement(
  'recovery_codes_insert',
  'INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])',
);

// The second of two that use one waits for the first, and finds it used.
const USE_CODE = statement(
  'recovery_codes_use',
  `UPDATE recovery_codes SET used_at = now()
   WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL`,
);

const INSERT_CHALLENGE = statement(
  'sign_in_challenges_insert',
  `INSERT INTO sign_in_challenges (token_hash, user_id, expires_at)
   VALUES ($1, $2, now() + make_interval(secs => $3))`,
);

const TRY_CHALLENGE = statement<{ user_id: string }>(
  'sign_in_challenges_try',
  `UPDATE sign_in_challenges SET attempts = attempts + 1
   WHERE token_hash = $1 AND attempts < $2 AND expires_at > now()
   RETURNING user_id`,
);

const END_CHALLENGE = statement(
  'sign_in_challenges_end',
  'DELETE FROM sign_in_challenges WHERE token_hash = $1 AND expires_at > now()',
);

const SWEEP_CHALLENGES = statement(
  'sign_in_challenges_sweep',
  `DELETE FROM sign_in_challenges WHERE token_hash = ANY (ARRAY(
     SELECT token_hash FROM sign_in_challenges WHERE expires_at < now()
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Keeps a secret that is offered, in place of one offered before; false when one is confirmed. */
export async function offerSecondFactor(
  on: Queryable,
  user_id: string,
  { key_id, sealed }: SealedSecret,
): Promise<boolean> {
  return (await on.execute(OFFER, [user_id, key_id, sealed])) === 1;
}

export function findSecondFactor(
  on: Queryable,
  user_id: string,
): Promise<SecondFactor | undefined> {
  return on.maybe(FIND, [user_id]);
}

export async function confirmSecondFactor(on: Queryable, user_id: string): Promise<void> {
  await on.execute(CONFIRM, [user_id]);
}

/** Takes the code of a time step; false when it, or one of a later step, was taken before. */
export async function useStep(on: Queryable, user_id: string, step: number): Promise<boolean> {
  return (await on.execute(USE_STEP, [user_id, step])) === 1;
}

/** Offered or confirmed. */
export async function deleteSecondFactor(on: Queryable, user_id: string): Promise<void> {
  await on.execute(DELETE, [user_id]);
}

/** Puts codes in place of all that there were. */
export async function replaceRecoveryCodes(
  on: Queryable,
  user_id: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await on.execute(DELETE_CODES, [user_id]);
  await on.execute(INSERT_CODES, [user_id, hashes]);
}

/** False when there is no such code, or it was used. */
export async function useRecoveryCode(
  on: Queryable,
  user_id: string,
  code_hash: Buffer,
): Promise<boolean> {
  return (await on.execute(USE_CODE, [user_id, code_hash])) === 1;
}

export async function insertChallenge(
  on: Queryable,
  challenge: { token_hash: Buffer; user_id: string; lifetime_s: number },
): Promise<void> {
  const { token_hash, user_id, lifetime_s } = challenge;
  await on.execute(INSERT_CHALLENGE, [token_hash, user_id, lifetime_s]);
}

/** Counts an attempt; undefined when the challenge is unknown, over, or had all its attempts. */
export async function tryChallenge(
  on: Queryable,
  token_hash: Buffer,
  most: number,
): Promise<string | undefined> {
  return (await on.maybe(TRY_CHALLENGE, [token_hash, most]))?.user_id;
}

/** Uses a challenge up; false when it is over, or somebody else did. */
export async function endChallenge(on: Queryable, token_hash: Buffer): Promise<boolean> {
  return (await on.execute(END_CHALLENGE, [token_hash])) === 1;
}

/** Deletes up to `limit` that are over. */
export function sweepChallenges(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_CHALLENGES, [limit]);
}
