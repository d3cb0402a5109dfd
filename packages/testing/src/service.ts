import {
  createChannel,
  type RpcChannel,
  type ServiceRegistration,
  startRpcServer,
} from '@credit/platform/rpc';
import { testLogger } from './database';

/** Services behind a real socket, and a channel to them. */
export interface TestService {
  readonly address: string;
  readonly channel: RpcChannel;
  stop(): Promise<void>;
}

/**
 * Serves `services` on loopback, so that a test's calls are really encoded,
 * sent and decoded.
 */
export async function startTestService(
  services: readonly ServiceRegistration[],
): Promise<TestService> {
  const server = await startRpcServer({
    address: '127.0.0.1:0',
    services: [...services],
    logger: testLogger,
  });
  server.setServing(true);
  const address = `127.0.0.1:${server.port}`;
  const channel = createChannel({
    target: address,
    logger: testLogger,
  });
  return {
    address,
    channel,
    async stop() {
      channel.close();
      await server.drain();
      await server.close();
    },
  };
}
