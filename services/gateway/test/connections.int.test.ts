import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { notFound } from '@credit/platform/errors';
import { API_KEY, TestGateway } from './support/gateway';
import {
  codeOf,
  expectComplete,
  parseReplies,
  type Reply,
  send,
  sendBytes,
} from './support/http-client';
import { declaredAs, exampleRequest, playExample } from './support/scenarios';
import { until } from './support/until';

const gateway = new TestGateway();
// The documentation is rendered when it is first asked for.
beforeAll(async () => {
  await gateway.start();
  await gateway.call({ as: null, method: 'GET', path: '/docs' });
}, 60_000);
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset());

const HOST = 'Host: gateway.example\r\n';
const AUTHORIZATION = `Authorization: Bearer ${API_KEY}\r\n`;
const CLOSE = 'Connection: close\r\n';

async function exchange(...parts: (string | Buffer)[]): Promise<Reply[]> {
  const replies = parseReplies(await sendBytes(gateway.port, ...parts));
  for (const reply of replies) expectComplete(reply);
  return replies;
}

function outcome(reply: Reply | undefined): [number, string] | undefined {
  return reply && [reply.status, codeOf(reply)];
}

test.each([
  ['garbage', 'garbage\r\n\r\n', 404],
  ['a TLS handshake', Buffer.from('16030100050100000100', 'hex'), 404],
  ['an unknown method', `BREW /api/v1/accounts HTTP/1.1\r\n${HOST}\r\n`, 404],
  ['a method in small letters', `get /api/v1/accounts HTTP/1.1\r\n${HOST}\r\n`, 404],
  ['a tunnel', `CONNECT gateway.example:443 HTTP/1.1\r\n${HOST}\r\n`, 404],
  ['a header without a colon', `GET /api/v1/accounts HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`, 400],
  ['NUL in a header', `GET /api/v1/accounts HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, 400],
  ['another protocol', 'GET /api/v1/accounts HTTP/9.9\r\n\r\n', 400],
  [
    'a body of two lengths',
    `POST /api/v1/accounts HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    400,
  ],
  [
    'a length and chunks',
    `POST /api/v1/accounts HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    400,
  ],
  ['a negative length', `POST /api/v1/accounts HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`, 400],
  [
    'headers without end',
    `GET /api/v1/accounts HTTP/1.1\r\n${HOST}X: ${'x'.repeat(40_000)}\r\n\r\n`,
    400,
  ],
  ['a path without end', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['no host', `GET /api/v1/accounts HTTP/1.1\r\n${CLOSE}\r\n`, 400],
])('%s gets an answer with all that an answer has', async (_name, bytes, status) => {
  const [reply, ...more] = await exchange(bytes);
  expect(reply?.status).toBe(status);
  expect(codeOf(reply as Reply)).toBe(status === 404 ? 'NOT_FOUND' : 'REQUEST_ERROR');
  expect(more).toEqual([]);
});

test.each([
  ['HEAD', ''],
  ['OPTIONS', '{"error"'],
])('%s is 404 and reaches no service', async (method, text) => {
  const subject = '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f';
  const path = `/api/v1/credit/${subject}?purpose=NEW_CREDIT_APPLICATION`;
  const reply = await gateway.call({ method, path });
  expect(reply.status).toBe(404);
  expectComplete(reply);
  expect(reply.text.startsWith(text)).toBe(true);
  expect(gateway.services.calls).toEqual([]);
});

test('OPTIONS * is 404', async () => {
  const [reply] = await exchange(`OPTIONS * HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
  expect(outcome(reply)).toEqual([404, 'NOT_FOUND']);
});

test('the whole URL of a proxy request is understood', async () => {
  playExample(gateway.services, declaredAs('listAccounts'));
  const target = 'http://gateway.example/api/v1/accounts?limit=3';
  const [reply] = await exchange(`GET ${target} HTTP/1.1\r\n${HOST}${AUTHORIZATION}${CLOSE}\r\n`);
  expect(reply?.status).toBe(200);
  expect(gateway.services.calls[0]?.request).toMatchObject({ limit: 3 });
});

test('HTTP/1.0 is served', async () => {
  playExample(gateway.services, declaredAs('listAccounts'));
  const [reply] = await exchange(`GET /api/v1/accounts HTTP/1.0\r\n${AUTHORIZATION}\r\n`);
  expect(reply?.status).toBe(200);
});

test('requests that follow each other on a connection are answered in order', async () => {
  playExample(gateway.services, declaredAs('listAccounts'));
  const get = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}${more}\r\n`;
  const replies = await exchange(
    get('/api/v1/accounts'),
    get('/api/v1/nothing'),
    get('/api/v1/accounts', CLOSE),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 404, 200]);
});

test('an answer is not lost because nonsense follows its request', async () => {
  playExample(gateway.services, declaredAs('listAccounts'));
  const get = `GET /api/v1/accounts HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`;
  const replies = await exchange(`${get}nonsense\r\n\r\n`);
  expect(replies.map(({ status }) => status)).toEqual([200, 404]);
});

describe('a body', () => {
  const head = (length: string, authorization = AUTHORIZATION) =>
    `POST /api/v1/webhooks HTTP/1.1\r\n${HOST}${authorization}` +
    `Content-Type: application/json\r\n${length}\r\n`;

  test('whose chunks are broken is 400, and the connection ends', async () => {
    const replies = await exchange(head('Transfer-Encoding: chunked\r\n'), 'zz\r\n');
    expect(replies.map(outcome)).toEqual([[400, 'REQUEST_ERROR']]);
    expect(replies[0]?.headers.connection).toBe('close');
  });

  test('is not read before the caller is known', async () => {
    const replies = await exchange(head('Content-Length: 900000\r\n', ''));
    expect(replies.map(outcome)).toEqual([[401, 'INVALID_API_KEY']]);
    expect(replies[0]?.headers.connection).toBe('close');
  });

  test('that is announced as too large is refused before it is sent', async () => {
    const replies = await exchange(head('Content-Length: 1048577\r\n'));
    expect(replies.map(outcome)).toEqual([[413, 'REQUEST_TOO_LARGE']]);
    expect(replies[0]?.headers.connection).toBe('close');
  });

  test('that is asked for first is invited only when it is wanted', async () => {
    playExample(gateway.services, declaredAs('createWebhook'));
    const body = JSON.stringify(declaredAs('createWebhook').examples.body);
    const expecting = `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n${CLOSE}`;
    const text = await sendBytes(gateway.port, head(expecting), body);
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    const refused = await sendBytes(gateway.port, head(expecting, ''));
    expect(refused).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('that was not wanted leaves the connection usable when it is all there', async () => {
    playExample(gateway.services, declaredAs('listAccounts'));
    const replies = await exchange(
      `${head('Content-Length: 5\r\n', '')}12345`,
      `GET /api/v1/accounts HTTP/1.1\r\n${HOST}${AUTHORIZATION}${CLOSE}\r\n`,
    );
    expect(replies.map(({ status }) => status)).toEqual([401, 200]);
  });

  test('of a client that never stops is cut off, after its answer was read', async () => {
    const reply = await new Promise<Reply>((resolve, reject) => {
      const outgoing = httpRequest(
        {
          host: '127.0.0.1',
          port: gateway.port,
          method: 'POST',
          path: '/api/v1/webhooks',
          headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
            outgoing.destroy();
          });
        },
      );
      outgoing.on('error', reject);
      const chunk = Buffer.alloc(64 * 1_024, ' ');
      const feed = () => {
        while (!outgoing.destroyed && outgoing.write(chunk));
        if (!outgoing.destroyed) outgoing.once('drain', feed);
      };
      feed();
    });
    expect(outcome(reply)).toEqual([413, 'REQUEST_TOO_LARGE']);
    expectComplete(reply);
  });

  test('that breaks off with its connection is nobody’s business', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`${head('Content-Length: 100\r\n')}{"url":`);
    await until(() => gateway.services.checks.length === 1);
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(gateway.services.calls).toEqual([]);
    expect((await gateway.call({ path: '/api/v1/nothing' })).status).toBe(404);
  });
});

describe('a client that goes away', () => {
  const goAway = async (method: 'getAccount' | 'createAccount', lasts_ms: number) => {
    const operation = declaredAs(method);
    const outcomes: string[] = [];
    gateway.services.answer(method, (ctx) => {
      return new Promise((_resolve, reject) => {
        const timer = setTimeout(() => {
          outcomes.push('finished');
          reject(notFound('Never mind.'));
        }, lasts_ms);
        ctx.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          outcomes.push('aborted');
          reject(ctx.signal.reason);
        });
      });
    });
    const sent = exampleRequest(operation);
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port: gateway.port,
      method: sent.method,
      path: sent.path,
      headers: {
        Authorization: `Bearer ${API_KEY}`,
        'Content-Type': 'application/json',
        ...sent.headers,
      },
    });
    outgoing.on('error', () => {});
    outgoing.end(sent.body === undefined ? undefined : JSON.stringify(sent.body));
    await until(() => gateway.services.callsOf(method).length === 1);
    outgoing.destroy();
    await until(() => outcomes.length === 1);
    return outcomes[0];
  };

  test('ends its read', async () => {
    expect(await goAway('getAccount', 10_000)).toBe('aborted');
  });

  test('does not end its write', async () => {
    expect(await goAway('createAccount', 300)).toBe('finished');
  });
});

describe('the pages around the API', () => {
  test.each(['/healthz', '/readyz'])('%s answers', async (path) => {
    await untilReady();
    const reply = await gateway.call({ as: null, path });
    expect(reply.status).toBe(200);
    expectComplete(reply);
    expect(gateway.services.checks).toEqual([]);
  });

  test('/readyz waits for identity once, and then does not follow its ups and downs', async () => {
    const state = async () => {
      const reply = await gateway.call({ as: null, path: '/readyz' });
      expectComplete({ ...reply, status: 200 });
      return [reply.status, JSON.parse(reply.text).status];
    };
    await gateway.stopGateway();
    await gateway.services.stopService('identity');
    await gateway.startGateway();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await state()).toEqual([503, 'starting']);
    await gateway.services.startService('identity');
    await untilReady();
    await gateway.services.stopService('identity');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await state()).toEqual([200, 'ready']);
    await gateway.services.startService('identity');
  });

  test.each([
    ['POST', '/'],
    ['GET', '/docs/unknown'],
    ['GET', '/docs/%zz'],
    ['GET', '/documents'],
    ['POST', '/docs'],
    ['OPTIONS', '/healthz'],
    ['GET', '/metrics'],
  ])('%s %s is 404', async (method, path) => {
    const reply = await gateway.call({ as: null, method, path });
    expect(reply.status).toBe(404);
    expectComplete(reply);
  });
});

describe('a header that can mean one thing only', () => {
  const head = `POST /api/v1/accounts/bulk HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${API_KEY}\r\n`;
  const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

  test.each([
    ['Host', 'there'],
    ['Authorization', 'Bearer another'],
    ['Idempotency-Key', 'another-key-0'],
    ['Content-Type', 'application/json'],
  ])('%s is refused when it comes twice', async (name, value) => {
    const text = await sendBytes(
      gateway.port,
      `${head}Idempotency-Key: one-key-000\r\n${name}: ${value}\r\n${body}`,
    );
    const replies = parseReplies(text);
    expect(replies.map(({ status }) => status)).toEqual([400]);
    expect(codeOf(replies[0] as Reply)).toBe('REQUEST_ERROR');
  });
});

describe('behind a proxy', () => {
  const behind = new TestGateway();
  beforeAll(() => behind.start({ TRUSTED_PROXIES: '127.0.0.0/8' }));
  afterAll(() => behind.stop());

  test('the client is whom the proxy names', async () => {
    const headers = { 'X-Forwarded-For': '6.6.6.6, 203.0.113.9' };
    await behind.call({ path: '/api/v1/nothing', headers });
    await behind.call({ path: '/api/v1/nothing' });
    await behind.call({ path: '/api/v1/nothing', headers: { 'X-Forwarded-For': 'unknown' } });
    expect(behind.services.checks.map(({ client_address }) => client_address)).toEqual([
      '203.0.113.9',
      '127.0.0.1',
      '',
    ]);
  });

  test('browsers are told to come by TLS alone: it is in front', async () => {
    for (const path of ['/api/v1/nothing', '/api/v1/public/status', '/docs', '/healthz']) {
      const reply = await behind.call({ as: null, method: 'GET', path });
      expect([path, reply.headers['strict-transport-security']]).toEqual([
        path,
        expect.stringMatching(/^max-age=\d{8,}/),
      ]);
      const plain = await gateway.call({ as: null, method: 'GET', path });
      expect([path, plain.headers['strict-transport-security']]).toEqual([path, undefined]);
    }
  });

  test('without a trusted proxy nobody is believed', async () => {
    // Identity has just come back for the tests before; until it is reached, nobody is metered.
    for (let attempt = 0; attempt < 50 && gateway.services.checks.length === 0; attempt += 1) {
      await gateway.call({ path: '/api/v1/nothing', headers: { 'X-Forwarded-For': '6.6.6.6' } });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(gateway.services.checks[0]?.client_address).toBe('127.0.0.1');
  });
});

describe('too much at once', () => {
  const small = new TestGateway();
  beforeAll(() => small.start({ MAX_IN_FLIGHT: '2' }));
  afterAll(() => small.stop());

  test('what is over the bound is turned away with a complete answer', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    small.services.answer('getAccount', async () => {
      await held;
      throw notFound('There is no such account.');
    });
    const sent = exampleRequest(declaredAs('getAccount'));
    const waiting = [small.call(sent), small.call(sent)];
    await until(() => small.services.callsOf('getAccount').length === 2);
    const reply = await small.call(sent);
    expectComplete(reply);
    expect(outcome(reply)).toEqual([500, 'INTERNAL_ERROR']);
    expect(reply.headers['retry-after']).toMatch(/^[1-4]$/);
    expect(JSON.parse(reply.text).error.reason).toBe('OVERLOADED');
    release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([404, 404]);
    expect((await small.call(sent)).status).toBe(404);
  });
});

describe('at the end', () => {
  test('what is in flight is answered, then nothing new is taken, connections close', async () => {
    const ending = new TestGateway();
    await ending.start({ DRAIN_GRACE_MS: '500' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    ending.services.answer('getAccount', async () => {
      await held;
      throw notFound('There is no such account.');
    });
    const { port } = ending;
    const waiting = ending.call(exampleRequest(declaredAs('getAccount')));
    await until(() => ending.services.callsOf('getAccount').length === 1);
    const stopped = ending.stopGateway();
    const request = `GET / HTTP/1.1\r\n${HOST}\r\n`;
    // For a while those who have not seen yet that it is going are answered, and sent away.
    expect(await sendBytes(port, request)).toContain('\r\nConnection: close\r\n');
    await until(
      async () => (await Promise.allSettled([sendBytes(port, request)]))[0].status === 'rejected',
    );
    release();
    const reply = await waiting;
    expect(outcome(reply)).toEqual([404, 'NOT_FOUND']);
    expectComplete(reply);
    await stopped;
    await ending.stop();
  });

  test('a port that is taken is one clear sentence', async () => {
    const second = new TestGateway();
    await second.services.start();
    await expect(second.startGateway({ PORT: `${gateway.port}` })).rejects.toThrow(
      `Port ${gateway.port} on 127.0.0.1 is taken: set PORT to a free one.`,
    );
    await second.stop();
  });
});

test.each([
  ['TRUSTED_PROXIES', '10.0.0.0/8, proxy.local', /"proxy\.local" is neither/],
  ['PORT', '99999', /PORT/],
  ['IDENTITY_ADDRESS', 'identity', /IDENTITY_ADDRESS must be host:port/],
])('a wrong %s is named when it starts', async (name, value, message) => {
  await expect(new TestGateway().startGateway({ [name]: value })).rejects.toThrow(message);
});

test('a request that is cut into pieces is one request', async () => {
  playExample(gateway.services, declaredAs('listAccounts'));
  const text = `GET /api/v1/accounts HTTP/1.1\r\n${HOST}${AUTHORIZATION}${CLOSE}\r\n`;
  const [reply] = await exchange(...(text.match(/.{1,20}/gs) ?? []));
  expect(reply?.status).toBe(200);
});

test('many at once are all answered, their credentials in few batches', async () => {
  playExample(gateway.services, declaredAs('listAccounts'));
  const replies = await Promise.all(
    Array.from({ length: 200 }, () =>
      send(gateway.port, {
        path: '/api/v1/accounts',
        headers: { Authorization: `Bearer ${API_KEY}` },
      }),
    ),
  );
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  const counts = gateway.services.checks.map(({ count }) => count);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200);
});

async function untilReady(): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    if ((await gateway.call({ as: null, path: '/readyz' })).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the gateway did not become ready');
}
