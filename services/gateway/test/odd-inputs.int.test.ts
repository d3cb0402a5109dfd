import { gzipSync } from 'node:zlib';
import type { Operation } from '@credit/contract';
import { ERRORS, type ErrorCode } from '@credit/platform/errors';
import fc from 'fast-check';
import { TestGateway } from './support/gateway';
import { codeOf, detailsOf, expectComplete, type Reply, type Sent } from './support/http-client';
import { declared, declaredAs, exampleRequest, playExample } from './support/scenarios';

const gateway = new TestGateway();
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset());

function expectError(reply: Reply, code: ErrorCode): void {
  expectComplete(reply);
  expect({ code: codeOf(reply), status: reply.status, text: reply.text }).toMatchObject({
    code,
    status: ERRORS[code].http_status,
  });
}

/** The example's body as text with one member more in front. */
function withMember(operation: Operation, member: string): string {
  const text = JSON.stringify(operation.examples.body);
  return `{${member},${text.slice(1)}`;
}

/** The example's body with each of its string fields replaced in turn. */
function withEachString(operation: Operation, value: string): [string, unknown][] {
  const body = operation.examples.body as Record<string, unknown>;
  return Object.entries(body)
    .filter(([, field]) => typeof field === 'string')
    .map(([name]) => [name, { ...body, [name]: value }]);
}

const with_body = declared.filter(({ body }) => body !== undefined);
const without_body = declared.filter(
  ({ body, upload, method }) =>
    body === undefined && upload === undefined && method !== 'GET' && method !== 'DELETE',
);
const with_params = declared.filter(({ params }) => Object.keys(params).length > 0);

type Oddity = [name: string, send: (operation: Operation) => Partial<Sent>, code: ErrorCode];

const JSON_TYPE = { 'Content-Type': 'application/json' };

const BODIES: Oddity[] = [
  ['no body at all', () => ({ body: undefined }), 'REQUEST_ERROR'],
  ['an empty body', () => ({ body: Buffer.alloc(0) }), 'REQUEST_ERROR'],
  [
    'half a document',
    (operation) => ({ body: JSON.stringify(operation.examples.body).slice(0, -1) }),
    'REQUEST_ERROR',
  ],
  [
    'two documents',
    (operation) => ({ body: `${JSON.stringify(operation.examples.body)}{}` }),
    'REQUEST_ERROR',
  ],
  ['a trailing comma', () => ({ body: '{"a":1,}' }), 'REQUEST_ERROR'],
  ['single quotes', () => ({ body: "{'a':1}" }), 'REQUEST_ERROR'],
  ['NaN', () => ({ body: '{"amount":NaN}' }), 'REQUEST_ERROR'],
  [
    'a key twice',
    (operation) => ({ body: withMember(operation, '"x":1,"\\u0078":2') }),
    'REQUEST_ERROR',
  ],
  [
    '__proto__',
    (operation) => ({ body: withMember(operation, '"__proto__":{"admin":true}') }),
    'REQUEST_ERROR',
  ],
  [
    'bytes that are not UTF-8',
    () => ({ body: Buffer.from('{"a":"\xff"}', 'latin1') }),
    'REQUEST_ERROR',
  ],
  [
    'UTF-16',
    (operation) => ({ body: Buffer.from(JSON.stringify(operation.examples.body), 'utf16le') }),
    'REQUEST_ERROR',
  ],
  [
    'a byte order mark',
    (operation) => ({ body: `\ufeff${JSON.stringify(operation.examples.body)}` }),
    'REQUEST_ERROR',
  ],
  [
    'nesting without end',
    () => ({ body: `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}` }),
    'REQUEST_ERROR',
  ],
  ['no content type', () => ({ headers: { 'Content-Type': '' } }), 'REQUEST_ERROR'],
  [
    'a form',
    () => ({ body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
    'REQUEST_ERROR',
  ],
  [
    'another charset',
    () => ({ headers: { 'Content-Type': 'application/json; charset=latin1' } }),
    'REQUEST_ERROR',
  ],
  [
    'another JSON',
    () => ({ headers: { 'Content-Type': 'application/merge-patch+json' } }),
    'REQUEST_ERROR',
  ],
  [
    'gzip',
    (operation) => {
      const body = gzipSync(JSON.stringify(operation.examples.body));
      return {
        body,
        headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip', 'Content-Length': body.length },
      };
    },
    'REQUEST_ERROR',
  ],
  ['null', () => ({ body: 'null' }), 'VALIDATION_ERROR'],
  ['an array', () => ({ body: '[]' }), 'VALIDATION_ERROR'],
  ['a string', () => ({ body: '"x"' }), 'VALIDATION_ERROR'],
  ['a number', () => ({ body: '1e400' }), 'VALIDATION_ERROR'],
  [
    'an unknown field',
    (operation) => ({ body: withMember(operation, '"amuont":1') }),
    'VALIDATION_ERROR',
  ],
  [
    'constructor',
    (operation) => ({ body: withMember(operation, '"constructor":{"prototype":{}}') }),
    'VALIDATION_ERROR',
  ],
  [
    'an inside name',
    (operation) => ({ body: withMember(operation, '"amount_minor":1') }),
    'VALIDATION_ERROR',
  ],
  ['an empty key', (operation) => ({ body: withMember(operation, '"":1') }), 'VALIDATION_ERROR'],
  [
    'half a surrogate as key',
    (operation) => ({ body: withMember(operation, '"\\ud800":1') }),
    'VALIDATION_ERROR',
  ],
];

/** Fields of which null is no mistake: it takes away what they hold. */
const CAN_BE_CLEARED: Readonly<Record<string, readonly string[]>> = {
  updateUser: ['institution_id', 'role', 'platform_role'],
  updateOwnInstitution: ['website'],
};

describe.each(with_body.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    test.each(BODIES)('refuses %s', async (_name, odd, code) => {
      const sent = exampleRequest(operation);
      const changes = odd(operation);
      const headers = { ...sent.headers, ...changes.headers };
      expectError(await gateway.call({ ...sent, ...changes, headers }), code);
      expect(gateway.services.calls).toEqual([]);
    });

    test.each([
      ['NUL', 'a\u0000b, as long as any description has to be'],
      ['half a surrogate pair', 'a\ud800b, as long as any description has to be'],
    ])('refuses %s in every string', async (_name, value) => {
      const sent = exampleRequest(operation);
      for (const [field, body] of withEachString(operation, value)) {
        const reply = await gateway.call({ ...sent, body });
        expectError(reply, 'VALIDATION_ERROR');
        expect(detailsOf(reply).map(({ path }) => path)).toEqual([field]);
      }
      expect(gateway.services.calls).toEqual([]);
    });

    test('refuses every field of another type', async () => {
      const sent = exampleRequest(operation);
      const example = operation.examples.body as Record<string, unknown>;
      const can_be_cleared = new Set(CAN_BE_CLEARED[operation.id]);
      for (const name of Object.keys(example)) {
        for (const value of [null, true, [], {}, 0.001, '', [[]], { a: { b: { c: 1 } } }]) {
          if (value === null && can_be_cleared.has(name)) continue;
          const same_type = typeof value === typeof example[name] && value !== '';
          if (same_type && !(typeof value === 'number')) continue;
          if (Array.isArray(example[name]) && Array.isArray(value) && value.length === 0) continue;
          const reply = await gateway.call({ ...sent, body: { ...example, [name]: value } });
          expect({ name, value, status: reply.status }).toEqual({ name, value, status: 422 });
        }
      }
      expect(gateway.services.calls).toEqual([]);
    });

    test('takes JSON by any of its names', async () => {
      playExample(gateway.services, operation);
      for (const type of [
        'application/json',
        'application/json; charset=utf-8',
        'Application/JSON;charset="UTF-8"',
      ]) {
        const sent = exampleRequest(operation);
        const headers = { ...sent.headers, 'Content-Type': type };
        expect((await gateway.call({ ...sent, headers })).status).toBe(operation.status);
      }
    });

    test('refuses a body over its bound, announced or not', async () => {
      const sent = exampleRequest(operation);
      const bound = operation.batch === undefined ? 1_048_576 : 4_194_304;
      const body = Buffer.alloc(bound + 1, ' ');
      expectError(await gateway.call({ ...sent, body }), 'REQUEST_TOO_LARGE');
      const headers = { ...sent.headers, 'Transfer-Encoding': 'chunked' };
      expectError(await gateway.call({ ...sent, body, headers }), 'REQUEST_TOO_LARGE');
      // At the bound it is read to its end.
      const full = Buffer.alloc(bound, ' ');
      expectError(await gateway.call({ ...sent, body: full }), 'REQUEST_ERROR');
    });
  },
);

describe.each(without_body.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    test('needs no body and no content type, and takes an empty object', async () => {
      playExample(gateway.services, operation);
      const sent = exampleRequest(operation);
      for (const changes of [{}, { headers: { 'Content-Length': 0 } }, { body: {} }]) {
        expect((await gateway.call({ ...sent, ...changes })).status).toBe(operation.status);
      }
    });

    test('lets no field vanish', async () => {
      const sent = exampleRequest(operation);
      expectError(await gateway.call({ ...sent, body: { force: true } }), 'VALIDATION_ERROR');
      expectError(await gateway.call({ ...sent, body: '{' }), 'REQUEST_ERROR');
      const headers = { 'Content-Type': 'text/plain' };
      expectError(await gateway.call({ ...sent, body: 'x', headers }), 'REQUEST_ERROR');
      expect(gateway.services.calls).toEqual([]);
    });
  },
);

describe.each(with_params.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    const at = (segment: string) => {
      const sent = exampleRequest(operation);
      const path = operation.path.replace(/\{\w+\}/g, segment);
      return { ...sent, path: `/api/v1${path}${sent.path.replace(/^[^?]*/, '')}` };
    };

    // Names are their givers' own.
    const takes_names = 'name' in operation.params;
    test.each([
      ...(takes_names ? [] : ['x', '123', '0198a1c26f007c3a9d513f0e8b6a2c11']),
      '%00',
      'a%2Fb',
      '..%2f..%2fetc',
      '%F0%9F%98%80',
      '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11%00',
      "'%20OR%201=1--",
      'x'.repeat(5_000),
    ])('refuses %s as an id', async (segment) => {
      const reply = await gateway.call(at(segment));
      expectError(reply, 'VALIDATION_ERROR');
      expect(gateway.services.calls).toEqual([]);
    });

    test.each(['%', '%zz', '%ff', '%ed%a0%80', 'a%2'])('cannot read %s', async (segment) => {
      expectError(await gateway.call(at(segment)), 'REQUEST_ERROR');
    });

    test('takes an id in capitals', async () => {
      playExample(gateway.services, operation);
      const sent = exampleRequest(operation);
      const path = sent.path.replace(/[0-9a-f-]{36}/g, (id) => id.toUpperCase());
      expect((await gateway.call({ ...sent, path })).status).toBe(operation.status);
    });
  },
);

describe.each(declared.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    const sent = exampleRequest(operation);
    const separator = sent.path.includes('?') ? '&' : '?';

    test.each([
      ['an unknown parameter', 'colour=red', 'VALIDATION_ERROR'],
      ['a parameter called __proto__', '__proto__=1', 'VALIDATION_ERROR'],
      ['a parameter that is repeated', 'limit=5&limit=5', 'VALIDATION_ERROR'],
      ['a repeated parameter in another spelling', 'limit=5&%6cimit=5', 'VALIDATION_ERROR'],
      ['NUL in a parameter', 'q=a%00b', 'VALIDATION_ERROR'],
      ['broken percent-encoding', 'q=%zz', 'REQUEST_ERROR'],
      ['an encoded surrogate', 'q=%ed%a0%80', 'REQUEST_ERROR'],
      ['parameters without end', 'a&'.repeat(60), 'REQUEST_ERROR'],
    ] as const)('refuses %s', async (_name, query, code) => {
      const reply = await gateway.call({ ...sent, path: `${sent.path}${separator}${query}` });
      expectError(reply, code);
      expect(gateway.services.calls).toEqual([]);
    });
  },
);

describe('lists', () => {
  test.each(['0', '101', '-1', '1.5', '1e1', '%20', '', 'ten', '9999999999999'])(
    'a limit of "%s" is refused',
    async (limit) => {
      const reply = await gateway.call({ path: `/api/v1/accounts?limit=${limit}` });
      expectError(reply, 'VALIDATION_ERROR');
      expect(detailsOf(reply)[0]?.path).toBe('limit');
    },
  );

  test('deliveries are 100 unless fewer are asked for', async () => {
    const operation = declaredAs('listDeliveries');
    playExample(gateway.services, operation);
    const sent = exampleRequest(operation);
    await gateway.call(sent);
    await gateway.call({ ...sent, path: `${sent.path}?limit=3` });
    const limits = gateway.services.calls.map(
      ({ request }) => (request as { limit: number }).limit,
    );
    expect(limits).toEqual([100, 3]);
  });

  test.each(['a', '%20%20', ''])('a search for "%s" is refused', async (q) => {
    expectError(await gateway.call({ path: `/api/v1/subjects?q=${q}` }), 'VALIDATION_ERROR');
  });
});

describe('numbers', () => {
  const operation = declaredAs('createAccount');

  const sendAmount = (lexeme: string) => {
    const example = { ...(operation.examples.body as object), original_principal: '@' };
    const body = JSON.stringify(example).replace('"@"', lexeme);
    return gateway.call({ ...exampleRequest(operation), body });
  };

  test.each([
    ['8.69', 869n],
    ['143.48', 14_348n],
    ['19.99', 1_999n],
    ['0', 0n],
    ['-0', 0n],
    ['-0.0', 0n],
    ['1.50', 150n],
    ['1.000', 100n],
    ['1e3', 100_000n],
    ['1.5E1', 1_500n],
    ['999999999999.99', 99_999_999_999_999n],
  ])('%s is %d', async (lexeme, minor) => {
    playExample(gateway.services, operation);
    expect((await sendAmount(lexeme)).status).toBe(201);
    expect(gateway.services.calls[0]?.request).toMatchObject({
      account: { original_principal_minor: minor },
    });
  });

  test.each([
    '1.005',
    '-0.01',
    '-1',
    '1e21',
    '1e400',
    '-1e400',
    '1e-3',
    '1000000000000',
    '999999999999.995',
    '99999999999999999.99',
    '0.1000000000000000000001',
    '8.6900000000000000000001',
    '0.30000000000000004',
    '"12"',
    '"8.69"',
    'null',
    'true',
    '[]',
    '{}',
  ])('%s is refused', async (lexeme) => {
    const reply = await sendAmount(lexeme);
    expectError(reply, 'VALIDATION_ERROR');
    expect(detailsOf(reply).map(({ path }) => path)).toEqual(['original_principal']);
  });

  test.each(['1.', '.5', '+1', '01', '0x10', '1_000', '1e', 'Infinity', '--1'])(
    '%s cannot be read',
    async (lexeme) => {
      expectError(await sendAmount(lexeme), 'REQUEST_ERROR');
    },
  );

  test.each(['100001', '-1', '1.5', '1e9', '2147483648', '"5"'])(
    'an interest rate of %s is refused',
    async (lexeme) => {
      const example = { ...(operation.examples.body as object), interest_rate_bps: '@' };
      const body = JSON.stringify(example).replace('"@"', lexeme);
      const reply = await gateway.call({ ...exampleRequest(operation), body });
      expectError(reply, 'VALIDATION_ERROR');
    },
  );
});

describe('times', () => {
  const operation = declaredAs('reportEvent');
  const sendTime = (occurred_at: string) =>
    gateway.call({
      ...exampleRequest(operation),
      body: { ...(operation.examples.body as object), occurred_at },
    });

  test.each([
    ['2026-02-03T10:00:00+01:00', '2026-02-03T09:00:00.000Z'],
    ['2026-02-03T10:00:00.5Z', '2026-02-03T10:00:00.500Z'],
  ])('%s is %s', async (time, normal) => {
    playExample(gateway.services, operation);
    expect((await sendTime(time)).status).toBe(201);
    expect(gateway.services.calls[0]?.request).toMatchObject({ event: { occurred_at: normal } });
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '',
  ])('"%s" is refused', async (time) => {
    expectError(await sendTime(time), 'VALIDATION_ERROR');
  });
});

describe('Idempotency-Key', () => {
  const idempotent = declared.filter((operation) => operation.idempotent);

  test.each(idempotent.map((operation) => [operation.id, operation] as const))(
    '%s needs one of 8 to 255 printable characters',
    async (_id, operation) => {
      const sent = exampleRequest(operation);
      for (const key of [undefined, '', '1234567', 'x'.repeat(256), 'schlüssel', 'tab\tinside']) {
        const headers = key === undefined ? {} : { 'Idempotency-Key': key };
        const reply = await gateway.call({ ...sent, headers });
        expectError(reply, 'VALIDATION_ERROR');
        expect(detailsOf(reply).map(({ path }) => path)).toEqual(['Idempotency-Key']);
      }
      playExample(gateway.services, operation);
      for (const key of ['12345678', 'x'.repeat(255), 'a key with "spaces", and more']) {
        const headers = { 'Idempotency-Key': key };
        expect((await gateway.call({ ...sent, headers })).status).toBe(201);
        expect(gateway.services.calls.at(-1)?.ctx.idempotency_key).toBe(key);
      }
    },
  );
});

describe('X-Request-ID', () => {
  test.each(['a', 'req-1.2_3', 'x'.repeat(128)])('"%s" is kept', async (id) => {
    const reply = await gateway.call({
      path: '/api/v1/nothing',
      headers: { 'X-Request-ID': id },
    });
    expect(reply.headers['x-request-id']).toBe(id);
    expectComplete(reply);
  });

  test.each(['', 'a b', 'x'.repeat(129), 'a,b', '<script>', 'ü'])(
    '"%s" is replaced',
    async (id) => {
      const reply = await gateway.call({
        path: '/api/v1/nothing',
        headers: { 'X-Request-ID': id },
      });
      expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expectComplete(reply);
    },
  );
});

test('batches are counted, and their items named by index', async () => {
  for (const [id, field, max] of [
    ['createSubjects', 'subjects', 100],
    ['createAccounts', 'accounts', 100],
    ['reportEvents', 'events', 500],
  ] as const) {
    const operation = declaredAs(id);
    const sent = exampleRequest(operation);
    const [item] = (operation.examples.body as Record<string, object[]>)[field] ?? [];
    const many = (count: number) => ({ [field]: Array.from({ length: count }, () => item) });
    playExample(gateway.services, operation);
    expect((await gateway.call({ ...sent, body: many(max) })).status).toBe(201);
    expectError(await gateway.call({ ...sent, body: many(max + 1) }), 'REQUEST_TOO_LARGE');
    expectError(await gateway.call({ ...sent, body: many(0) }), 'VALIDATION_ERROR');
    const wrong = { [field]: [item, { ...item, colour: 1 }, 7] };
    const reply = await gateway.call({ ...sent, body: wrong });
    expectError(reply, 'VALIDATION_ERROR');
    expect(detailsOf(reply)).toEqual([
      { path: `${field}[1].colour`, message: 'is not a known field' },
      { path: `${field}[2]`, message: 'must be an object' },
    ]);
  }
});

test('whatever is sent gets a complete answer of the table', async () => {
  for (const operation of declared) playExample(gateway.services, operation);
  const statuses = new Set(Object.values(ERRORS).map(({ http_status }) => http_status));
  const path = fc.oneof(
    fc.constantFrom(...declared).map((operation) => exampleRequest(operation).path),
    fc.webPath().map((text) => `/api/v1${text}`),
    // The page at the root is no part of the API.
    fc
      .webUrl({ withQueryParameters: true })
      .map((url) => new URL(url).pathname)
      .filter((pathname) => pathname !== '/'),
  );
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(...with_body).map((operation) => JSON.stringify(operation.examples.body)),
  );
  const method = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT');
  const headers = fc.record(
    {
      'Content-Type': fc.constantFrom('application/json', 'text/plain'),
      'Idempotency-Key': fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }),
      'X-Request-ID': fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }),
    },
    { requiredKeys: [] },
  );
  const query = fc.option(fc.webQueryParameters(), { nil: '' });
  await fc.assert(
    fc.asyncProperty(method, path, query, body, headers, async (...odd) => {
      const [odd_method, odd_path, odd_query, odd_body, odd_headers] = odd;
      const reply = await gateway.call({
        method: odd_method,
        path: odd_path.includes('?') ? odd_path : `${odd_path}?${odd_query}`,
        headers: odd_headers,
        ...(odd_method === 'GET' ? {} : { body: odd_body }),
      });
      expectComplete(reply);
      expect(reply.status).not.toBe(500);
      if (reply.status >= 300) expect(statuses).toContain(reply.status);
    }),
    { numRuns: 1_000 },
  );
}, 60_000);
