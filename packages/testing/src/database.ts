import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@credit/platform/context';
import { type Database, migrate, openDatabase, provision } from '@credit/platform/db';
import { createLogger } from '@credit/platform/runtime';
import pg from 'pg';
import { ADMIN_URL_VARIABLE } from './admin-url';

/** Silent unless LOG_LEVEL asks for more. */
export const testLogger = createLogger({
  service: 'test',
  level: process.env.LOG_LEVEL ?? 'silent',
});

/** A database of a test file's own, with one service's schemas. */
export interface TestDatabase {
  readonly db: Database;
  readonly urls: Readonly<Record<Environment, string>>;
  /** The superuser's URL of the same database, to look from outside. */
  readonly admin_url: string;
  /** Another pool on the same schemas, as a second replica has it. */
  open(): Database;
  stop(): Promise<void>;
}

const REPOSITORY = path.resolve(__dirname, '../../..');
/** Any fixed number: test files make a template one after another. */
const TEMPLATE_LOCK = 7_301_446;

function adminUrl(): string {
  const url = process.env[ADMIN_URL_VARIABLE];
  if (url === undefined) {
    throw new Error(`${ADMIN_URL_VARIABLE} is not set: is this file an *.int.test.ts?`);
  }
  return url;
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function withAdmin<T>(run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl() });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/** Names a template after the migrations in it, so that a changed one makes a new template. */
async function templateName(service: string, directories: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(service);
  for (const directory of directories) {
    for (const name of (await readdir(directory)).sort()) {
      hash.update(name).update(await readFile(path.join(directory, name)));
    }
  }
  return `template_${service}_${hash.digest('hex').slice(0, 12)}`;
}

/**
 * A pool that has ended still takes leave of the server, and a connection that is cut off then
 * throws where nobody listens. Whoever keeps one longer is cut off.
 */
async function connectionsGone(client: pg.Client, database: string): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    const { rowCount } = await client.query(
      'SELECT FROM pg_stat_activity WHERE datname = $1 LIMIT 1',
      [database],
    );
    if (rowCount === 0) return;
    await sleep(20);
  }
}

/**
 * Gives a test file a database cloned from a template that is migrated once for
 * `service`. `migrations` names another folder than the service's own.
 */
export async function testDatabase(service: string, migrations?: string): Promise<TestDatabase> {
  const directory = migrations ?? path.join(REPOSITORY, 'services', service, 'migrations');
  const template = await templateName(service, [
    directory,
    path.join(REPOSITORY, 'packages/platform/migrations'),
  ]);
  const database = `test_${service}_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const urls = await withAdmin(async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const provisioned = await provision(adminUrl(), { database: template, services: [service] });
    const template_urls = provisioned.services[service];
    if (template_urls === undefined) throw new Error(`${service} was not provisioned.`);
    for (const url of new Set([template_urls.live, template_urls.test])) {
      await migrate(url, directory);
    }
    await client.query(`CREATE DATABASE "${database}" TEMPLATE "${template}"`);
    return template_urls;
  });
  const test_urls = {
    live: withDatabase(urls.live, database),
    test: withDatabase(urls.test, database),
  };
  const opened: Database[] = [];
  const open = () => {
    const db = openDatabase({ service, urls: test_urls, pool_size: 8, logger: testLogger });
    opened.push(db);
    return db;
  };
  return {
    db: open(),
    urls: test_urls,
    admin_url: withDatabase(adminUrl(), database),
    open,
    async stop() {
      await Promise.all(opened.map((db) => db.close()));
      await withAdmin(async (client) => {
        await connectionsGone(client, database);
        await client.query(`DROP DATABASE "${database}" WITH (FORCE)`);
      });
    },
  };
}
