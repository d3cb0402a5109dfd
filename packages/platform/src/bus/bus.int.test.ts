import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestBus, testBus, testLogger } from '@credit/testing';
import { connectBus } from '.';

let real: TestBus;

beforeAll(async () => {
  real = await testBus();
}, 60_000);
afterAll(() => real.stop());

const INFO = { server_id: 'cut-off', version: '2.10.0', max_payload: 1_048_576, headers: true };

test('a server for whose JetStream nobody answers is left for another', async () => {
  const { username, password, port } = new URL(real.url);
  const sockets: Socket[] = [];
  // One name for two servers: the first whom it leads to lost the others of its cluster.
  const service = createServer((client) => {
    const is_first = sockets.length === 0;
    sockets.push(client);
    client.on('error', () => {});
    if (is_first) {
      client.write(`INFO ${JSON.stringify(INFO)}\r\n`);
      client.on('data', (chunk: Buffer) => {
        if (chunk.includes('PING\r\n')) client.write('PONG\r\n');
      });
      return;
    }
    const server = connect(Number(port), '127.0.0.1');
    sockets.push(server);
    server.on('error', () => {});
    client.pipe(server).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port: service_port } = service.address() as AddressInfo;
  const bus = await connectBus({
    url: `nats://${username}:${password}@127.0.0.1:${service_port}`,
    name: 'left',
    logger: testLogger,
  });
  try {
    await new Promise<void>((resolve) => {
      bus.onChange(() => {
        if (bus.stream !== undefined) resolve();
      });
    });
    expect(bus.status()).toMatchObject({ usable: true, reconnects: 1 });
  } finally {
    await bus.close();
    for (const socket of sockets) socket.destroy();
    service.close();
  }
}, 60_000);
