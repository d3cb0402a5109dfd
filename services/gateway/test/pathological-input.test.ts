import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '@credit/contract';
import { parseAuthorization, parseDisputeToken } from '@credit/platform/credentials';
import { decodeCursor } from '@credit/platform/db';
import { parseJson } from '@credit/platform/values';
import { checkContentHeaders } from '../src/body';
import { clientAddress, TrustedProxies } from '../src/client-address';
import { Exchange, requestId } from '../src/exchange';
import { parseQuery } from '../src/query';
import { headFault } from '../src/request-head';
import { Router } from '../src/router';
import { declared } from './support/scenarios';

// What a stranger can make longest and oddest, at the largest size that gets through, in front of
// everything that reads it: none costs more than an ordinary request does.

/** Node refuses a request line and headers that are longer together. */
const HEAD_BYTES = 16 * 1_024;
const BODY_BYTES = 1_024 * 1_024;
const MAX_VALUES = 10_000;
const BOUND_MS = 20;

/** CPU of the fastest of a few runs, or of many where all were slow: the others were disturbed. */
function fastest(run: () => unknown, isEnough: (round: number, best_ms: number) => boolean) {
  let best_ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 25 && !isEnough(round, best_ms); round += 1) {
    const before = process.cpuUsage();
    try {
      run();
    } catch {
      // Refusing is an answer too.
    }
    const { user, system } = process.cpuUsage(before);
    best_ms = Math.min(best_ms, (user + system) / 1_000);
  }
  return best_ms;
}

const PLAIN = `[${'{"name":"plain","amount":12.5},'.repeat(BODY_BYTES / 31)}0]`;
const PLAIN_MS = 6;

/**
 * What a run costs on a machine that reads a megabyte of plain JSON in 6 ms of CPU. Beside other work
 * a processor's time is worth less, for what is pathological and for what is not: what looks slow is
 * weighed against plain JSON of the same moment.
 */
function cpuMs(run: () => unknown): number {
  const cost_ms = fastest(
    run,
    (round, best_ms) =>
      round >= 2 && (best_ms <= BOUND_MS / 2 || (round >= 5 && best_ms < BOUND_MS)),
  );
  if (cost_ms < BOUND_MS) return cost_ms;
  const plain_ms = fastest(
    () => JSON.parse(PLAIN),
    (round) => round >= 7,
  );
  return cost_ms / Math.max(1, plain_ms / PLAIN_MS);
}

function filled(unit: string, size: number, before = '', behind = ''): string {
  const room = size - before.length - behind.length;
  return before + unit.repeat(Math.max(0, Math.floor(room / unit.length))) + behind;
}

/** Texts over which patterns go back: long runs with an end that does not match. */
const RUNS: [string, (size: number) => string][] = [
  ['spaces', (size) => filled(' ', size, 'a', 'b')],
  ['spaces of other kinds', (size) => filled('\u2003\t', size, 'a', 'b')],
  ['zeros', (size) => filled('0', size, '1.', 'x')],
  ['dots', (size) => filled('a.', size, 'a@', '@')],
  ['at signs', (size) => filled('@', size)],
  ['percent signs', (size) => filled('%41', size, '', '%')],
  ['slashes', (size) => filled('/', size)],
  ['colons', (size) => filled(':', size, '[', '')],
  ['commas', (size) => filled(',', size)],
  ['semicolons', (size) => filled('; ', size, 'application/json')],
  ['quotes', (size) => filled('"', size)],
  ['backslashes', (size) => filled('\\', size)],
  ['digits', (size) => filled('9', size)],
  ['dashes', (size) => filled('-', size, '2026-01-01T00:00:00.', 'Z')],
  ['fractions', (size) => filled('1', size, '2026-01-01T00:00:00.', 'x')],
  ['marks', (size) => filled('\u0301', size, 'e')],
  ['ligatures that grow', (size) => filled('\ufdfa', size)],
  ['emoji', (size) => filled('😀', size)],
  ['a URL', (size) => filled('a@', size, 'https://', '/')],
  ['a host', (size) => filled('a-.', size, 'https://', ':99999')],
  ['parameters', (size) => filled('a=1&', size)],
  ['addresses', (size) => filled('1.1.1.1,', size)],
  ['an address', (size) => filled('1:', size, '::', '%eth0')],
];

const request = (url: string, headers: Record<string, string> = {}) =>
  ({
    method: 'GET',
    url,
    httpVersion: '1.1',
    headers: { host: 'x', ...headers },
    rawHeaders: Object.entries(headers).flat(),
  }) as unknown as IncomingMessage;

const trusted = new TrustedProxies('10.0.0.0/8, ::1, 1.1.1.1');
const router = new Router(declared);

const HEAD_PARSERS: [string, (text: string) => unknown][] = [
  ['content type', (text) => checkContentHeaders(request('/', { 'content-type': text }))],
  [
    'content encoding',
    (text) =>
      checkContentHeaders(
        request('/', { 'content-type': 'application/json', 'content-encoding': text }),
      ),
  ],
  ['authorization', (text) => parseAuthorization(`Bearer ${text}`)],
  ['a key', (text) => parseAuthorization(`Bearer svc_live_${text}`)],
  ['a dispute token', (text) => parseDisputeToken(`Bearer svc_dt_${text}`)],
  ['a scheme', (text) => parseAuthorization(text)],
  ['request id', (text) => requestId(request('/', { 'x-request-id': text }), () => '')],
  ['forwarded for', (text) => clientAddress('::1', text, trusted)],
  ['query', (text) => parseQuery(text)],
  ['path', (text) => router.find('GET', `/api/v1/${text}`)],
  ['target', (text) => exchangeOf(text)],
  ['absolute target', (text) => exchangeOf(`http://${text}`)],
  ['headers of one letter', (text) => headFault(rawRequest(text))],
  ['cursor', (text) => decodeCursor(text, 1)],
];

function exchangeOf(url: string): Exchange {
  const options = {
    request_id: '',
    started_at_ms: 0,
    rate: { limit: 0, remaining: 0, reset_s: 0 },
    authorization: undefined,
  };
  return new Exchange(request(url), {} as ServerResponse, options);
}

/** As many headers as fit. */
function rawRequest(text: string): IncomingMessage {
  const rawHeaders = Array.from(
    { length: HEAD_BYTES / 2 },
    (_unused, at) => text[at % text.length] ?? '',
  );
  return { headers: { host: 'x' }, rawHeaders, httpVersion: '1.1' } as unknown as IncomingMessage;
}

describe.each(HEAD_PARSERS)('%s', (_name, parse) => {
  test.each(RUNS)('of %s', (_run, make) => {
    const text = make(HEAD_BYTES);
    expect(cpuMs(() => parse(text))).toBeLessThan(BOUND_MS);
  });
});

const BODIES: [string, (size: number) => string][] = [
  ['zeros behind a point', (size) => filled('0', size, '{"a":0.', '}')],
  ['zeros before an end', (size) => filled('0', size, '{"a":1', '1}')],
  ['an exponent', (size) => filled('0', size, '{"a":1e', '1}')],
  ['small values', (size) => filled('1,', size, '[', '1]')],
  ['an inexact number among small ones', (size) => filled('1,', size, '[1e400,', '1]')],
  ['many inexact numbers', (size) => filled('1e400,', size, '[', '1]')],
  ['exponents', (size) => filled('1e1,', size, '[', '1]')],
  ['long numbers', (size) => filled('1234567890.123450,', size, '[', '1]')],
  ['numbers of 17 digits', (size) => filled('0.10000000000000001,', size, '[', '1]')],
  ['empty arrays', (size) => filled('[],', size, '[', '1]')],
  ['empty objects', (size) => filled('{},', size, '[', '1]')],
  ['brackets', (size) => filled('[', size)],
  ['objects in objects', (size) => filled('{"a":', size)],
  [
    'keys',
    (size) => {
      let text = '{"k":1';
      for (let at = 0; text.length < size - 20; at += 1) text += `,"${at.toString(36)}":1`;
      return `${text}}`;
    },
  ],
  ['escaped keys', (size) => filled('"\\u0061":1,', size, '{', '"b":1}')],
  ['backslashes', (size) => filled('\\\\', size, '{"a":"', '"}')],
  ['escaped quotes', (size) => filled('\\"', size, '{"a":"', '"}')],
  ['escapes', (size) => filled('\\u0041', size, '{"a":"', '"}')],
  ['a text without end', (size) => filled('\\"', size, '{"a":"')],
  ['spaces', (size) => filled(' ', size, '{', '}')],
  ['quotes', (size) => filled('"', size)],
];

describe('a body', () => {
  test.each(BODIES)('of %s', (_name, make) => {
    const bytes = Buffer.from(make(BODY_BYTES));
    expect(bytes.length).toBeGreaterThan(BODY_BYTES - 100);
    expect(cpuMs(() => parseJson(bytes, MAX_VALUES))).toBeLessThan(BOUND_MS);
  });

  // A batch may be four times as large, and is for members alone.
  test.each(BODIES)('of %s, in a batch', (_name, make) => {
    const bytes = Buffer.from(make(4 * BODY_BYTES));
    expect(cpuMs(() => parseJson(bytes, 250_000))).toBeLessThan(8 * BOUND_MS);
  });
});

describe.each(declared.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation: Operation) => {
    const example = (operation.examples.body ?? {}) as Record<string, unknown>;
    const fields = Object.keys(example).filter((name) => typeof example[name] === 'string');

    test('reads the longest texts in each field, parameter and path', () => {
      const slow: string[] = [];
      for (const [run, make] of RUNS) {
        const look = (where: string, read: () => unknown) => {
          const cost_ms = cpuMs(read);
          if (cost_ms >= BOUND_MS) slow.push(`${where} of ${run}: ${cost_ms} ms`);
        };
        const long = make(BODY_BYTES / 3);
        for (const name of fields) {
          look(name, () => operation.body?.safeParse({ ...example, [name]: long }));
        }
        const short = make(HEAD_BYTES);
        for (const name of Object.keys(operation.query ?? {})) {
          look(name, () => operation.query_schema.safeParse({ [name]: short }));
        }
        for (const name of Object.keys(operation.params)) {
          look(name, () => operation.params_schema.safeParse({ [name]: short }));
        }
      }
      expect(slow).toEqual([]);
    });
  },
);
