import { randomBytes } from 'node:crypto';
import type { StartedTestContainer } from 'testcontainers';

// Where a Docker engine answers, tests run against the images that production pins; elsewhere
// against the embedded servers. The run decides once, in its global set-up.

/** Tells the test files what the global set-up found: `docker` or `embedded`. */
const SERVERS_VARIABLE = 'TEST_SERVERS';
const POSTGRES_IMAGE = 'postgres:18-alpine';
const NATS_IMAGE = 'nats:2.12-alpine';
const NATS_PORT = 4222;
const VALKEY_IMAGE = 'valkey/valkey:8.1-alpine';
const VALKEY_PORT = 6379;

/** A server of the test run. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Decides, unless the environment has decided already. */
export async function chooseServers(): Promise<void> {
  process.env[SERVERS_VARIABLE] ??= (await dockerAnswers()) ? 'docker' : 'embedded';
}

/** True when this run's servers come out of containers. */
export function usesDocker(): boolean {
  return process.env[SERVERS_VARIABLE] === 'docker';
}

async function dockerAnswers(): Promise<boolean> {
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL with its durability off: a test run's data outlives nothing. */
export async function startPostgresContainer(): Promise<TestServer> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(POSTGRES_IMAGE)
    .withCommand(['-c', 'fsync=off', '-c', 'max_connections=200'])
    .start();
  return { url: container.getConnectionUri(), stop: () => stopped(container) };
}

/** NATS with JetStream. */
export async function startNatsContainer(): Promise<TestServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const password = randomBytes(24).toString('hex');
  const container = await new GenericContainer(NATS_IMAGE)
    .withCommand(['--jetstream', '--user', 'test', '--pass', password])
    .withExposedPorts(NATS_PORT)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start();
  return {
    url: `nats://test:${password}@${container.getHost()}:${container.getMappedPort(NATS_PORT)}`,
    stop: () => stopped(container),
  };
}

/** Valkey, which keeps nothing on disk. */
export async function startValkeyContainer(): Promise<TestServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const password = randomBytes(24).toString('hex');
  const container = await new GenericContainer(VALKEY_IMAGE)
    .withCommand(['valkey-server', '--save', '', '--requirepass', password])
    .withExposedPorts(VALKEY_PORT)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  const address = `${container.getHost()}:${container.getMappedPort(VALKEY_PORT)}`;
  return { url: `redis://:${password}@${address}`, stop: () => stopped(container) };
}

async function stopped(container: Pick<StartedTestContainer, 'stop'>): Promise<void> {
  await container.stop();
}
