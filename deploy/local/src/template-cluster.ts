// Tests, benchmarks and runs with faults start many systems that nobody has used yet: making a cluster
// and migrating five services takes most of a start, and comes to the same each time.

import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { migrate, provision } from '@credit/platform/db';
import { CLUSTER, startPostgresServer } from '@credit/servers';
import { databasesOf, keepSecrets, provisionOptions } from './secrets';
import { SERVICES } from './services';

const ROOT = path.resolve(__dirname, '../../..');
const KEPT_IN = path.join(ROOT, 'node_modules/.cache/clusters');
/** Of a data directory. */
const CLUSTER_FOLDER = 'postgres';

const withDatabase = SERVICES.filter(({ database }) => database !== 'none');
const migrationsOf = (service: string) => path.join(ROOT, 'services', service, 'migrations');

/** What a cluster is made of: other contents make another one. */
async function templateName(): Promise<string> {
  const hash = createHash('sha256');
  const folders = [
    path.join(ROOT, 'packages/platform/migrations'),
    ...withDatabase.map(({ name }) => migrationsOf(name)),
  ];
  const files = [
    path.join(ROOT, 'package-lock.json'),
    path.join(ROOT, 'packages/platform/src/db/provision.ts'),
  ];
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort()) files.push(path.join(folder, name));
  }
  for (const file of files) hash.update(file.slice(ROOT.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Lays a migrated cluster, empty of data, into a new data directory: a first start there finds what a
 * second one would. Its passwords are set at that start, as at every one.
 */
export async function layCluster(data_directory: string): Promise<void> {
  const template = path.join(KEPT_IN, await templateName());
  if (!existsSync(template)) await makeTemplate(template);
  // Thousands of small files, of which the asynchronous way makes ten times the work.
  const folder = path.join(data_directory, CLUSTER_FOLDER);
  cpSync(template, folder, { recursive: true });
  // PostgreSQL starts on nothing that others may read.
  for (const own of [folder, path.join(folder, CLUSTER)]) chmodSync(own, 0o700);
}

async function makeTemplate(template: string): Promise<void> {
  await mkdir(KEPT_IN, { recursive: true });
  const folder = await mkdtemp(path.join(KEPT_IN, 'new-'));
  try {
    const server = await startPostgresServer({
      data_directory: path.join(folder, CLUSTER_FOLDER),
      settings: { fsync: 'off' },
    });
    try {
      const secrets = keepSecrets(folder);
      await provision(server.admin_url, provisionOptions(secrets));
      const databases = databasesOf(server.admin_url, secrets);
      await Promise.all(
        withDatabase.map(async ({ name }) => {
          const { live, test } = databases[name] ?? {};
          for (const url of new Set([live, test])) {
            if (url !== undefined) await migrate(url, migrationsOf(name));
          }
        }),
      );
    } finally {
      await server.stop();
    }
    // Another process may have been quicker: its is as good.
    await rename(path.join(folder, CLUSTER_FOLDER), template).catch((error) => {
      if (!existsSync(template)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
