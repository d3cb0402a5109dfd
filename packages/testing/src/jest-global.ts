import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgresServer } from '@credit/servers';
import { ADMIN_URL_VARIABLE } from './admin-url';
import { chooseServers, startPostgresContainer, usesDocker } from './containers';

// One PostgreSQL server for the whole run: testcontainers where a Docker engine
// answers, the embedded one elsewhere. Each test file gets a database of its own.
let stop: (() => Promise<void>) | undefined;

/** Starts the server; jest calls this before the first test file. */
export async function setUp(): Promise<void> {
  await chooseServers();
  if (process.env[ADMIN_URL_VARIABLE] !== undefined) return;
  if (usesDocker()) {
    const container = await startPostgresContainer();
    process.env[ADMIN_URL_VARIABLE] = container.url;
    stop = () => container.stop();
    return;
  }
  const data_directory = await mkdtemp(path.join(tmpdir(), 'credit-postgres-'));
  const server = await startPostgresServer({
    data_directory,
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
  });
  process.env[ADMIN_URL_VARIABLE] = server.admin_url;
  stop = async () => {
    await server.stop();
    await rm(data_directory, { recursive: true, force: true });
  };
}

/** Stops it; jest calls this after the last test file. */
export async function tearDown(): Promise<void> {
  await stop?.();
}
