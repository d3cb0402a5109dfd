// Tests, benchmarks and runs with faults start many systems that nobody has used yet: making a cluster
// and migrating five services takes most of a start, and comes to the same each time.

import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { migrate, provision } from '@credit/platform/db';
import { CLUSTER, startPostgresServer } from '@credit/servers';
import { POSTGRES_FOLDER } from './data-directory';
import { keepSecrets, provisionOptions } from './secrets';
import { migrationsOf, SERVICES } from './services';

const ROOT = path.resolve(__dirname, '../../..');
const KEPT_IN = path.join(ROOT, 'node_modules/.cache/clusters');

/** By service. */
const MIGRATIONS = new Map(
  SERVICES.filter(({ database }) => database !== 'none').map((service) => [
    service.name,
    path.join(ROOT, migrationsOf(service)),
  ]),
);

/** What a cluster is made of: other contents make another one. */
async function templateName(): Promise<string> {
  const hash = createHash('sha256');
  const folders = [path.join(ROOT, 'packages/platform/migrations'), ...MIGRATIONS.values()];
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
  const folder = path.join(data_directory, POSTGRES_FOLDER);
  cpSync(template, folder, { recursive: true });
  // PostgreSQL starts on nothing that others may read.
  for (const own of [folder, path.join(folder, CLUSTER)]) chmodSync(own, 0o700);
}

async function makeTemplate(template: string): Promise<void> {
  await mkdir(KEPT_IN, { recursive: true });
  const folder = await mkdtemp(path.join(KEPT_IN, 'new-'));
  try {
    const server = await startPostgresServer({
      data_directory: path.join(folder, POSTGRES_FOLDER),
      settings: { fsync: 'off' },
    });
    try {
      const options = provisionOptions(keepSecrets(folder));
      const { services } = await provision(server.admin_url, options);
      await Promise.all(
        [...MIGRATIONS].map(async ([name, migrations]) => {
          for (const url of new Set(Object.values(services[name] ?? {}))) {
            await migrate(url, migrations);
          }
        }),
      );
    } finally {
      await server.stop();
    }
    // Another process may have been quicker: its is as good.
    await rename(path.join(folder, POSTGRES_FOLDER), template).catch((error) => {
      if (!existsSync(template)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
