import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import pg from 'pg';
import { errorCode } from './failure';

const PLATFORM_MIGRATIONS = path.resolve(__dirname, '../../migrations');
const INCLUDE = /^-- include: platform\/(\d{4})$/gm;
/** First line of a migration of one statement that cannot be in a transaction, as
 * CREATE INDEX CONCURRENTLY; it must be able to run again after a kill. */
const OUTSIDE_TRANSACTION = '-- outside a transaction';
/** Whoever waits for a table makes everybody behind wait, who wait 5 s at most: better to try later. */
const LOCK_TIMEOUT = '2s';
/** What is built beside the service makes nobody wait, and waits itself for all that is older in the database. */
const LOCK_TIMEOUT_OUTSIDE = '10min';
const UNDEFINED_TABLE = '42P01';
// Any fixed number: migrators of one database take turns on it.
const MIGRATION_LOCK = 4_020_117;

interface SqlMigration {
  readonly name: string;
  readonly file: string;
}

async function readMigration(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  const platform = await readdir(PLATFORM_MIGRATIONS);
  let result = text;
  for (const [line, number] of text.matchAll(INCLUDE)) {
    const name = platform.find((entry) => entry.startsWith(`${number}_`));
    if (name === undefined) throw new Error(`${file}: there is no platform migration ${number}.`);
    result = result.replace(line, await readFile(path.join(PLATFORM_MIGRATIONS, name), 'utf8'));
  }
  return result;
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
}

function migrationSource(directory: string): Knex.MigrationSource<SqlMigration> {
  return {
    async getMigrations() {
      return (await namesIn(directory)).map((name) => ({ name, file: path.join(directory, name) }));
    },
    getMigrationName: (migration) => migration.name,
    async getMigration(migration) {
      const sql = await readMigration(migration.file);
      const is_outside = sql.startsWith(OUTSIDE_TRANSACTION);
      return {
        config: { transaction: !is_outside },
        up: (knex) => (is_outside ? runOutside(knex, sql) : run(knex, sql)),
        // Schemas move forward only: expand, deploy, contract.
        down: () => Promise.reject(new Error('Migrations have no way back.')),
      };
    },
  };
}

function run(knex: Knex, sql: string): Knex.Raw {
  return knex.raw(sql.replaceAll('?', '\\?'));
}

/**
 * Runs a statement that cannot be in a transaction. A build that was cut off has left its index under its
 * name, of use to nobody: whoever asks IF NOT EXISTS would be content with it. Under the migrators' lock
 * nobody else builds in this schema.
 */
async function runOutside(knex: Knex, sql: string): Promise<void> {
  await knex.raw(`SET lock_timeout = '${LOCK_TIMEOUT_OUTSIDE}'`);
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `SELECT format('%I', relname) AS name
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE NOT indisvalid AND relkind = 'i' AND relnamespace = current_schema()::regnamespace`,
  );
  for (const { name } of rows) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await run(knex, sql);
  await knex.raw(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
}

/**
 * Whether the schema that `database_url`'s role owns has had the SQL files of `directory`, and no
 * others: asked in a moment, where {@link migrate} takes a lock and loads what it works with.
 */
export async function isMigrated(database_url: string, directory: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      'SELECT name FROM schema_migrations ORDER BY name COLLATE "C"',
    );
    return rows.map(({ name }) => name).join() === (await namesIn(directory)).join();
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return false;
    throw error;
  } finally {
    await client.end();
  }
}

/**
 * Brings the schema that `database_url`'s role owns up to the SQL files of
 * `directory`, in order, each in a transaction unless its first line says
 * otherwise. Safe to run concurrently and again after a kill; gives up when a
 * table is in use for too long. Returns the names it applied.
 */
export async function migrate(database_url: string, directory: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: database_url });
  await lock.connect();
  // Loaded by those who migrate: a service that serves never does.
  const { default: createKnex } = await import('knex');
  const knex = createKnex({
    client: 'pg',
    connection: { connectionString: database_url, options: `-c lock_timeout=${LOCK_TIMEOUT}` },
    pool: { min: 0, max: 1 },
    migrations: { migrationSource: migrationSource(directory), tableName: 'schema_migrations' },
  });
  try {
    await lock.query('SELECT pg_advisory_lock($1, hashtext(current_schema()))', [MIGRATION_LOCK]);
    // We hold the real lock, so a mark left by a killed migrator is stale.
    await knex.migrate.forceFreeMigrationsLock();
    const [, applied] = (await knex.migrate.latest()) as [number, string[]];
    return applied;
  } finally {
    await knex.destroy();
    await lock.end();
  }
}
