import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { POSTGRES_FOLDER } from '@credit/local/data-directory';
import type { Json } from '@credit/local/demo/client';
import { newDataDirectory } from '@credit/local/spawned-system';
import { migrate, provision } from '@credit/platform/db';
import { startPostgresServer } from '@credit/servers';
import pg from 'pg';

const ROOT = path.resolve(__dirname, '../..');

/** How many migrations each service had. */
const MIGRATIONS = { identity: 2, reporting: 5, scoring: 4, disputes: 2, webhooks: 2 } as const;

/** What was in the first version's databases, and what is known about it. */
export interface FirstVersion {
  readonly known: Json;
  readonly secrets: { readonly database_secret: string };
  readonly superadmin: { readonly email: string; readonly password: string };
  /** Rows as JSON, by table. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

export function readFirstVersion(): FirstVersion {
  const file = path.join(ROOT, 'e2e/fixtures/first-version.json.gz');
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'));
}

/** A data folder as the first version left it: its schemas, its rows, its secrets. */
export async function layFirstVersion(version: FirstVersion): Promise<string> {
  const data_directory = await newDataDirectory();
  writeFileSync(path.join(data_directory, 'secrets.json'), JSON.stringify(version.secrets));
  writeFileSync(path.join(data_directory, 'superadmin.json'), JSON.stringify(version.superadmin));
  const postgres = await startPostgresServer({
    data_directory: path.join(data_directory, POSTGRES_FOLDER),
    settings: { fsync: 'off' },
  });
  try {
    const services = Object.keys(MIGRATIONS);
    const provisioned = await provision(postgres.admin_url, {
      database: 'credit',
      services,
      secret: version.secrets.database_secret,
    });
    for (const [service, count] of Object.entries(MIGRATIONS)) {
      const urls = provisioned.services[service];
      if (urls === undefined) throw new Error(`${service} was not provided for.`);
      await migrateTo(new Set([urls.live, urls.test]), service, count);
    }
    const admin_url = new URL(postgres.admin_url);
    admin_url.pathname = '/credit';
    await load(admin_url.href, version.tables);
  } finally {
    await postgres.stop();
  }
  return data_directory;
}

/** Applies the first so many migrations of a service. */
async function migrateTo(urls: ReadonlySet<string>, service: string, count: number): Promise<void> {
  const all = path.join(ROOT, 'services', service, 'migrations');
  const folder = mkdtempSync(path.join(tmpdir(), 'migrations-'));
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(all).sort().slice(0, count)) {
      copyFileSync(path.join(all, name), path.join(folder, name));
    }
    for (const url of urls) await migrate(url, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function load(url: string, tables: FirstVersion['tables']): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Rows as they were: no trigger adds to them, and no order is asked for.
    await client.query("SET session_replication_role = 'replica'");
    for (const [table, rows] of Object.entries(tables)) {
      await client.query(`DELETE FROM ${table}`);
      await client.query(
        `INSERT INTO ${table}
         SELECT row.* FROM unnest($1::jsonb[]) AS text,
           jsonb_populate_record(NULL::${table}, text) AS row`,
        [rows],
      );
    }
  } finally {
    await client.end();
  }
}
