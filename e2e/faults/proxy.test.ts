import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TcpProxy } from './proxy';

let echo: Server;
let proxy: TcpProxy;

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await TcpProxy.start((echo.address() as AddressInfo).port);
});
afterEach(async () => {
  await proxy.stop();
  echo.close();
});

async function open() {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Whatever it is closed by: `once` would take a reset for its own failure. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

test('passes on, in order, also when it is slow', async () => {
  const socket = await open();
  proxy.set({ delay_ms: 20 });
  const began_ms = performance.now();
  let came = '';
  socket.on('data', (chunk: Buffer) => {
    came += chunk.toString();
  });
  for (let n = 0; n < 50; n += 1) socket.write(`${n},`);
  while (came.split(',').length <= 50) await once(socket, 'data');
  expect(came).toBe(Array.from({ length: 50 }, (_, n) => `${n},`).join(''));
  expect(performance.now() - began_ms).toBeGreaterThan(35);
  socket.destroy();
});

test('keeps a half-open connection silent, and resets it when that is over', async () => {
  const socket = await open();
  proxy.set('half_open');
  let came = 0;
  socket.on('data', () => {
    came += 1;
  });
  socket.write('lost');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([came, socket.destroyed]).toEqual([0, false]);
  const closed = closing(socket);
  proxy.set('pass');
  await closed;
});

test('a cut ends what there is and refuses what comes', async () => {
  const socket = await open();
  const closed = closing(socket);
  proxy.set('cut');
  await closed;
  const refused = connect(proxy.port, '127.0.0.1');
  refused.on('error', () => {});
  await closing(refused);
  proxy.set('pass');
  const back = await open();
  back.write('x');
  const [chunk] = await once(back, 'data');
  expect(String(chunk)).toBe('x');
  back.destroy();
});
