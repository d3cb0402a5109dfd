import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  statement,
} from '@credit/platform/db';
import type { PlatformRole, Role, Scope } from '@credit/platform/values';
import type { KeyEnvironment } from '../domain/api-keys';
import type { InstitutionStatus } from '../domain/institutions';
import { type Counted, type RateLimits, UNLIMITED } from '../domain/rate-limits';

/** What a presented credential is. */
export type CredentialState = 'ABSENT' | 'VALID' | 'EXPIRED' | 'REVOKED';

/** Equal checks of a batch, taken together. */
export interface CheckGroup {
  readonly key_hash: Buffer | undefined;
  readonly token_hash: Buffer | undefined;
  /** Of a person's token. */
  readonly person_hash: Buffer | undefined;
  /** Normalised; undefined when there is none. */
  readonly address: string | undefined;
  /** What limits per address count by. */
  readonly place: string;
  /** The public write, else undefined: counted by the credential, or by address without one. */
  readonly operation: string | undefined;
  /** How many checks. */
  count: number;
}

/** What a group's credential was found to be. */
export interface FoundGroup {
  /** Place in the groups given, from 1. */
  readonly ordinal: number;
  readonly state: CredentialState;
  /** What its checks count on. */
  readonly counter: string;
  readonly is_api_key: boolean;
  readonly is_person: boolean;
  /** Of a person the subject's. */
  readonly principal_id: string | undefined;
  /** Of an access token or a person's. */
  readonly session_id: string | undefined;
  readonly institution_id: string | undefined;
  readonly institution_status: InstitutionStatus | undefined;
  readonly environment: KeyEnvironment | undefined;
  readonly scopes: Scope[] | undefined;
  readonly role: Role | undefined;
  readonly platform_role: PlatformRole | undefined;
  readonly must_change_password: boolean | undefined;
  /** Confirmed; of an access token's user. */
  readonly second_factor: boolean;
  readonly address_allowed: boolean;
}

/** What was found, with the counters that the group's checks were counted on. */
export interface CheckedGroup extends FoundGroup, Counted {
  /** What the keys of the institution have used together; undefined for others than valid keys. */
  readonly shared: Counted | undefined;
}

/** What was found, with what is to be counted elsewhere. */
export interface UncountedGroup extends FoundGroup {
  readonly minute_limit: number;
  readonly day_limit: number;
  /** Whether it counts on its institution's counter too. */
  readonly is_shared: boolean;
  /** Milliseconds since 1970, of a key that this was a use of. */
  readonly used_at_ms: number | undefined;
}

/** The limits of an institution's keys together. */
export interface SharedLimits {
  readonly minute_limit: number;
  readonly day_limit: number;
}

/**
 * How the pool of this statement is set. Its commits are asynchronous: a crash may give
 * back the requests of its last moments, but nothing that anybody was promised. It is
 * planned once, and to index look-ups even while the tables are small.
 */
export const AUTHORIZATION_SETTINGS: Readonly<Record<string, string>> = {
  synchronous_commit: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};

const GROUP = columns({
  key_hash: nullable(column('bytea')),
  token_hash: nullable(column('bytea')),
  person_hash: nullable(column('bytea')),
  address: nullable(column('inet')),
  place: column('text'),
  operation: nullable(column('text')),
  count: column('integer'),
});

// How many of the group's requests the row's windows still have room for.
const ROOM = `greatest(0, least(excluded.granted,
  excluded.minute_limit - used_in_window(r.minute, r.minute_count, excluded.minute),
  excluded.day_limit - used_in_window(r.day, r.day_count, excluded.day)))`;

const COUNTERS = `(id, minute, minute_count, minute_limit, day, day_count, day_limit, granted,
       last_used_at)`;
const COUNT_IN = `ON CONFLICT (id) DO UPDATE SET
       minute = counting_window(r.minute, excluded.minute),
       minute_count = used_in_window(r.minute, r.minute_count, excluded.minute) + ${ROOM},
       minute_limit = excluded.minute_limit,
       day = counting_window(r.day, excluded.day),
       day_count = used_in_window(r.day, r.day_count, excluded.day) + ${ROOM},
       day_limit = excluded.day_limit,
       granted = ${ROOM},
       last_used_at = coalesce(excluded.last_used_at, r.last_used_at)
     RETURNING id, minute, minute_count, minute_limit, day, day_count, day_limit, granted`;
const FOUND = `c.ordinal::int, c.state, c.counter, c.is_api_key, c.is_person, c.principal_id,
     c.session_id, c.institution_id, c.institution_status, c.environment, c.scopes, c.role, c.platform_role,
     c.must_change_password, c.second_factor, c.address_allowed`;
const MINUTE = `floor(date_part('epoch', now()) / 60)::int`;
const DAY = `floor(date_part('epoch', now()) / 86400)::int`;

const CHECK_PARAMETERS = {
  groups: GROUP,
  per_minute: 'integer',
  per_day: 'integer',
  person_per_minute: 'integer',
  person_per_day: 'integer',
  is_person_door_open: 'boolean',
  anonymous_per_minute: 'integer',
  public_writes_per_minute: 'integer',
} as const;

// What each credential is, by the clock and rows of this moment. Each table is looked up once for
// each group: LIMIT keeps the planner from joining whole tables, which pays for no batch that a
// gateway sends. A credential that is known counts by its own id (a user's valid tokens by the
// user's, a person's by the subject's), so nobody else can use its limits up; one that is not, by
// the address.
const checked = (
  sql: Readonly<Record<keyof typeof CHECK_PARAMETERS, string>>,
  { is_full, from = '' }: { readonly is_full: string; readonly from?: string },
) => `checked AS MATERIALIZED (
     SELECT g.ordinal, g.count, s.state,
       CASE
         WHEN g.operation IS NOT NULL THEN md5('public ' || g.operation || ' ' || g.place)::uuid
         WHEN s.state = 'ABSENT' THEN md5('anonymous ' || g.place)::uuid
         WHEN k.id IS NOT NULL THEN k.id
         WHEN s.state = 'VALID' THEN coalesce(u.id, p.subject_id)
         ELSE coalesce(t.session_id, p.id)
       END AS counter,
       CASE
         WHEN g.operation IS NOT NULL THEN ${sql.public_writes_per_minute}
         WHEN s.state = 'ABSENT' THEN ${sql.anonymous_per_minute}
         WHEN p.id IS NOT NULL THEN ${sql.person_per_minute}
         ELSE ${sql.per_minute}
       END AS minute_limit,
       CASE
         WHEN g.operation IS NOT NULL OR s.state = 'ABSENT' THEN ${UNLIMITED}
         WHEN p.id IS NOT NULL THEN ${sql.person_per_day}
         ELSE ${sql.per_day}
       END AS day_limit,
       CASE
         WHEN k.id IS NOT NULL AND s.state = 'VALID' AND g.operation IS NULL THEN now()
       END AS used_at,
       k.id IS NOT NULL AS is_api_key, p.id IS NOT NULL AS is_person,
       coalesce(k.id, u.id, p.subject_id) AS principal_id,
       coalesce(t.session_id, p.id) AS session_id,
       i.id AS institution_id, i.status AS institution_status,
       coalesce(k.environment, p.environment) AS environment, k.scopes,
       u.role, u.platform_role, u.must_change_password,
       u.id IS NOT NULL AND EXISTS (
         SELECT FROM second_factors WHERE user_id = u.id AND confirmed_at IS NOT NULL
       ) AS second_factor,
       k.allowed_ips IS NULL OR coalesce(g.address <<= ANY (k.allowed_ips), false)
         AS address_allowed,
       k.id IS NOT NULL AND s.state = 'VALID' AND g.operation IS NULL AS is_shared,
       ${is_full} AS is_full
     FROM unnest(${sql.groups})
       WITH ORDINALITY AS g (${GROUP.names()}, ordinal)
     LEFT JOIN LATERAL (
       SELECT id, institution_id, scopes, environment, allowed_ips, expires_at, revoked_at
       FROM api_keys WHERE secret_hash = g.key_hash LIMIT 1
     ) k ON true
     LEFT JOIN LATERAL (
       SELECT session_id, user_id, expires_at, revoked_at
       FROM access_tokens WHERE token_hash = g.token_hash LIMIT 1
     ) t ON true
     LEFT JOIN LATERAL (
       SELECT id, status, institution_id, role, platform_role, must_change_password
       FROM users WHERE id = t.user_id LIMIT 1
     ) u ON true
     LEFT JOIN LATERAL (
       SELECT id, status FROM institutions
       WHERE id = coalesce(k.institution_id, u.institution_id) LIMIT 1
     ) i ON true
     LEFT JOIN LATERAL (
       SELECT id, subject_id, environment, expires_at, revoked_at
       FROM person_sessions WHERE token_hash = g.person_hash LIMIT 1
     ) p ON true
     CROSS JOIN LATERAL (
       SELECT CASE
         WHEN k.id IS NULL AND u.id IS NULL AND p.id IS NULL THEN 'ABSENT'
         WHEN k.revoked_at IS NOT NULL OR t.revoked_at IS NOT NULL OR u.status <> 'ACTIVE'
           OR p.revoked_at IS NOT NULL
           OR (p.environment = 'live' AND NOT ${sql.is_person_door_open})
           THEN 'REVOKED'
         WHEN k.expires_at <= now() OR t.expires_at <= now() OR p.expires_at <= now()
           THEN 'EXPIRED'
         ELSE 'VALID'
       END AS state
     ) s
     ${from}
   )`;

// One statement does it all, so that a batch costs one round trip and one commit:
//
// - checked: what each credential is.
// - counted: each counter once, however many groups share it, in id order, so that two
//   batches cannot deadlock. Only what passes is counted: refused requests do not eat the
//   day's budget, and exactly the limit passes in a window. The row lock makes it exact
//   across gateways; the update sees the row as the last batch left it.
// - shared: what passed by an institution's keys, on a counter with its id, after all of
//   those and in id order again. A key on its own limit takes nothing of the others' that
//   way. Where the institution's is seen to be full, its keys do not count at all.
const AUTHORIZE = batchStatement(
  'authorize',
  {
    ...CHECK_PARAMETERS,
    institution_per_minute: 'integer',
    institution_per_day: 'integer',
  },
  (sql) => `WITH ${checked(sql, {
    is_full: 'coalesce(f.is_full, false)',
    from: `LEFT JOIN LATERAL (
       SELECT used_in_window(minute, minute_count, ${MINUTE}) >= ${sql.institution_per_minute}
         OR used_in_window(day, day_count, ${DAY}) >= ${sql.institution_per_day} AS is_full
       FROM rate_counters WHERE id = k.institution_id LIMIT 1
     ) f ON true`,
  })}, counted AS (
     INSERT INTO rate_counters AS r ${COUNTERS}
     SELECT counter, ${MINUTE}, wanted, minute_limit, ${DAY}, wanted, day_limit, wanted, used_at
     FROM (
       SELECT counter, minute_limit, day_limit, max(used_at) AS used_at,
         least(sum(CASE WHEN is_shared AND is_full THEN 0 ELSE count END)::int,
           minute_limit, day_limit) AS wanted
       FROM checked GROUP BY counter, minute_limit, day_limit
     ) c
     ORDER BY counter
     ${COUNT_IN}
   ), shared AS (
     INSERT INTO rate_counters AS r ${COUNTERS}
     SELECT institution_id, ${MINUTE}, wanted, ${sql.institution_per_minute},
       ${DAY}, wanted, ${sql.institution_per_day}, wanted, NULL
     FROM (
       SELECT k.institution_id,
         least(sum(c.granted)::int, ${sql.institution_per_minute}, ${sql.institution_per_day})
           AS wanted
       FROM (SELECT DISTINCT counter, institution_id FROM checked WHERE is_shared) k
       JOIN counted c ON c.id = k.counter
       GROUP BY k.institution_id
     ) i
     ORDER BY institution_id
     ${COUNT_IN}
   )
   SELECT ${FOUND}, r.minute, r.minute_count, r.minute_limit,
     r.day, r.day_count, r.day_limit, r.granted,
     CASE WHEN s.id IS NOT NULL THEN json_build_object('minute', s.minute,
       'minute_count', s.minute_count, 'minute_limit', s.minute_limit, 'day', s.day,
       'day_count', s.day_count, 'day_limit', s.day_limit, 'granted', s.granted) END AS shared
   FROM checked c JOIN counted r ON r.id = c.counter
     LEFT JOIN shared s ON c.is_shared AND s.id = c.institution_id`,
).answering<CheckedGroup>();

// The same without a write, for counters that are kept elsewhere.
const CHECK = batchStatement(
  'authorize_uncounted',
  CHECK_PARAMETERS,
  (sql) => `WITH ${checked(sql, { is_full: 'false' })}
   SELECT ${FOUND}, c.minute_limit, c.day_limit, c.is_shared,
     floor(1000 * extract(epoch FROM c.used_at))::float8 AS used_at_ms
   FROM checked c`,
).answering<UncountedGroup>();

// In the order of ids: replicas that note the same keys wait for each other, never both.
const NOTE_USES = batchStatement(
  'rate_counters_note_uses',
  { uses: columns({ id: column('uuid'), used_at_ms: column('double precision') }) },
  (sql) => `INSERT INTO rate_counters AS r ${COUNTERS}
   SELECT id, 0, 0, 0, 0, 0, 0, 0, to_timestamp(used_at_ms / 1000)
   FROM unnest(${sql.uses}) AS u (id, used_at_ms)
   ORDER BY id
   ON CONFLICT (id) DO UPDATE SET last_used_at = greatest(r.last_used_at, excluded.last_used_at)`,
);

// Rows whose windows are over say nothing; those of used keys hold last_used_at.
const SWEEP = statement(
  'rate_counters_sweep',
  `DELETE FROM rate_counters WHERE id = ANY (ARRAY(
     SELECT id FROM rate_counters
     WHERE last_used_at IS NULL AND (
       day < floor(date_part('epoch', now()) / 86400)
       OR (day_limit = ${UNLIMITED} AND minute < floor(date_part('epoch', now()) / 60) - 1))
     LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Authenticates and counts; the answer is in no particular order. */
export function authorizeGroups(
  on: Queryable,
  groups: readonly CheckGroup[],
  limits: RateLimits,
  is_person_door_open: boolean,
): Promise<CheckedGroup[]> {
  const shared = sharedLimits(limits);
  return on.query(
    AUTHORIZE,
    AUTHORIZE.values({
      ...limits,
      groups,
      is_person_door_open,
      institution_per_minute: shared.minute_limit,
      institution_per_day: shared.day_limit,
    }),
  );
}

/** Authenticates and says what is to be counted; the answer is in no particular order. */
export function checkGroups(
  on: Queryable,
  groups: readonly CheckGroup[],
  limits: RateLimits,
  is_person_door_open: boolean,
): Promise<UncountedGroup[]> {
  return on.query(CHECK, CHECK.values({ ...limits, groups, is_person_door_open }));
}

/** What an institution's keys have together. */
export function sharedLimits(limits: RateLimits): SharedLimits {
  const { per_minute, per_day, institution_factor: factor } = limits;
  return {
    minute_limit: Math.min(UNLIMITED, per_minute * factor),
    day_limit: Math.min(UNLIMITED, per_day * factor),
  };
}

/** When keys were last used, where their counters are kept elsewhere. */
export function noteKeyUses(
  on: Queryable,
  uses: ReadonlyArray<{ readonly id: string; readonly used_at_ms: number }>,
): Promise<number> {
  return on.execute(NOTE_USES, NOTE_USES.values({ uses }));
}

/** Deletes up to `limit` counters that no longer count. */
export function sweepRateCounters(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
