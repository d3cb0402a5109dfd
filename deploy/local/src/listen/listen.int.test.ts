import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canonicalJson } from '@credit/platform/signing';
import { EVENT_NAMES } from '@credit/platform/values';
import { Misused } from '../command-line';
import { Client } from '../demo/client';
import { type Received, verifies } from '../demo/receiver';
import { Feed, PlaceGone } from './feed';
import { readTarget } from './forward';
import { type Counts, listen } from './listen';
import { placeIn } from './place';

const SECRET = 'whsec_of_this_test_and_no_other';
const KEY = 'svc_test_key';
let directory: string;
const closing: (() => Promise<void>)[] = [];

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'listen-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(directory, { recursive: true }));

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  port = 0,
): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(request, response, Buffer.concat(chunks).toString('utf8'));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => end(server));
  return { port: (server.address() as AddressInfo).port, server };
}

async function end(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
}

/** A network that has nothing but a feed: a cursor is how many events lie before it. */
class FakeNetwork {
  readonly events: Told[] = [];
  readonly asked: string[] = [];
  /** What the next calls are answered with instead. */
  readonly faults: ((response: ServerResponse) => void)[] = [];
  port = 0;
  private server: Server | undefined;

  async start(): Promise<void> {
    const { port, server } = await serve((request, response) => {
      const url = new URL(request.url ?? '', 'http://network');
      this.asked.push(`${url.pathname}${url.search}`);
      expect(request.headers.authorization).toBe(`Bearer ${KEY}`);
      const fault = this.faults.shift();
      if (fault !== undefined) fault(response);
      else this.answer(url.searchParams, response);
    }, this.port);
    this.port = port;
    this.server = server;
  }

  async stop(): Promise<void> {
    if (this.server !== undefined) await end(this.server);
  }

  tell(type = 'credit.default.reported', created_at = new Date().toISOString()): string {
    const id = randomUUID();
    this.events.push({ type, id, created_at });
    return id;
  }

  private answer(query: URLSearchParams, response: ServerResponse): void {
    const after = query.get('after') ?? 'at-0';
    const limit = Number(query.get('limit'));
    const place = after.startsWith('at-')
      ? Number(after.slice(3))
      : this.events.findIndex(({ id }) => id === after) + 1;
    const type = query.get('type');
    const rest = this.events
      .map((event, at) => ({ event, next: at + 1 }))
      .slice(place)
      .filter(({ event }) => type === null || event.type === type);
    const shown = rest.slice(0, limit);
    const next = rest.length > limit ? shown.at(-1)?.next : this.events.length;
    response
      .writeHead(200, {
        'content-type': 'application/json',
        link: `</api/v1/events?limit=${limit}&after=at-${next}>; rel="next"`,
      })
      .end(JSON.stringify(shown.map(({ event }) => event)));
  }
}

async function startNetwork(): Promise<FakeNetwork> {
  const network = new FakeNetwork();
  await network.start();
  return network;
}

/** A receiver that answers with what it is told, and 204 else. */
async function startReceiver(
  answer = (response: ServerResponse): void => {
    response.writeHead(204).end();
  },
) {
  const received: Received[] = [];
  const { port } = await serve((request, response, body) => {
    received.push({ path: request.url ?? '', headers: request.headers, body });
    answer(response);
  });
  return { url: `http://127.0.0.1:${port}/hook`, received };
}

interface Run {
  readonly lines: string[];
  readonly pauses: string[];
  readonly ended: Promise<Counts>;
  stop(): Promise<Counts>;
}

async function start(
  network: FakeNetwork,
  url: string,
  options: {
    since_ms?: number;
    state?: string;
    types?: readonly (typeof EVENT_NAMES)[number][];
  } = {},
): Promise<Run> {
  const lines: string[] = [];
  const pauses: string[] = [];
  const stopping = new AbortController();
  const base = `http://127.0.0.1:${network.port}/api/v1`;
  const ended = listen({
    feed: new Feed(
      new Client(base, KEY, {
        patience_ms: Number.POSITIVE_INFINITY,
        signal: stopping.signal,
        onPause: (why) => pauses.push(why),
      }),
    ),
    target: readTarget(url, false),
    secret: SECRET,
    types: new Set(options.types ?? EVENT_NAMES),
    since_ms: options.since_ms,
    place: placeIn(options.state, base, KEY),
    print: (line) => lines.push(line),
    stop: stopping.signal,
  });
  let is_over = false;
  // A failure is looked at by whoever awaits the end.
  ended
    .catch(() => {})
    .finally(() => {
      is_over = true;
    });
  closing.unshift(async () => {
    stopping.abort();
    await ended.catch(() => {});
  });
  await until(() => is_over || lines.length > 0 || pauses.length > 0);
  return {
    lines,
    pauses,
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('In vain.');
}

const idsOf = (received: readonly Received[]) =>
  received.map(({ headers }) => headers['svc-event-id']);

test('forwards what is told from now on, in order, signed as deliveries are', async () => {
  const network = await startNetwork();
  for (let at = 0; at < 250; at += 1) network.tell();
  const receiver = await startReceiver();
  const run = await start(network, receiver.url);
  // The end was found without reading what came before it.
  expect(network.asked).not.toContain('/api/v1/events?limit=100');
  expect(network.asked.length).toBeLessThanOrEqual(2);
  const told = [network.tell(), network.tell('credit.record.corrected')];
  network.tell('dispute.opened');
  told.push(network.tell());
  await until(() => run.lines.length === 4);
  expect(await run.stop()).toEqual({ delivered: 3, failed: 0 });

  expect(idsOf(receiver.received)).toEqual(told);
  const [first] = receiver.received;
  expect(first?.path).toBe('/hook');
  expect(first?.body).toBe(canonicalJson(JSON.parse(first?.body ?? '')));
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'credit-network-webhooks/1',
  });
  for (const delivery of receiver.received) expect(verifies(delivery, SECRET)).toBe(true);
  expect(run.lines[1]).toMatch(
    new RegExp(`^\\S+Z credit\\.default\\.reported ${told[0]} -> 204 \\(\\d+ ms\\)$`),
  );
});

test('begins where it is told to, through as many pages as there are', async () => {
  const network = await startNetwork();
  for (let at = 0; at < 230; at += 1) network.tell(undefined, '2026-03-01T00:00:00.000Z');
  const told = Array.from({ length: 130 }, () =>
    network.tell(undefined, '2026-03-02T00:00:00.000Z'),
  );
  const receiver = await startReceiver();
  await start(network, receiver.url, { since_ms: Date.parse('2026-03-02T00:00:00Z') });
  await until(() => receiver.received.length === told.length);
  expect(idsOf(receiver.received)).toEqual(told);
});

test('goes on when the network comes back, and repeats nothing', async () => {
  const network = await startNetwork();
  const receiver = await startReceiver();
  const run = await start(network, receiver.url);
  const told = [network.tell()];
  await until(() => run.lines.length === 2);
  await network.stop();
  await until(() => run.pauses.length >= 2);
  told.push(network.tell());
  network.faults.push(
    (response) => response.writeHead(500).end('{}'),
    (response) => response.writeHead(502).end('<html>'),
    (response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
    (response) => response.destroy(),
  );
  await network.start();
  await until(() => run.lines.length === 3);
  expect(idsOf(receiver.received)).toEqual(told);
  expect(run.pauses).toEqual(expect.arrayContaining(['ECONNREFUSED', '500', '502', '429']));
  expect(await run.stop()).toEqual({ delivered: 2, failed: 0 });
}, 30_000);

test('says what the receiver does not take, sends it once, and follows no redirect', async () => {
  const network = await startNetwork();
  const elsewhere = await startReceiver();
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(500).end(),
    (response) => response.writeHead(307, { location: elsewhere.url }).end(),
    (response) => response.destroy(),
    (response) => response.writeHead(200).end('x'.repeat(100_000)),
  ];
  const receiver = await startReceiver((response) => answers.shift()?.(response));
  const run = await start(network, receiver.url);
  for (let at = 0; at < 4; at += 1) network.tell();
  await until(() => run.lines.length === 5);
  expect(await run.stop()).toEqual({ delivered: 1, failed: 3 });
  expect(run.lines.slice(1).map((line) => line.replace(/.* -> | \(.*/g, ''))).toEqual([
    '500',
    '307',
    'no answer: ECONNRESET',
    '200',
  ]);
  expect(receiver.received).toHaveLength(4);
  expect(elsewhere.received).toEqual([]);
});

test('remembers its place when asked: what was cut off comes again, nothing else does', async () => {
  const network = await startNetwork();
  const state = path.join(directory, 'place.json');
  let is_silent = false;
  const receiver = await startReceiver((response) => {
    if (!is_silent) response.writeHead(204).end();
  });
  const first = await start(network, receiver.url, { state });
  const before = network.tell();
  await until(() => first.lines.length === 2);
  is_silent = true;
  const cut_off = network.tell();
  await until(() => receiver.received.length === 2);
  expect(await first.stop()).toEqual({ delivered: 1, failed: 0 });
  expect(readFileSync(state, 'utf8')).not.toContain(KEY);

  is_silent = false;
  const while_away = network.tell();
  const second = await start(network, receiver.url, { state });
  await until(() => second.lines.length === 3);
  await second.stop();
  expect(idsOf(receiver.received)).toEqual([before, cut_off, cut_off, while_away]);

  const base = `http://127.0.0.1:${network.port}/api/v1`;
  expect(() => placeIn(state, base, 'svc_test_other')).toThrow('of another network or key');
  writeFileSync(state, '{"after":1}');
  expect(() => placeIn(state, base, KEY)).toThrow('not the state of a listener');
  writeFileSync(state, 'x');
  expect(() => placeIn(state, base, KEY)).toThrow('cannot be read');
});

test('ends when its place is gone, and when its key is refused', async () => {
  const refusal = (status: number, reason: string) => (response: ServerResponse) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { code: 'X', reason, message: 'No.' } }));
  const network = await startNetwork();
  const receiver = await startReceiver();
  const run = await start(network, receiver.url);
  network.faults.push(refusal(400, 'CURSOR_EXPIRED'));
  await expect(run.ended).rejects.toThrow(PlaceGone);

  network.faults.push(refusal(403, 'SCOPE'));
  const other = await start(network, receiver.url);
  await expect(other.ended).rejects.toThrow('The network refuses: 403 X SCOPE. No.');
});

test('takes no feed of which it does not know the form', async () => {
  const network = await startNetwork();
  const receiver = await startReceiver();
  const run = await start(network, receiver.url);
  network.tell('credit.\u001b[2Jdefault');
  await expect(run.ended).rejects.toThrow('does not know');
  expect(receiver.received).toEqual([]);
});

test.each([
  'http://127.0.0.1:3000/hook',
  'http://localhost:3000/hook?a=1',
  'http://127.8.9.10/',
  'https://[::1]:9443/hook',
])('%s is on this machine', (url) => {
  expect(readTarget(url, false).url.href).toBe(url);
});

test.each([
  [undefined, false],
  ['hook', false],
  ['ftp://127.0.0.1/', false],
  ['http://someone:secret@127.0.0.1/', false],
  ['http://someone:secret@hooks.example/', true],
  ['http://hooks.example/', false],
  ['http://10.0.0.1/', false],
  ['http://0.0.0.0/', false],
  ['http://localhost.hooks.example/', false],
  ['http://[::ffff:10.0.0.1]/', false],
] as const)('%s with a remote address allowed: %s is refused', (url, is_remote_allowed) => {
  expect(() => readTarget(url, is_remote_allowed)).toThrow(Misused);
});

test('another machine is forwarded to when that is said', () => {
  expect(readTarget('https://hooks.example/', true).is_remote_allowed).toBe(true);
});
