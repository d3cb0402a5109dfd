import { type Queryable, statement } from '@credit/platform/db';
import type { Amr } from '../domain/second-factors';

const INSERT = statement(
  'sessions_insert',
  `INSERT INTO sessions (id, user_id, expires_at, amr)
   VALUES ($1, $2, now() + make_interval(secs => $3), $4)`,
);

// Neither token outlives the session. That it is used is noted with the tokens.
const INSERT_PAIR = statement<{ access_lifetime_s: number }>(
  'sessions_insert_pair',
  `WITH session AS (
     UPDATE sessions SET last_used_at = now(), client_address = $7 WHERE id = $1
     RETURNING id, user_id, expires_at
   ), refresh AS (
     INSERT INTO refresh_tokens (token_hash, access_hash, session_id, parent_hash, expires_at)
     SELECT $4, $2, id, $5, least(expires_at, now() + make_interval(secs => $6)) FROM session
   )
   INSERT INTO access_tokens (token_hash, session_id, user_id, expires_at)
   SELECT $2, id, user_id, least(expires_at, now() + make_interval(secs => $3)) FROM session
   RETURNING greatest(1, floor(date_part('epoch', expires_at - now())))::int AS access_lifetime_s`,
);

/** A session as its user sees it. */
export interface Session {
  readonly id: string;
  readonly created_at: string;
  /** Of the last sign-in or refresh, as is the address. */
  readonly last_used_at: string;
  readonly client_address: string | undefined;
  readonly expires_at: string;
  readonly amr: Amr;
}

/** A refresh token as it was presented. */
export interface RefreshTokenRow {
  readonly session_id: string;
  readonly user_id: string;
  readonly is_session_over: boolean;
  readonly is_expired: boolean;
  readonly used_ago_ms: number | undefined;
  readonly superseded_ago_ms: number | undefined;
  readonly is_successor_used: boolean;
}

const FIND_SESSION = statement<{ session_id: string }>(
  'sessions_find_by_refresh_token',
  'SELECT session_id FROM refresh_tokens WHERE token_hash = $1',
);

const LOCK_SESSION = statement<{ id: string }>(
  'sessions_lock',
  'SELECT id FROM sessions WHERE id = $1 FOR UPDATE',
);

// clock_timestamp and not now(): the transaction may have waited for the session's lock.
const READ_REFRESH_TOKEN = statement<RefreshTokenRow>(
  'sessions_read_refresh_token',
  `SELECT t.session_id, s.user_id,
     s.revoked_at IS NOT NULL OR s.expires_at <= clock_timestamp() AS is_session_over,
     t.expires_at <= clock_timestamp() AS is_expired,
     date_part('epoch', clock_timestamp() - t.used_at) * 1000 AS used_ago_ms,
     date_part('epoch', clock_timestamp() - t.superseded_at) * 1000 AS superseded_ago_ms,
     EXISTS (
       SELECT FROM refresh_tokens successor
       WHERE successor.parent_hash = t.token_hash AND successor.used_at IS NOT NULL
     ) AS is_successor_used
   FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
   WHERE t.token_hash = $1`,
);

const MARK_USED = statement(
  'sessions_mark_used',
  'UPDATE refresh_tokens SET used_at = clock_timestamp() WHERE token_hash = $1',
);

// What was given for a token before, and was not used: of the pairs at most one is good.
const SUPERSEDE = statement(
  'sessions_supersede',
  `WITH superseded AS (
     UPDATE refresh_tokens SET superseded_at = clock_timestamp()
     WHERE parent_hash = $1 AND used_at IS NULL AND superseded_at IS NULL
     RETURNING access_hash
   )
   UPDATE access_tokens SET revoked_at = now()
   WHERE token_hash IN (SELECT access_hash FROM superseded) AND revoked_at IS NULL`,
);

// The rows of a session are locked before its tokens, here as in a refresh.
const END_SESSION = statement(
  'sessions_end',
  `WITH ended AS (
     UPDATE sessions SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL
   )
   UPDATE access_tokens SET revoked_at = now() WHERE session_id = $1 AND revoked_at IS NULL`,
);

const LOCK_OF_USER = statement<{ is_ended: boolean }>(
  'sessions_lock_of_user',
  `SELECT revoked_at IS NOT NULL AS is_ended FROM sessions
   WHERE id = $1 AND user_id = $2 FOR UPDATE`,
);

// It is not over while it can be refreshed, or while an access token of it runs out by itself, as
// after a change of the password. One of before its use was noted was used when it began.
const LIST = statement<Session>(
  'sessions_list',
  `SELECT id, created_at, coalesce(last_used_at, created_at) AS last_used_at, client_address,
     expires_at, amr
   FROM sessions
   WHERE id IN (
       SELECT id FROM sessions s
       WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now() AND EXISTS (
         SELECT FROM refresh_tokens t
         WHERE t.session_id = s.id AND t.used_at IS NULL AND t.expires_at > now())
       UNION ALL
       SELECT session_id FROM access_tokens
       WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now())
     AND ($2::uuid IS NULL OR id < $2)
   ORDER BY id DESC LIMIT $3`,
);

// A sign-in that waits for its second step is as good as a session, and ends with them.
const END_REFRESHING = statement(
  'sessions_end_refreshing',
  `WITH waiting AS (DELETE FROM sign_in_challenges WHERE user_id = $1)
   UPDATE sessions SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL`,
);

const END_OTHERS = statement(
  'sessions_end_others',
  `WITH waiting AS (
     DELETE FROM sign_in_challenges WHERE user_id = $1
   ), ended AS (
     UPDATE sessions SET revoked_at = now()
     WHERE user_id = $1 AND id <> $2 AND revoked_at IS NULL
   )
   UPDATE access_tokens SET revoked_at = now()
   WHERE user_id = $1 AND session_id <> $2 AND revoked_at IS NULL`,
);

const SET_AMR = statement(
  'sessions_set_amr',
  'UPDATE sessions SET amr = $3 WHERE id = $1 AND user_id = $2',
);

const END_ACCESS = statement(
  'sessions_end_access',
  'UPDATE access_tokens SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL',
);

const SWEEP_ACCESS = statement(
  'sessions_sweep_access',
  `DELETE FROM access_tokens WHERE token_hash = ANY (ARRAY(
     SELECT token_hash FROM access_tokens WHERE expires_at < now() - interval '1 day'
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

const SWEEP_REFRESH = statement(
  'sessions_sweep_refresh',
  `DELETE FROM refresh_tokens WHERE token_hash = ANY (ARRAY(
     SELECT token_hash FROM refresh_tokens WHERE expires_at < now() - interval '1 day'
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

const SWEEP_SESSIONS = statement(
  'sessions_sweep',
  `DELETE FROM sessions WHERE id = ANY (ARRAY(
     SELECT id FROM sessions s
     WHERE created_at < now() - interval '2 days'
       AND NOT EXISTS (SELECT FROM refresh_tokens t WHERE t.session_id = s.id)
       AND NOT EXISTS (SELECT FROM access_tokens t WHERE t.session_id = s.id)
     ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Begins a session, which is over after its lifetime however much it is used. */
export async function insertSession(
  on: Queryable,
  session: { id: string; user_id: string; lifetime_s: number; amr: Amr },
): Promise<void> {
  await on.execute(INSERT, [session.id, session.user_id, session.lifetime_s, session.amr]);
}

/** Hashes and lifetimes of a token pair. */
export interface NewTokenPair {
  readonly session_id: string;
  readonly access_hash: Buffer;
  readonly access_lifetime_s: number;
  readonly refresh_hash: Buffer;
  readonly refresh_lifetime_s: number;
  /** The refresh token it was given for; undefined at a login. */
  readonly parent_hash: Buffer | undefined;
  /** Where it is given to. */
  readonly client_address: string | undefined;
}

/** Returns the access token's lifetime in seconds: the session may end before it. */
export async function insertTokenPair(on: Queryable, pair: NewTokenPair): Promise<number> {
  const row = await on.one(INSERT_PAIR, [
    pair.session_id,
    pair.access_hash,
    pair.access_lifetime_s,
    pair.refresh_hash,
    pair.parent_hash,
    pair.refresh_lifetime_s,
    pair.client_address,
  ]);
  return row.access_lifetime_s;
}

/** The token's state once no other refresh of its family runs. */
export async function lockRefreshToken(
  on: Queryable,
  token_hash: Buffer,
): Promise<RefreshTokenRow | undefined> {
  const found = await on.maybe(FIND_SESSION, [token_hash]);
  if (found === undefined) return undefined;
  await on.maybe(LOCK_SESSION, [found.session_id]);
  // A statement of its own: its snapshot must be younger than the lock.
  return on.maybe(READ_REFRESH_TOKEN, [token_hash]);
}

export async function markRefreshTokenUsed(on: Queryable, token_hash: Buffer): Promise<void> {
  await on.execute(MARK_USED, [token_hash]);
}

/** Ends the pairs that were given for the token and are unused; called before another is given. */
export async function supersedeSuccessors(on: Queryable, token_hash: Buffer): Promise<void> {
  await on.execute(SUPERSEDE, [token_hash]);
}

/** The session is locked; undefined when it is unknown or another user's. */
export function lockSessionOf(
  on: Queryable,
  session_id: string,
  user_id: string,
): Promise<{ is_ended: boolean } | undefined> {
  return on.maybe(LOCK_OF_USER, [session_id, user_id]);
}

/** A user's that are not over, newest first, after the session `after_id`. */
export function listSessionRows(
  on: Queryable,
  user_id: string,
  after_id: string | undefined,
  limit: number,
): Promise<Session[]> {
  return on.query(LIST, [user_id, after_id, limit]);
}

/** Ends one family and its access tokens. Returns how many of these. */
export function endSession(on: Queryable, session_id: string): Promise<number> {
  return on.execute(END_SESSION, [session_id]);
}

/** Ends a user's families; access tokens run out by themselves. Returns how many. */
export function endRefreshing(on: Queryable, user_id: string): Promise<number> {
  return on.execute(END_REFRESHING, [user_id]);
}

/** Ends a user's families and access tokens. Returns how many families. */
export async function endSessions(on: Queryable, user_id: string): Promise<number> {
  const ended = await on.execute(END_REFRESHING, [user_id]);
  await on.execute(END_ACCESS, [user_id]);
  return ended;
}

/** Ends a user's families and access tokens but those of one session. */
export async function endOtherSessions(
  on: Queryable,
  user_id: string,
  session_id: string,
): Promise<void> {
  await on.execute(END_OTHERS, [user_id, session_id]);
}

/** Notes what more a session was proven with. */
export async function setAmr(
  on: Queryable,
  session_id: string,
  user_id: string,
  amr: Amr,
): Promise<void> {
  await on.execute(SET_AMR, [session_id, user_id, amr]);
}

/** Deletes up to `limit` rows of each kind that have been over for a day. */
export async function sweepSessions(on: Queryable, limit: number): Promise<number> {
  const access = await on.execute(SWEEP_ACCESS, [limit]);
  const refresh = await on.execute(SWEEP_REFRESH, [limit]);
  return access + refresh + (await on.execute(SWEEP_SESSIONS, [limit]));
}
