import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { API_KEY, TestGateway } from './support/gateway';
import { declaredAs, exampleRequest, playExample } from './support/scenarios';
import { until } from './support/until';

const IDLE = 2_000;
const HOST = 'Host: gateway.example\r\n';

const gateway = new TestGateway();

beforeAll(() =>
  gateway.start(
    { MAX_IN_FLIGHT: '2' },
    {
      client_timeouts: {
        keep_alive_ms: 2_000,
        headers_ms: 2_000,
        request_ms: 3_000,
        stall_ms: 2_000,
        check_interval_ms: 200,
      },
    },
  ),
);
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.reset();
  playExample(gateway.services, declaredAs('getAccount'));
});

/** A connection of somebody who may say something, and reads nothing. */
async function open(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

async function openMany(count: number, text = ''): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(
      ...(await Promise.all(Array.from({ length: 100 }, () => open(gateway.port, text)))),
    );
  }
  return sockets;
}

/** Resolves when the other side has ended all of them. */
async function ended(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(
    sockets.map(async (socket) => {
      socket.resume();
      if (!socket.closed) await once(socket, 'close');
    }),
  );
}

const descriptors = () => readdirSync('/proc/self/fd').length;

/** One request is served, and finds a place. */
async function serves(): Promise<number> {
  const { status } = await gateway.call(exampleRequest(declaredAs('getAccount')));
  return status;
}

test('thousands who say nothing, or half a request, keep nobody else out and are sent away', async () => {
  expect(await serves()).toBe(200);
  const before = descriptors();
  const idle = await openMany(IDLE / 2);
  const half = await openMany(IDLE / 2, `GET /api/v1/accounts HTTP/1.1\r\n${HOST}`);
  expect(await serves()).toBe(200);
  await ended([...idle, ...half]);
  expect(await serves()).toBe(200);
  expect(descriptors()).toBeLessThan(before + 100);
}, 60_000);

test('more connections than there may be are closed at once', async () => {
  const small = new TestGateway();
  await small.start({ MAX_CONNECTIONS: '20' });
  try {
    const sockets = await Promise.all(Array.from({ length: 30 }, () => open(small.port)));
    for (const socket of sockets) socket.resume();
    await until(() => sockets.filter(({ closed }) => closed).length === 10);
    for (const socket of sockets) socket.destroy();
    playExample(small.services, declaredAs('getAccount'));
    await until(async () => {
      const [answer] = await Promise.allSettled([
        small.call(exampleRequest(declaredAs('getAccount'))),
      ]);
      return answer.status === 'fulfilled' && answer.value.status === 200;
    });
  } finally {
    await small.stop();
  }
}, 60_000);

test('bodies that do not come hold no place', async () => {
  const head =
    `POST /api/v1/accounts HTTP/1.1\r\n${HOST}Authorization: Bearer ${API_KEY}\r\n` +
    'Content-Type: application/json\r\nIdempotency-Key: slow-body-1\r\nContent-Length: 100\r\n\r\n{';
  const slow = await openMany(100, head);
  expect(await serves()).toBe(200);
  await ended(slow);
  expect(await serves()).toBe(200);
}, 60_000);

test('uploads that are broken off give their places back', async () => {
  playExample(gateway.services, declaredAs('createImport'));
  const head =
    `POST /api/v1/imports HTTP/1.1\r\n${HOST}Authorization: Bearer ${API_KEY}\r\n` +
    'Content-Type: text/csv\r\nContent-Length: 1000000\r\n\r\nexternal_account_id';
  // Three times as many as are taken in at once.
  const uploads = await openMany(100, head);
  expect(await serves()).toBe(200);
  for (const socket of uploads) socket.destroy();
  await until(async () => {
    const { status } = await gateway.call(exampleRequest(declaredAs('createImport')));
    return status < 400;
  });
}, 60_000);

test('who takes nothing of an answer is let go', async () => {
  const long = `GET /api/v1/openapi.json HTTP/1.1\r\n${HOST}\r\n`;
  const before = descriptors();
  // Asks again and again and reads nothing: what is answered fills the buffers.
  const deaf = await Promise.all(
    Array.from({ length: 10 }, () => open(gateway.port, long.repeat(10))),
  );
  await until(async () => (await serves()) === 200);
  for (const socket of deaf) socket.pause();
  // Both ends are this process's: of those that are let go one is left.
  await until(() => descriptors() < before + 1.5 * deaf.length);
  for (const socket of deaf) socket.destroy();
  expect(await serves()).toBe(200);
}, 60_000);
