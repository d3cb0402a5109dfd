import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ENVIRONMENTS, type Environment } from '../context';
import { errorCode, refusesLogin } from './failure';

/** What {@link provision} makes, and with which passwords. */
export interface ProvisionOptions {
  readonly database: string;
  readonly services: readonly string[];
  /** Of which environments this server has the data; default: of both. A service that does not tell them apart is of each. */
  readonly environments?: readonly Environment[];
  /** The first logins' passwords are derived from this; default: the password in the administrator's URL. */
  readonly secret?: string;
  /** The second logins' passwords are derived from this; without it derived ones have none. */
  readonly second_secret?: string;
  /** Passwords by login name, where they are kept elsewhere; put before the derived ones. */
  readonly passwords?: Readonly<Record<string, string>>;
  /** Which of the two the services' URLs are of; default: the first. */
  readonly login?: Login;
}

/**
 * A role has two logins, by turns in use: the password of the one that nobody uses is changed, then
 * the other is left. The first is the role itself, which owns the schema; the second becomes it.
 */
export const LOGINS = ['first', 'second'] as const;
export type Login = (typeof LOGINS)[number];

/** Where each service finds its data, or would find that of an environment that was not asked for. */
export interface Provisioned {
  /** The administrator's URL of the made database. */
  readonly admin_url: string;
  /** By service; both environments have one URL where a service does not tell them apart. */
  readonly services: Readonly<Record<string, Readonly<Record<Environment, string>>>>;
}

/** Services whose data belongs to no environment: one role and one schema. */
const UNDIVIDED = new Set(['identity']);
/** Made by the administrator in a schema that every role may use; roles cannot make any. */
const EXTENSIONS = ['pg_trgm'];
const EXTENSION_SCHEMA = 'extensions';
/** Any fixed number: two provisioners of one server take turns on it. */
const PROVISION_LOCK = 5_930_288;
const LEAVING_MS = 2_000;
const LEAVING_POLL_MS = 50;

/** The role (and schema) of a service in an environment. */
export function roleName(service: string, environment: Environment): string {
  return UNDIVIDED.has(service) ? service : `${service}_${environment}`;
}

/** The name that a role logs in under. */
export function loginName(role: string, login: Login): string {
  return login === 'first' ? role : `${role}_b`;
}

/** A password was to be changed under those who use it: each further connection of theirs would fail. */
export class LoginInUse extends Error {
  constructor(readonly login: string) {
    super(
      `${login} is in use: its password is not changed. Have its service use the other login first.`,
    );
    this.name = 'LoginInUse';
  }
}

/**
 * Makes the database and, for each service and environment, a role with a schema of its own that
 * sees nothing else, and its logins. Changes nothing where all is there already, and no password of
 * a login in use ({@link LoginInUse}). `admin_url` must be allowed to create roles and databases; it
 * need not be a superuser's.
 */
export async function provision(
  admin_url: string,
  options: ProvisionOptions,
): Promise<Provisioned> {
  const roles = rolesOf(options);
  const made = provisioned(admin_url, options);
  const passwordOf = passwordsOf(admin_url, options);

  await connected(admin_url, async (server) => {
    await server.query('SELECT pg_advisory_lock($1)', [PROVISION_LOCK]);
    await createDatabase(server, options.database);
    for (const role of roles) {
      for (const login of LOGINS) {
        const password = passwordOf(role, login);
        if (password === undefined) continue;
        const as = { name: loginName(role, login), password };
        const url = urlOf(admin_url, { database: options.database, as });
        await createLogin(server, role, login, { password, url });
      }
    }
    await connected(made.admin_url, async (client) => {
      await closeToOthers(client, options.database);
      for (const role of roles) await createSchema(client, options.database, role);
    });
  });
  return made;
}

/** The roles of services in environments, each once. */
export function rolesOf({
  services,
  environments = ENVIRONMENTS,
}: Pick<ProvisionOptions, 'services' | 'environments'>): ReadonlySet<string> {
  return new Set(
    services.flatMap((service) =>
      environments.map((environment) => roleName(service, environment)),
    ),
  );
}

/** What {@link provision} with the same options has made. */
export function provisioned(admin_url: string, options: ProvisionOptions): Provisioned {
  const { database, services, login = 'first' } = options;
  const passwordOf = passwordsOf(admin_url, options);
  const url = (service: string, environment: Environment) => {
    const role = roleName(service, environment);
    const password = passwordOf(role, login);
    if (password === undefined) throw new Error(`There is no ${login} login of ${role}.`);
    return urlOf(admin_url, { database, as: { name: loginName(role, login), password } });
  };
  return {
    admin_url: urlOf(admin_url, { database }),
    services: Object.fromEntries(
      services.map((service) => [
        service,
        { live: url(service, 'live'), test: url(service, 'test') },
      ]),
    ),
  };
}

/** Undefined for a login that is not wanted. */
function passwordsOf(
  admin_url: string,
  { secret, second_secret, passwords }: ProvisionOptions,
): (role: string, login: Login) => string | undefined {
  const secrets = {
    first: secret ?? decodeURIComponent(new URL(admin_url).password),
    second: second_secret,
  };
  return (role, login) => {
    const from = secrets[login];
    const derived = from === undefined ? undefined : derivePassword(from, role);
    return passwords?.[loginName(role, login)] ?? derived;
  };
}

async function connected(url: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

async function exists(client: pg.Client, text: string, name: string): Promise<boolean> {
  return (await client.query(text, [name])).rowCount !== 0;
}

async function createDatabase(server: pg.Client, database: string): Promise<void> {
  if (await exists(server, 'SELECT FROM pg_database WHERE datname = $1', database)) return;
  await server.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} ENCODING 'UTF8'`);
}

async function createLogin(
  server: pg.Client,
  role: string,
  login: Login,
  { password, url }: { readonly password: string; readonly url: string },
): Promise<void> {
  const login_name = loginName(role, login);
  const [name, owner] = [pg.escapeIdentifier(login_name), pg.escapeIdentifier(role)];
  // As a verifier, so that no server log ever holds the password.
  const set_password = `PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`;
  if (!(await exists(server, 'SELECT FROM pg_roles WHERE rolname = $1', login_name))) {
    await server.query(`CREATE ROLE ${name} LOGIN ${set_password}`);
    // Needed to give the role a schema, unless the administrator is a superuser.
    await server.query(`GRANT ${name} TO CURRENT_USER`);
  } else if (!(await isKept(server, login_name, url))) {
    // Set every time, so that a changed secret takes effect.
    await server.query(`ALTER ROLE ${name} LOGIN ${set_password}`);
  }
  // On the role and not the role in this database: a copy of the database keeps it.
  await server.query(`ALTER ROLE ${name} SET search_path = ${owner}, ${EXTENSION_SCHEMA}`);
  await server.query(`ALTER ROLE ${name} SET timezone = 'UTC'`);
  if (login === 'first') return;
  // What it makes belongs to the role, whoever of the two made it.
  await server.query(`GRANT ${owner} TO ${name}`);
  await server.query(`ALTER ROLE ${name} SET role = ${owner}`);
}

function isInUse(server: pg.Client, login_name: string): Promise<boolean> {
  return exists(server, 'SELECT FROM pg_stat_activity WHERE usename = $1 LIMIT 1', login_name);
}

/**
 * Whether a login is in use with the very password that it is to have; false where nobody uses it. Others
 * come and go meanwhile, so both are asked together, and again: a connection that was just closed is there
 * for a moment.
 */
async function isKept(server: pg.Client, login_name: string, url: string): Promise<boolean> {
  for (const until_ms = Date.now() + LEAVING_MS; ; await sleep(LEAVING_POLL_MS)) {
    if (!(await isInUse(server, login_name))) return false;
    if (await letsIn(url)) return true;
    if (Date.now() >= until_ms) throw new LoginInUse(login_name);
  }
}

/** Whether the server takes the password of a URL, whatever else it says to who comes with it. */
async function letsIn(url: string): Promise<boolean> {
  try {
    await connected(url, async () => {});
    return true;
  } catch (error) {
    // It is known by then, and may not use this database yet.
    if (errorCode(error) === '42501') return true;
    if (refusesLogin(error)) return false;
    throw error;
  }
}

async function closeToOthers(client: pg.Client, database: string): Promise<void> {
  await client.query(`REVOKE ALL ON DATABASE ${pg.escapeIdentifier(database)} FROM PUBLIC`);
  await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${EXTENSION_SCHEMA}`);
  for (const extension of EXTENSIONS) {
    await client.query(
      `CREATE EXTENSION IF NOT EXISTS ${extension} WITH SCHEMA ${EXTENSION_SCHEMA}`,
    );
  }
}

async function createSchema(client: pg.Client, database: string, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role);
  await client.query(`GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(database)} TO ${name}`);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${name} AUTHORIZATION ${name}`);
  await client.query(`GRANT USAGE ON SCHEMA ${EXTENSION_SCHEMA} TO ${name}`);
}

function derivePassword(secret: string, role: string): string {
  return createHmac('sha256', secret).update(`database role ${role}`).digest('base64url');
}

const SCRAM_ITERATIONS = 4_096;

/** What PostgreSQL stores for a password (RFC 5803), made here as psql's \password makes it. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const key = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  const server = key('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

function urlOf(
  base: string,
  change: { database: string; as?: { name: string; password: string } },
): string {
  const url = new URL(base);
  url.pathname = `/${encodeURIComponent(change.database)}`;
  if (change.as !== undefined) {
    url.username = encodeURIComponent(change.as.name);
    url.password = encodeURIComponent(change.as.password);
  }
  return url.href;
}
