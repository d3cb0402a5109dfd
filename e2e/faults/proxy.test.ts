import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { commitIn } from './commit-cut';
import { TcpProxy } from './proxy';

let echo: Server;
let proxy: TcpProxy;
const servers: Server[] = [];
const proxies: TcpProxy[] = [];

async function serve(listener: (socket: Socket) => void): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

async function proxyTo(target: () => Server): Promise<TcpProxy> {
  const made = await TcpProxy.start(() => (target().address() as AddressInfo | null)?.port);
  proxies.push(made);
  return made;
}

/** Keeps what it hears. */
async function recorder() {
  const chunks: Buffer[] = [];
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const server = await serve((socket) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', ended);
  });
  return { server, end, heard: () => Buffer.concat(chunks).toString() };
}

beforeEach(async () => {
  echo = await serve((socket) => socket.on('error', () => {}).pipe(socket));
  proxy = await proxyTo(() => echo);
});
afterEach(async () => {
  for (const one of proxies.splice(0)) await one.stop();
  for (const one of servers.splice(0)) one.close();
});

async function open(by = proxy) {
  const socket = connect(by.port, '127.0.0.1');
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

test('what comes after it was slow does not overtake, nor does the end', async () => {
  const { end, heard, server } = await recorder();
  const slow = await proxyTo(() => server);
  const socket = await open(slow);
  slow.set({ delay_ms: 100 });
  socket.write('first,');
  await new Promise((resolve) => setTimeout(resolve, 20));
  slow.set('pass');
  socket.end('second');
  await end;
  expect(heard()).toBe('first,second');
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

test('what is silenced stays open and hears nothing, and what comes leads to where it should now', async () => {
  const other = await serve((socket) => socket.end('other'));
  let target = echo;
  const turning = await proxyTo(() => target);
  const socket = await open(turning);
  socket.write('x');
  expect(String((await once(socket, 'data'))[0])).toBe('x');
  let has_ended = false;
  socket.on('close', () => {
    has_ended = true;
  });

  turning.silence();
  target = other;
  socket.write('lost');
  const fresh = await open(turning);
  expect(String((await once(fresh, 'data'))[0])).toBe('other');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(has_ended).toBe(false);
  socket.destroy();
  fresh.destroy();
});

const COMMIT = 'Q\0\0\0\x0bCOMMIT\0';

test.each([
  ['before', 'INSERT'],
  ['after', `INSERT${COMMIT}`],
] as const)('a connection ends %s the server hears of its commit', async (commits, expected) => {
  const { end, heard, server } = await recorder();
  const cutting = await proxyTo(() => server);
  cutting.set({ commits, one_in: 1 });
  const socket = await open(cutting);
  const closed = closing(socket);
  socket.write(`INSERT${COMMIT}SELECT`);
  await Promise.all([closed, end]);
  expect(heard()).toBe(expected);
});

test('a commit is found among what is sent, simple or prepared', () => {
  expect(commitIn(Buffer.from('COMMIT'))).toBeUndefined();
  expect(commitIn(Buffer.from(`Q\0\0\0\x10SELECT 'COMMIT'\0`))).toBeUndefined();
  expect(commitIn(Buffer.from(`xx${COMMIT}yy`))).toEqual({ begin: 2, end: 14 });
  const parsed = Buffer.from('P\0\0\0\x10name\0COMMIT\0\0\0B...');
  expect(commitIn(parsed)).toEqual({ begin: 0, end: parsed.length });
});

test.each(['deaf_there', 'deaf_back'] as const)(
  '%s: nothing comes back until it is over',
  async (mode) => {
    const socket = await open();
    proxy.set(mode);
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
  },
);

test('corrupts a piece now and then, by a bit', async () => {
  const socket = await open();
  proxy.set('corrupt');
  const answers: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    socket.write('aaaa');
    const [chunk] = await once(socket, 'data');
    answers.push(String(chunk));
  }
  expect(answers.filter((answer) => answer !== 'aaaa')).not.toEqual([]);
  expect(answers.every((answer) => answer.length === 4)).toBe(true);
  socket.destroy();
});
