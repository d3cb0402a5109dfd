import { connect } from 'node:net';
import { newApiKey } from '@credit/platform/credentials';
import { keyPrincipal } from './support/fake-services';
import { TestGateway } from './support/gateway';
import { declaredAs, exampleRequest } from './support/scenarios';

// Two clients, each on connections of its own, send what HTTP allows and what it does not. Nobody
// may ever read an answer that is not to a request of theirs, in no state of a connection.

/** `FUZZ_EXCHANGES=200000 FUZZ_SEED=…` looks longer or elsewhere. */
const EXCHANGES = Number(process.env.FUZZ_EXCHANGES ?? 5_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const CONNECTIONS_AT_ONCE = 12;
/** When nothing more comes, where a request was left unfinished on purpose. */
const QUIET_MS = 60;
const DEADLINE_MS = 15_000;
const TIMEOUT_MS = Math.max(60_000, EXCHANGES * 20);

const PATH = '/api/v1/reports/0198a1c7-0a10-7b3c-8d4e-5f6a7b8c9d0e/document';

interface Fuzzer {
  readonly name: string;
  readonly id: string;
  readonly key: string;
}
const CLIENTS: readonly [Fuzzer, Fuzzer] = [
  { name: 'alice', id: '0198a1c3-0c5e-7d1b-9a42-00000000a11c', key: newApiKey('live') },
  { name: 'bob', id: '0198a1c3-0c5e-7d1b-9a42-000000000b0b', key: newApiKey('live') },
];
const nameOf = (id: string) => CLIENTS.find((client) => client.id === id)?.name;

const gateway = new TestGateway();
const inner: string[] = [];

beforeAll(async () => {
  await gateway.start();
  for (const { id, key } of CLIENTS) {
    gateway.services.know(key, { principal: keyPrincipal({ id, environment: 'live' }) });
  }
  gateway.services.answer('openReportDocument', (ctx) => ({
    ticket: `live.${nameOf(ctx.actor.id)}`,
  }));
  gateway.services.answer('listAccounts', (ctx) => ({
    accounts: [],
    next_cursor: nameOf(ctx.actor.id),
  }));
  gateway.services.answer('createSubscription', () => {
    throw new Error('A webhook was made of what is none.');
  });
  gateway.documents.answer = (request, response) => {
    const { method, url, headers } = request;
    inner.push(`${method} ${url} ${Object.keys(headers).sort().join()}`);
    const text = `a document for ${headers.authorization}`;
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': text.length });
      response.end(text);
    }, 2);
  };
});
afterAll(() => gateway.stop(), 60_000);

/** Mulberry32. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** What is written, and whether the server waits for more of it. */
interface Written {
  readonly bytes: string;
  readonly unfinished?: boolean;
}
interface Writing {
  /** The request's id, the client's key, and what identifies the other. */
  readonly common: string;
  readonly key: string;
  readonly other: Fuzzer;
  readonly below: (limit: number) => number;
}

const HOST = 'Host: x\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const EMPTY = '{"a":1}';
const stowaway = (other: Fuzzer) =>
  `GET ${PATH} HTTP/1.1\r\n${HOST}Authorization: Ticket live.${other.name}\r\n\r\n`;
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body: string) =>
  `POST /api/v1/webhooks HTTP/1.1\r\n${headers}${JSON_TYPE}\r\n${body}`;

const KINDS: readonly ((writing: Writing) => Written)[] = [
  ({ common, key }) => ({ bytes: get('/api/v1/accounts', common + key) }),
  ({ common, key }) => ({ bytes: get(PATH, common + key) }),
  ({ common, key }) => ({ bytes: get(`http://other.example${PATH}`, common + key) }),
  ({ common, key, other }) => {
    const body = stowaway(other);
    return { bytes: get(PATH, `${common}${key}Content-Length: ${body.length}\r\n`) + body };
  },
  ({ common, key, other }) => ({
    bytes: get(PATH, `${common}${key}Transfer-Encoding: chunked\r\n`) + chunked(stowaway(other)),
  }),
  ({ common, key, other }) => {
    const body = stowaway(other);
    const expecting = `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`;
    return { bytes: get(PATH, common + key + expecting) + body };
  },
  ({ common, key }) => ({ bytes: get(PATH, `${common}${key}Expect: 100-continue\r\n`) }),
  ({ common, key }) => ({
    bytes: get(PATH, `${common}${key}Connection: Upgrade\r\nUpgrade: websocket\r\n`),
  }),
  ({ common, key }) => ({
    bytes: get('/api/v1/accounts', `${common}${key}Connection: Upgrade\r\nUpgrade: h2c\r\n`),
  }),
  ({ common }) => ({ bytes: `CONNECT scoring:9000 HTTP/1.1\r\n${common}\r\n` }),
  ({ common, key }) => ({ bytes: `HEAD ${PATH} HTTP/1.1\r\n${common}${key}\r\n` }),
  ({ common, key }) => ({ bytes: `GET ${PATH} HTTP/1.0\r\n${common}${key}\r\n` }),
  // Answered before the body is read, and the body is all there, or half, or never comes.
  ({ common, other }) => {
    const body = stowaway(other);
    return { bytes: post(`${common}Content-Length: ${body.length}\r\n`, body) };
  },
  ({ common, other }) => {
    const body = stowaway(other);
    return {
      bytes: post(`${common}Content-Length: ${body.length + 9}\r\n`, body),
      unfinished: true,
    };
  },
  ({ common, key }) => ({
    bytes: post(`${common}${key}Content-Length: 1048577\r\n`, EMPTY),
    unfinished: true,
  }),
  ({ common, key }) => ({
    bytes: post(`${common}${key}Content-Length: 99\r\n`, EMPTY),
    unfinished: true,
  }),
  ({ common, key }) => ({
    bytes: post(`${common}${key}Content-Length: ${EMPTY.length}\r\n`, EMPTY),
  }),
  ({ common, key }) => ({
    bytes: post(
      `${common}${key}Expect: 100-continue\r\nContent-Length: ${EMPTY.length}\r\n`,
      EMPTY,
    ),
  }),
  ({ common }) => ({
    bytes: post(`${common}Expect: 100-continue\r\nContent-Length: ${EMPTY.length}\r\n`, EMPTY),
  }),
  ({ common, key }) => ({
    bytes: post(`${common}${key}Transfer-Encoding: chunked\r\n`, chunked(EMPTY)),
  }),
  ({ common, key, other }) => ({
    bytes: post(
      `${common}${key}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`,
      `0\r\n\r\n${stowaway(other)}`,
    ),
  }),
  ({ common, key, other }) => ({
    bytes: post(`${common}${key}Transfer-Encoding: chunked, identity\r\n`, stowaway(other)),
  }),
  ({ common, key, other }) => ({
    bytes: post(`${common}${key}Transfer-Encoding : chunked\r\n`, stowaway(other)),
  }),
  ({ common, key }) => ({ bytes: post(`${common}${key}Transfer-Encoding: chunked\r\n`, 'zz\r\n') }),
  ({ common, key, other }) => ({
    bytes: get(PATH, `${common}${key}Authorization: Bearer ${other.key}\r\n`),
  }),
  ({ common, key }) => ({ bytes: get(PATH, `${common}${HOST}${key}`) }),
  ({ common, key }) => ({ bytes: get(PATH, `${common}${key}X: a\r\n b\r\n`) }),
  ({ common, key }) => ({ bytes: get(PATH, common + key).replaceAll('\r\n', '\n') }),
  () => ({ bytes: 'nonsense\r\n\r\n' }),
  ({ common }) => ({ bytes: get('/healthz', common) }),
  ({ common, other }) => {
    const body = stowaway(other);
    return { bytes: get('/docs/', `${common}Content-Length: ${body.length}\r\n`) + body };
  },
  ({ common, key }) => ({ bytes: get('/api/v1/nothing', common + key) }),
  ({ common, key }) => ({
    bytes: `DELETE /api/v1/webhooks/x HTTP/1.1\r\n${common}${key}Content-Length: 2\r\n\r\n{}`,
  }),
  // A request that stops within its head.
  ({ common, key, below }) => {
    const bytes = get(PATH, common + key);
    return { bytes: bytes.slice(0, 1 + below(bytes.length - 2)), unfinished: true };
  },
];

interface Answer {
  readonly status: number;
  readonly id: string;
  readonly text: string;
  readonly head: string;
}

/** The answers on a connection; `complete` unless this side hung up. */
function answersOf(text: string, heads_only: ReadonlySet<string>, complete: boolean): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) {
      if (complete) throw new Error(`Not an answer: ${rest.slice(0, 200)}`);
      return answers;
    }
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new Error(`Not an answer: ${head.slice(0, 200)}`);
    const id = /^x-request-id: (.*)$/im.exec(head)?.[1] ?? '';
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body_end = end + 4 + (heads_only.has(id) ? 0 : length);
    if (body_end > rest.length && complete) throw new Error(`Cut off: ${rest.slice(0, 200)}`);
    if (status >= 200) answers.push({ status, id, head, text: rest.slice(end + 4, body_end) });
    rest = rest.slice(body_end);
  }
  return answers;
}

/** Writes pieces as they come; all that came back until the server ended it, or nothing more came. */
function converse(pieces: readonly string[], unfinished: boolean): Promise<[string, boolean]> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    let hung_up = false;
    let quiet: NodeJS.Timeout | undefined;
    const hangUp = () => {
      hung_up = true;
      socket.destroy();
    };
    const deadline = setTimeout(() => {
      reject(new Error(`No end after ${JSON.stringify(pieces.join(''))}: ${text}`));
      socket.destroy();
    }, DEADLINE_MS);
    const wait = () => {
      clearTimeout(quiet);
      if (unfinished) quiet = setTimeout(hangUp, QUIET_MS);
    };
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      wait();
    });
    // Written to after its end: what came before is judged.
    socket.on('error', () => {
      hung_up = true;
    });
    socket.on('close', () => {
      clearTimeout(quiet);
      clearTimeout(deadline);
      resolve([text, !hung_up]);
    });
    const write = (at: number) => {
      const piece = pieces[at];
      if (piece === undefined || socket.destroyed) return wait();
      socket.write(piece, 'latin1');
      setImmediate(write, at + 1);
    };
    write(0);
  });
}

test(
  'nobody gets an answer that is not their own, and nothing is our fault',
  async () => {
    const below = generator(SEED);
    let sent = 0;
    let answered = 0;
    const statuses = new Map<number, number>();

    const connection = async (): Promise<void> => {
      const which = below(2);
      const self = CLIENTS[which] ?? CLIENTS[0];
      const other = CLIENTS[1 - which] ?? CLIENTS[1];
      const ids: string[] = [];
      const heads_only = new Set<string>();
      let bytes = '';
      let unfinished = false;
      for (let count = 1 + below(5); count > 0 && !unfinished; count -= 1) {
        const id = `${self.name}-${SEED}-${sent}`;
        sent += 1;
        ids.push(id);
        const written = KINDS[below(KINDS.length)]?.({
          common: `${HOST}X-Request-ID: ${id}\r\n`,
          key: `Authorization: Bearer ${self.key}\r\n`,
          other,
          below,
        });
        bytes += written?.bytes ?? '';
        unfinished = written?.unfinished ?? false;
        if (written?.bytes.startsWith('HEAD')) heads_only.add(id);
      }
      if (!unfinished) {
        const id = `${self.name}-${SEED}-${sent}`;
        sent += 1;
        ids.push(id);
        bytes += get('/api/v1/nothing', `${HOST}X-Request-ID: ${id}\r\nConnection: close\r\n`);
      }
      const pieces: string[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + below(below(2) === 0 ? 40 : 2_000);
        pieces.push(bytes.slice(at, end));
        at = end;
      }
      const [text, complete] = await converse(pieces, unfinished);
      const answers = answersOf(text, heads_only, complete);
      answered += answers.length;
      let next = 0;
      for (const [at, answer] of answers.entries()) {
        const found = { bytes, text };
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const place = ids.indexOf(answer.id, next);
        if (place >= 0) next = place + 1;
        // What the parser refuses has an id that was made, and is the last thing said.
        const is_refusal = at === answers.length - 1 && [400, 404].includes(answer.status);
        if (place < 0 && !is_refusal) throw new Error(`Foreign: ${JSON.stringify(found)}`);
        if (answer.status >= 500) throw new Error(`Failed: ${JSON.stringify(found)}`);
        if (`${answer.head}${answer.text}`.includes(other.name)) {
          throw new Error(`Another's: ${JSON.stringify(found)}`);
        }
        const is_document = answer.text.startsWith('a document');
        if (is_document) expect(answer.text).toBe(`a document for Ticket live.${self.name}`);
      }
    };
    const worker = async () => {
      while (sent < EXCHANGES) await connection();
    };
    await Promise.all(Array.from({ length: CONNECTIONS_AT_ONCE }, worker));

    // What was meant to be refused did not swallow the rest.
    expect(answered).toBeGreaterThan(EXCHANGES / 4);
    expect(statuses.get(200)).toBeGreaterThan(EXCHANGES / 20);
    expect(new Set(inner)).toEqual(
      new Set(['GET /report-document authorization,connection,credit-exchange,host']),
    );
    if (process.env.FUZZ_EXCHANGES !== undefined) {
      console.log({ seed: SEED, sent, answered, statuses: Object.fromEntries(statuses) });
    }
  },
  TIMEOUT_MS,
);

test('nothing is still worked on when all have gone', async () => {
  // Longer than an unwanted body is taken, shorter than a stop that waits for what does not end.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const started_ms = Date.now();
  await gateway.stopGateway();
  expect(Date.now() - started_ms).toBeLessThan(5_000);
}, 30_000);

test('the operations that the fuzz calls are there', () => {
  expect(exampleRequest(declaredAs('createWebhook'))).toMatchObject({
    method: 'POST',
    path: '/api/v1/webhooks',
  });
  expect(exampleRequest(declaredAs('getReportDocument')).path).toMatch(/\/reports\/.*\/document$/);
});
