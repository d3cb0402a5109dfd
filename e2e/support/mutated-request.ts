import type { Operation } from '@credit/contract';
import { API_PREFIX } from './api';
import type { Chance } from './chance';

/** What is sent, byte for byte as far as HTTP goes. */
export interface MutatedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

/** What mutations may use that exists. */
export interface Surroundings {
  readonly operations: readonly Operation[];
  readonly tokens: readonly string[];
  /** By the kind of access: a token that gets in. */
  readonly tokenFor: (operation: Operation) => string | undefined;
  /** By the name of a field or parameter: ids of things that exist. */
  readonly ids: Readonly<Record<string, string>>;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Texts that something somewhere takes for more than a text. */
export const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  '💥'.repeat(50),
  'A'.repeat(10_000),
  "'; DROP TABLE users; --",
  '../../etc/passwd',
  '%00',
  'null',
  'NaN',
  '__proto__',
  '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '-000001-01-01T00:00:00Z',
  'https://user:secret@example.com/',
  'https://[::1]:0/',
  'svc.test',
];

const ODD_VALUES: Json[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.005,
  1e21,
  9_007_199_254_740_992,
  999_999_999_999.99,
  1_000_000_000_000,
  [],
  {},
  [[]],
  [null],
  { $ne: null },
];

/** Texts that only a serialised body can hold. */
const ODD_TOKENS = [
  '1e400',
  '-',
  '01',
  '.5',
  '"\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '{"__proto__":{}}',
  '{"a":1,"a":2}',
  '[',
  '}',
  ',',
  '//',
  '\ufeff',
  '123456789012345678901234567890',
  '0.1000000000000000055511151231257827',
];

const ODD_SEGMENTS = [
  '%',
  '%zz',
  '%ff',
  '%ed%a0%80',
  '%00',
  '..',
  '.',
  '%2e%2e',
  '%2f',
  'x',
  'me',
  'bulk',
  '0',
  '*',
  ';a=b',
  'constructor',
];

const ODD_QUERIES = [
  'limit=0',
  'limit=101',
  'limit=1e1',
  'limit=5&limit=5',
  'cursor=AAAA',
  'cursor=bnVsbA',
  'cursor=WyJ4Il0',
  'cursor=WyIwMTk4YTFjNC0xMWFhLTdlMDItOGM2MS03YTViNGMzZDJlMWYiXQ',
  'cursor=WyIyMDI2LTAyLTMwIiwiMDE5OGExYzQtMTFhYS03ZTAyLThjNjEtN2E1YjRjM2QyZTFmIl0',
  // A NUL, no date, a number too large, a negative one, and nothing.
  'cursor=WyJcdTAwMDAiLCIwMTk4YTFjNC0xMWFhLTdlMDItOGM2MS03YTViNGMzZDJlMWYiXQ',
  'cursor=WyIwMDAwLTAxLTAxVDAwOjAwOjAwLjAwMFoiLCIwMTk4YTFjNC0xMWFhLTdlMDItOGM2MS03YTViNGMzZDJlMWYiXQ',
  'cursor=WyI5OTk5OTk5OTk5OTk5OTk5OTk5OSJd',
  'cursor=WyIyMTQ3NDgzNjQ4Il0',
  'cursor=WyItMSJd',
  'cursor=WyIiXQ',
  'environment=test',
  'environment=prod',
  'q=%00%00',
  'q=%25%25%5f',
  'q=%ff%fe',
  '%',
  '&&&',
  '__proto__=1',
  'purpose=HARD',
];

/** An odd request: a declared one with a few things changed. */
export function mutatedRequest(chance: Chance, surroundings: Surroundings): MutatedRequest {
  const operation = chance.pick(surroundings.operations);
  const method = chance.happens(0.94) ? operation.method : chance.pick(METHODS);
  const body = bodyOf(chance, operation, surroundings);
  return {
    method,
    target: targetOf(chance, operation, surroundings),
    headers: headersOf(chance, operation, surroundings, body),
    body: method === 'HEAD' || method === 'TRACE' ? undefined : body,
  };
}

function targetOf(chance: Chance, operation: Operation, { ids }: Surroundings): string {
  let path = `${API_PREFIX}${operation.path}`.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (chance.happens(0.7)) return ids[name] ?? operation.examples.params?.[name] ?? 'x';
    return chance.happens(0.5)
      ? (operation.examples.params?.[name] ?? 'x')
      : chance.pick(ODD_SEGMENTS);
  });
  if (chance.happens(0.04)) path += chance.pick(['/', '//', '/x', '%20', ';', '/..', '#a']);
  if (chance.happens(0.02)) path = path.toUpperCase();
  const query: string[] = [];
  const example = new URLSearchParams(operation.examples.query ?? {});
  if (chance.happens(0.8) && example.size > 0) query.push(`${example}`);
  while (chance.happens(0.15)) query.push(chance.pick(ODD_QUERIES));
  if (chance.happens(0.01)) query.push(`q=${'x'.repeat(9_000)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function headersOf(
  chance: Chance,
  operation: Operation,
  { tokens, tokenFor }: Surroundings,
  body: Buffer | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const own = tokenFor(operation);
  if (chance.happens(0.9)) {
    if (own !== undefined) headers.Authorization = `Bearer ${own}`;
  } else if (chance.happens(0.7)) {
    headers.Authorization = `Bearer ${chance.pick(tokens)}`;
  } else {
    headers.Authorization = chance.pick(['Bearer', 'Bearer  ', 'Basic eDp5', 'x', 'Bearer a b']);
  }
  if (operation.idempotent && chance.happens(0.9)) {
    // Few of them, so that keys meet each other.
    headers['Idempotency-Key'] = `fuzzed-key-${chance.below(40)}`;
  } else if (chance.happens(0.1)) {
    headers['Idempotency-Key'] = chance.pick(['', 'short', '        ', 'x'.repeat(256)]);
  }
  if (body !== undefined) {
    headers['Content-Type'] = chance.happens(0.95)
      ? 'application/json'
      : chance.pick(['text/plain', 'application/json; charset=latin1', 'multipart/form-data', '']);
  }
  if (chance.happens(0.02)) headers['Content-Encoding'] = chance.pick(['gzip', 'br', 'identity']);
  if (chance.happens(0.02)) headers.Expect = chance.pick(['100-continue', '200-ok']);
  if (chance.happens(0.03)) headers['X-Request-ID'] = chance.pick(['', 'a b', 'ok-1', '<x>']);
  if (chance.happens(0.03)) headers['X-Forwarded-For'] = chance.pick(['::', 'x', '1.2.3.4, y', '']);
  if (chance.happens(0.02)) headers.Traceparent = chance.pick(['00-0-0-00', 'x'.repeat(500)]);
  if (chance.happens(0.02)) headers.Accept = 'text/html';
  if (chance.happens(0.02)) headers.Upgrade = 'websocket';
  return headers;
}

function bodyOf(
  chance: Chance,
  operation: Operation,
  surroundings: Surroundings,
): Buffer | undefined {
  if (operation.body === undefined) {
    return chance.happens(0.93) ? undefined : Buffer.from(chance.pick(['{}', '[]', '{"a":1}', '']));
  }
  if (chance.happens(0.02)) return undefined;
  if (chance.happens(0.004)) return Buffer.from(`{"message":"${'x'.repeat(4_300_000)}"}`);
  let value = withIds(structuredClone(operation.examples.body) as Json, surroundings.ids);
  while (chance.happens(0.45)) value = mutateValue(chance, value);
  const text = JSON.stringify(value);
  return chance.happens(0.15) ? mutateBytes(chance, Buffer.from(text)) : Buffer.from(text);
}

/** Puts things that exist where the example names some. */
function withIds(value: Json, ids: Readonly<Record<string, string>>): Json {
  if (Array.isArray(value)) return value.map((item) => withIds(item, ids));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, ids[name] ?? withIds(field, ids)]),
  );
}

function oddValue(chance: Chance): Json {
  return chance.happens(0.5)
    ? chance.pick(ODD_TEXTS)
    : (ODD_VALUES[chance.below(ODD_VALUES.length)] ?? null);
}

/** Changes one place, at any depth. */
function mutateValue(chance: Chance, value: Json): Json {
  if (value === null || typeof value !== 'object') return oddValue(chance);
  if (Array.isArray(value)) {
    const [first] = value;
    if (first === undefined || chance.happens(0.1)) return [...value, oddValue(chance)];
    if (chance.happens(0.1)) return Array.from({ length: chance.pick([2, 101, 501]) }, () => first);
    return value.with(0, mutateValue(chance, first));
  }
  const names = Object.keys(value);
  const name = names[chance.below(Math.max(1, names.length))];
  if (name === undefined || chance.happens(0.1)) {
    return { ...value, [chance.pick(ODD_TEXTS)]: oddValue(chance) };
  }
  if (chance.happens(0.15)) {
    const { [name]: _, ...rest } = value;
    return rest;
  }
  const field = value[name] ?? null;
  return { ...value, [name]: chance.happens(0.4) ? oddValue(chance) : mutateValue(chance, field) };
}

/** Cuts, flips, or inserts a few bytes. */
export function mutateBytes(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.below(bytes.length + 1);
  switch (chance.below(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1: {
      const changed = Buffer.from(bytes);
      if (at < changed.length) changed[at] = chance.below(256);
      return changed;
    }
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(chance.pick(ODD_TOKENS)),
        bytes.subarray(at),
      ]);
    default:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 5))]);
  }
}
