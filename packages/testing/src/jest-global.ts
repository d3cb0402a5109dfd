import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ADMIN_URL_VARIABLE } from './admin-url';
import { startPostgresServer } from './servers';

// One PostgreSQL server for the whole run: testcontainers where a Docker engine
// answers, the embedded one elsewhere. Each test file gets a database of its own.
let stop: (() => Promise<void>) | undefined;

async function dockerAnswers(): Promise<boolean> {
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

/** Starts the server; jest calls this before the first test file. */
export async function setUp(): Promise<void> {
  if (process.env[ADMIN_URL_VARIABLE] !== undefined) return;
  if (await dockerAnswers()) {
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
    const container = await new PostgreSqlContainer('postgres:18-alpine')
      .withCommand(['-c', 'fsync=off', '-c', 'max_connections=200'])
      .start();
    process.env[ADMIN_URL_VARIABLE] = container.getConnectionUri();
    stop = async () => void (await container.stop());
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
