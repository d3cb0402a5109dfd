import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { notFound } from '@credit/platform/errors';
import { API_KEY, TestGateway } from './support/gateway';
import { expectComplete, parseReplies, sendBytes } from './support/http-client';

const PATH = '/api/v1/reports/0198a1c7-0a10-7b3c-8d4e-5f6a7b8c9d0e/document';
const gateway = new TestGateway();
const { documents: behind } = gateway;
const { seen } = behind;

beforeAll(async () => {
  await gateway.start();
});
afterAll(async () => {
  await gateway.stop();
});
beforeEach(() => {
  gateway.reset();
  gateway.services.answer('openReportDocument', () => ({ ticket: 'live.the-ticket' }));
  seen.length = 0;
  behind.answer = (_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/pdf',
      'content-length': 4,
      'repr-digest': 'sha-256=:abc=:',
      'set-cookie': 'inner=1',
      server: 'inner',
    });
    response.end('%PDF');
  };
});

const call = () =>
  gateway.call({
    method: 'GET',
    path: PATH,
    headers: { Cookie: 'a=b', 'X-Forwarded-For': '1.2.3.4' },
  });

test('a document comes through with the headers of any answer, and none of the inside', async () => {
  const reply = await call();
  expectComplete(reply);
  expect([reply.status, reply.text]).toEqual([200, '%PDF']);
  expect(reply.headers).toMatchObject({
    'content-type': 'application/pdf',
    'repr-digest': 'sha-256=:abc=:',
    'cache-control': 'no-store',
  });
  expect(reply.headers['set-cookie']).toBeUndefined();
  expect(reply.headers.server).toBeUndefined();
});

test('the service behind sees the ticket and nothing of the caller', async () => {
  await call();
  const [request] = seen;
  expect(request?.url).toBe('/report-document');
  expect(request?.headers.authorization).toBe('Ticket live.the-ticket');
  expect(JSON.stringify(request?.rawHeaders)).not.toContain(API_KEY);
  for (const name of ['cookie', 'x-forwarded-for', 'x-request-id']) {
    expect(request?.headers[name]).toBeUndefined();
  }
});

/** What a caller can put behind a request for a document. */
const SMUGGLED = `GET /report-document HTTP/1.1\r\nHost: x\r\nAuthorization: Ticket live.another\r\n\r\n`;

test.each([
  ['a body of announced length', { 'Content-Length': `${SMUGGLED.length}` }, SMUGGLED],
  [
    'a body in chunks',
    { 'Transfer-Encoding': 'chunked' },
    `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`,
  ],
  [
    'a body that is waited for',
    { 'Content-Length': `${SMUGGLED.length}`, Expect: '100-continue' },
    SMUGGLED,
  ],
])('%s reaches nobody behind, and ends the connection', async (_name, headers, body) => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n`;
  const replies = parseReplies(
    await sendBytes(gateway.port, `${head}${lines.join('')}\r\n${body}`),
  );
  expect(replies.map(({ status }) => status)).toEqual([400]);
  expect(replies[0]?.headers.connection).toBe('close');
  expect(seen).toEqual([]);
  expect((await call()).text).toBe('%PDF');
  expect(seen).toHaveLength(1);
});

test('with an expectation the service behind sees no more of the caller than without', async () => {
  const head = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n`;
  const text = await sendBytes(
    gateway.port,
    `${head}Expect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  expect(parseReplies(text)[0]).toMatchObject({ status: 200, text: '%PDF' });
  expect(JSON.stringify(seen[0]?.rawHeaders)).not.toContain(API_KEY);
  expect(seen[0]?.headers.expect).toBeUndefined();
});

test("an answer to another's exchange is shown to nobody", async () => {
  behind.exchange_of = () => 'another';
  const reply = await call();
  behind.exchange_of = undefined;
  expectComplete(reply);
  expect(reply.status).toBe(500);
  expect(reply.text).not.toContain('%PDF');
});

test.each([
  ['an upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n', [200]],
  ['an upgrade to HTTP/2', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n', [200]],
  ['an expectation', 'Expect: 100-continue\r\n', [200]],
  [
    'what proxies add',
    'Via: 1.1 x\r\nForwarded: for=1.2.3.4\r\nConnection: authorization\r\n',
    [200, 404],
  ],
])('with %s the service behind sees our own headers alone', async (_name, headers, statuses) => {
  const text = await sendBytes(
    gateway.port,
    `GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n${headers}\r\n`,
    // What is odd ends its connection, and so what follows it is not done.
    'GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect(parseReplies(text).map(({ status }) => status)).toEqual(statuses);
  expect(seen).toHaveLength(1);
  const raw = seen[0]?.rawHeaders ?? [];
  const names = raw.filter((_value, at) => at % 2 === 0).map((name) => name.toLowerCase());
  expect(names.sort()).toEqual(['authorization', 'connection', 'credit-exchange', 'host']);
});

test('each document has a connection of its own', async () => {
  await call();
  await call();
  const [first, second] = seen.map(({ socket }) => socket);
  expect(first).not.toBe(second);
  expect(seen.map(({ headers: { connection } }) => connection)).toEqual(['close', 'close']);
});

test('a client that goes away before the answer lets the service go', async () => {
  const gone = new Promise((resolve) => {
    behind.answer = (request) => void request.socket.on('close', resolve);
  });
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n\r\n`);
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  await gone;
});

test('who gets no ticket gets no document', async () => {
  gateway.services.answer('openReportDocument', () => {
    throw notFound('The report does not exist.');
  });
  const reply = await call();
  expectComplete(reply);
  expect(reply.status).toBe(404);
  expect(seen).toEqual([]);
});

test('a refused ticket and a service that hangs up are an error to try again', async () => {
  for (const broken of [
    (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(404).end(),
    (request: IncomingMessage) => void request.socket.destroy(),
  ]) {
    behind.answer = broken;
    const reply = await call();
    expectComplete(reply);
    expect(reply.status).toBe(500);
    expect(reply.headers['retry-after']).toBe('1');
    expect(JSON.parse(reply.text).error.code).toBe('INTERNAL_ERROR');
  }
});
