import { batchStatement, type Queryable, statement } from '@credit/platform/db';
import type { Access, User, UserStatus } from '../domain/users';
import { searchPattern } from './search';

const COLUMNS = `id, email, display_name, status, institution_id, role, platform_role,
  must_change_password, last_login_at, created_at,
  EXISTS (SELECT FROM second_factors f
    WHERE f.user_id = users.id AND f.confirmed_at IS NOT NULL) AS second_factor,
  (SELECT count(*)::int FROM recovery_codes r
    WHERE r.user_id = users.id AND r.used_at IS NULL) AS recovery_codes_left`;

/** A user with what a login needs. */
export interface UserWithPassword extends User {
  readonly password_hash: string;
  /** A temporary password that was not changed in time. */
  readonly is_password_expired: boolean;
}

const PASSWORD_COLUMNS = `${COLUMNS}, password_hash,
  coalesce(password_expires_at <= now(), false) AS is_password_expired`;

// DO NOTHING rather than an error: the caller says what a taken e-mail means.
const INSERT = batchStatement(
  'users_insert',
  {
    id: 'uuid',
    email: 'text',
    email_key: 'text',
    display_name: 'text',
    password_hash: 'text',
    institution_id: 'uuid',
    role: 'text',
    platform_role: 'text',
    password_lifetime_s: 'double precision',
  },
  ({ password_lifetime_s, ...row }) =>
    `INSERT INTO users (${Object.keys(row).join(', ')}, password_expires_at, must_change_password)
   VALUES (${Object.values(row).join(', ')},
     now() + make_interval(secs => ${password_lifetime_s}), ${password_lifetime_s} IS NOT NULL)
   ON CONFLICT (email_key) DO NOTHING
   RETURNING ${COLUMNS}`,
).answering<User>();

const FIND = statement<User>('users_find', `SELECT ${COLUMNS} FROM users WHERE id = $1`);

const FIND_BY_EMAIL = statement<UserWithPassword>(
  'users_find_by_email',
  `SELECT ${PASSWORD_COLUMNS} FROM users WHERE email_key = $1`,
);

const FIND_WITH_PASSWORD = statement<UserWithPassword>(
  'users_find_with_password',
  `SELECT ${PASSWORD_COLUMNS} FROM users WHERE id = $1`,
);

// NO KEY: new sessions, which refer to the row, need not wait for its foreign key.
const LOCK = statement<UserWithPassword>(
  'users_lock',
  `SELECT ${PASSWORD_COLUMNS} FROM users WHERE id = $1 FOR NO KEY UPDATE`,
);

const UPDATE = batchStatement(
  'users_update',
  {
    id: 'uuid',
    email: 'text',
    email_key: 'text',
    display_name: 'text',
    status: 'text',
    institution_id: 'uuid',
    role: 'text',
    platform_role: 'text',
  },
  ({ id, ...row }) => `UPDATE users
   SET (${Object.keys(row).join(', ')}, updated_at) = (${Object.values(row).join(', ')}, now())
   WHERE id = ${id}
   RETURNING ${COLUMNS}`,
).answering<User>();

const SET_PASSWORD = statement<{ password_expires_at: string | undefined }>(
  'users_set_password',
  `UPDATE users
   SET password_hash = $2, password_expires_at = now() + make_interval(secs => $3::float8),
     must_change_password = $3 IS NOT NULL, updated_at = now()
   WHERE id = $1
   RETURNING password_expires_at`,
);

const TOUCH_LOGIN = statement<User>(
  'users_touch_login',
  `UPDATE users SET last_login_at = now() WHERE id = $1 RETURNING ${COLUMNS}`,
);

const OTHER_OWNERS = statement<{ count: number }>(
  'users_other_owners',
  `SELECT count(*)::int AS count FROM users
   WHERE institution_id = $1 AND role = 'OWNER' AND status = 'ACTIVE' AND id <> $2`,
);

const OTHER_SUPERADMINS = statement<{ count: number }>(
  'users_other_superadmins',
  `SELECT count(*)::int AS count FROM users
   WHERE platform_role = 'SVC_SUPERADMIN' AND status = 'ACTIVE' AND id IS DISTINCT FROM $1::uuid`,
);

const SUPERADMINS = statement<User>(
  'users_superadmins',
  `SELECT ${COLUMNS} FROM users WHERE platform_role = 'SVC_SUPERADMIN' ORDER BY id`,
);

const ENABLE = statement(
  'users_enable',
  `UPDATE users SET status = 'ACTIVE', updated_at = now() WHERE id = $1`,
);

const LOCK_ACCESS = statement('access_lock', 'SELECT singleton FROM access_lock FOR UPDATE');

const FILTER = `($1::text IS NULL OR email_key LIKE $1 OR lower(display_name) LIKE $1)
  AND ($2::text IS NULL OR status = $2)
  AND ($3::uuid IS NULL OR institution_id = $3)`;

const LIST = statement<User>(
  'users_list',
  `SELECT ${COLUMNS} FROM users
   WHERE ${FILTER} AND ($4::uuid IS NULL OR id < $4)
   ORDER BY id DESC LIMIT $5`,
);

const COUNT = statement<{ count: number }>(
  'users_count',
  `SELECT count(*)::int AS count FROM users WHERE ${FILTER}`,
);

/** A user to be made. */
export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly email_key: string;
  readonly display_name: string;
  readonly password_hash: string;
  /** For a temporary password, which must be changed; undefined for the user's own. */
  readonly password_lifetime_s: number | undefined;
  readonly institution_id: string | undefined;
  readonly role: User['role'];
  readonly platform_role: User['platform_role'];
}

/** Undefined when the e-mail is another user's. */
export function insertUser(on: Queryable, user: NewUser): Promise<User | undefined> {
  return on.maybe(INSERT, INSERT.values(user));
}

export function findUser(on: Queryable, id: string): Promise<User | undefined> {
  return on.maybe(FIND, [id]);
}

export function findUserByEmail(
  on: Queryable,
  email_key: string,
): Promise<UserWithPassword | undefined> {
  return on.maybe(FIND_BY_EMAIL, [email_key]);
}

export function findUserWithPassword(
  on: Queryable,
  id: string,
): Promise<UserWithPassword | undefined> {
  return on.maybe(FIND_WITH_PASSWORD, [id]);
}

export function lockUser(on: Queryable, id: string): Promise<UserWithPassword | undefined> {
  return on.maybe(LOCK, [id]);
}

export function updateUserRow(
  on: Queryable,
  id: string,
  user: Access & Pick<User, 'email' | 'display_name'> & { email_key: string },
): Promise<User> {
  return on.one(UPDATE, UPDATE.values({ ...user, id }));
}

/** With a lifetime it is a temporary password, which must be changed; returns its end. */
export async function setPassword(
  on: Queryable,
  id: string,
  password_hash: string,
  lifetime_s: number | undefined,
): Promise<string | undefined> {
  return (await on.one(SET_PASSWORD, [id, password_hash, lifetime_s])).password_expires_at;
}

export function touchLogin(on: Queryable, id: string): Promise<User> {
  return on.one(TOUCH_LOGIN, [id]);
}

/** Waits until no other transaction changes who may do what. */
export async function lockAccess(on: Queryable): Promise<void> {
  await on.one(LOCK_ACCESS);
}

/** Active owners of the institution beside the user; exact under {@link lockAccess}. */
export async function countOtherOwners(
  on: Queryable,
  institution_id: string,
  user_id: string,
): Promise<number> {
  return (await on.one(OTHER_OWNERS, [institution_id, user_id])).count;
}

/** Active superadmins beside the user (undefined: all); exact under {@link lockAccess}. */
export async function countOtherSuperadmins(
  on: Queryable,
  user_id: string | undefined,
): Promise<number> {
  return (await on.one(OTHER_SUPERADMINS, [user_id])).count;
}

/** All superadmins, disabled ones too: there are few. */
export function listSuperadmins(on: Queryable): Promise<User[]> {
  return on.query(SUPERADMINS);
}

export async function enableUser(on: Queryable, id: string): Promise<void> {
  await on.execute(ENABLE, [id]);
}

export interface UserFilter {
  readonly q?: string | undefined;
  readonly status?: UserStatus | undefined;
  readonly institution_id?: string | undefined;
}

/** Newest first, after the user `after_id`. */
export function listUserRows(
  on: Queryable,
  filter: UserFilter,
  after_id: string | undefined,
  limit: number,
): Promise<User[]> {
  const { status, institution_id } = filter;
  return on.query(LIST, [searchPattern(filter.q), status, institution_id, after_id, limit]);
}

export async function countUserRows(on: Queryable, filter: UserFilter): Promise<number> {
  const { status, institution_id } = filter;
  return (await on.one(COUNT, [searchPattern(filter.q), status, institution_id])).count;
}
