import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { ENVIRONMENTS, type Environment } from '../context';

/** What {@link provision} makes, and with which passwords. */
export interface ProvisionOptions {
  readonly database: string;
  readonly services: readonly string[];
  /** Roles' passwords are derived from this; default: the password in the administrator's URL. */
  readonly secret?: string;
  /** Passwords by role name, where they are kept elsewhere; put before the derived ones. */
  readonly passwords?: Readonly<Record<string, string>>;
}

/** Where each service finds its data. */
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

/** The role (and schema) of a service in an environment. */
export function roleName(service: string, environment: Environment): string {
  return UNDIVIDED.has(service) ? service : `${service}_${environment}`;
}

/**
 * Makes the database and, for each service and environment, a role with a schema of its own that
 * sees nothing else. Changes nothing where all is there already. `admin_url` must be allowed to
 * create roles and databases; it need not be a superuser's.
 */
export async function provision(
  admin_url: string,
  options: ProvisionOptions,
): Promise<Provisioned> {
  const database_url = urlOf(admin_url, { database: options.database });
  const roles = [
    ...new Set(
      options.services.flatMap((service) =>
        ENVIRONMENTS.map((environment) => roleName(service, environment)),
      ),
    ),
  ];
  const secret = options.secret ?? decodeURIComponent(new URL(admin_url).password);
  const password = (role: string) => options.passwords?.[role] ?? derivePassword(secret, role);

  await connected(admin_url, async (server) => {
    await server.query('SELECT pg_advisory_lock($1)', [PROVISION_LOCK]);
    await createDatabase(server, options.database);
    for (const role of roles) await createRole(server, role, password(role));
    await connected(database_url, async (client) => {
      await closeToOthers(client, options.database);
      for (const role of roles) await createSchema(client, options.database, role);
    });
  });

  const url = (service: string, environment: Environment) => {
    const role = roleName(service, environment);
    return urlOf(admin_url, { database: options.database, role, password: password(role) });
  };
  return {
    admin_url: database_url,
    services: Object.fromEntries(
      options.services.map((service) => [
        service,
        { live: url(service, 'live'), test: url(service, 'test') },
      ]),
    ),
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

async function createRole(server: pg.Client, role: string, password: string): Promise<void> {
  const name = pg.escapeIdentifier(role);
  // Set every time, so that a changed secret takes effect; as a verifier, so that no server log
  // ever holds the password.
  const set_password = `PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`;
  if (await exists(server, 'SELECT FROM pg_roles WHERE rolname = $1', role)) {
    await server.query(`ALTER ROLE ${name} LOGIN ${set_password}`);
  } else {
    await server.query(`CREATE ROLE ${name} LOGIN ${set_password}`);
    // Needed to give the role a schema, unless the administrator is a superuser.
    await server.query(`GRANT ${name} TO CURRENT_USER`);
  }
  // On the role and not the role in this database: a copy of the database keeps it.
  await server.query(`ALTER ROLE ${name} SET search_path = ${name}, ${EXTENSION_SCHEMA}`);
  await server.query(`ALTER ROLE ${name} SET timezone = 'UTC'`);
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
  change: { database: string; role?: string; password?: string },
): string {
  const url = new URL(base);
  url.pathname = `/${encodeURIComponent(change.database)}`;
  if (change.role !== undefined) url.username = encodeURIComponent(change.role);
  if (change.password !== undefined) url.password = encodeURIComponent(change.password);
  return url.href;
}
