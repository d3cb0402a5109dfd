import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bus, connectBus } from '@credit/platform/bus';
import { startNatsServer } from '@credit/servers';
import { startNatsContainer, type TestServer, usesDocker } from './containers';
import { testLogger } from './database';

/** A NATS server of a test file's own: streams of two files must not meet. */
export interface TestBus {
  readonly bus: Bus;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a real NATS with JetStream and connects to it. */
export async function testBus(): Promise<TestBus> {
  const server = usesDocker() ? await startNatsContainer() : await startEmbeddedNats();
  const bus = await connectBus({ url: server.url, name: 'test', logger: testLogger });
  return {
    bus,
    url: server.url,
    async stop() {
      await bus.close();
      await server.stop();
    },
  };
}

async function startEmbeddedNats(): Promise<TestServer> {
  const data_directory = await mkdtemp(path.join(tmpdir(), 'credit-nats-'));
  const server = await startNatsServer({ data_directory });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(data_directory, { recursive: true, force: true });
    },
  };
}
