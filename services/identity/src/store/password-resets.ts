import { type Queryable, statement } from '@credit/platform/db';
import { mailQueue } from './mail-queue';

/** Mails that set a password anew, by the reset. */
export const password_reset_mails = mailQueue('password_reset_mails', 'reset_id');

/** A reset and whose it is. */
export interface PasswordReset {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly expires_at: string;
  /** Neither used nor over, of a user who is ACTIVE. */
  readonly is_open: boolean;
}

const INSERT = statement(
  'password_resets_insert',
  `INSERT INTO password_resets (id, user_id, expires_at)
   VALUES ($1, $2, now() + make_interval(secs => $3))`,
);

// One that is nobody's joins no user and is never found.
const FOUND = `SELECT reset.id, reset.user_id, users.email, reset.expires_at,
    reset.ended_at IS NULL AND reset.expires_at > now() AND users.status = 'ACTIVE' AS is_open
  FROM password_resets AS reset JOIN users ON users.id = reset.user_id`;

const FIND = statement<PasswordReset>('password_resets_find', `${FOUND} WHERE reset.id = $1`);

const FIND_BY_TOKEN = statement<PasswordReset>(
  'password_resets_find_by_token',
  `${FOUND}
   WHERE reset.id = (SELECT reset_id FROM password_reset_tokens WHERE token_hash = $1)`,
);

const ADD_TOKEN = statement(
  'password_reset_tokens_insert',
  'INSERT INTO password_reset_tokens (token_hash, reset_id) VALUES ($1, $2)',
);

const END = statement(
  'password_resets_end',
  'UPDATE password_resets SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL',
);

// Tokens and mails go with it.
const SWEEP = statement(
  'password_resets_sweep',
  `DELETE FROM password_resets WHERE id = ANY (ARRAY(
     SELECT id FROM password_resets WHERE expires_at < now() - interval '1 day'
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

export async function insertPasswordReset(
  on: Queryable,
  reset: { id: string; user_id: string | undefined; lifetime_s: number },
): Promise<void> {
  await on.execute(INSERT, [reset.id, reset.user_id, reset.lifetime_s]);
}

export function findPasswordReset(on: Queryable, id: string): Promise<PasswordReset | undefined> {
  return on.maybe(FIND, [id]);
}

export function findPasswordResetByToken(
  on: Queryable,
  token_hash: Buffer,
): Promise<PasswordReset | undefined> {
  return on.maybe(FIND_BY_TOKEN, [token_hash]);
}

export async function insertPasswordResetToken(
  on: Queryable,
  token_hash: Buffer,
  reset_id: string,
): Promise<void> {
  await on.execute(ADD_TOKEN, [token_hash, reset_id]);
}

/** Ends a user's open ones: their links are good no more. */
export async function endPasswordResets(on: Queryable, user_id: string): Promise<void> {
  await on.execute(END, [user_id]);
}

/** Deletes up to `limit` that have been over for a day. */
export function sweepPasswordResets(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
