import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startValkeyServer } from '@credit/servers';
import { createClient } from '@redis/client';
import { startValkeyContainer, usesDocker } from './containers';

/** A Valkey server of a test file's own. */
export interface TestValkey {
  readonly url: string;
  /** The server's process, to be stopped for a while; undefined in a container. */
  readonly pid: number | undefined;
  /** Asks it for something, on a connection that services do not share. */
  command(...words: string[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a real server and connects to it. */
export async function testValkey(): Promise<TestValkey> {
  const server = usesDocker()
    ? { ...(await startValkeyContainer()), pid: undefined }
    : await startEmbeddedValkey();
  const client = createClient({ url: server.url });
  // A test that ends the server knows.
  client.on('error', () => {});
  await client.connect();
  return {
    url: server.url,
    pid: server.pid,
    command: (...words) => client.sendCommand(words),
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}

async function startEmbeddedValkey() {
  const data_directory = await mkdtemp(path.join(tmpdir(), 'credit-valkey-'));
  const server = await startValkeyServer({ data_directory });
  return {
    url: server.url,
    pid: server.pid,
    async stop() {
      await server.stop();
      await rm(data_directory, { recursive: true, force: true });
    },
  };
}
