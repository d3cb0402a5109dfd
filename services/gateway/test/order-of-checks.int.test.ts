import { choosesEnvironment, type Operation } from '@credit/contract';
import { newAccessToken, newApiKey, newPersonToken } from '@credit/platform/credentials';
import {
  AppError,
  conflict,
  ERRORS,
  type ErrorCode,
  notFound,
  rateLimited,
  unavailable,
} from '@credit/platform/errors';
import type { Scope } from '@credit/platform/values';
import {
  CredentialState,
  InstitutionStatus,
  LimitClass,
  PlatformRole,
} from '@credit/proto/identity/v1/identity';
import {
  keyPrincipal,
  personPrincipal,
  platformPrincipal,
  userPrincipal,
} from './support/fake-services';
import {
  ADMIN_TOKEN,
  API_KEY,
  DISPUTE_TOKEN,
  PERSON_TOKEN,
  TestGateway,
  USER_TOKEN,
} from './support/gateway';
import { codeOf, detailsOf, expectComplete, type Reply } from './support/http-client';
import { declared, declaredAs, exampleRequest, playExample } from './support/scenarios';

const gateway = new TestGateway();
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset());

const KEY = newApiKey('live');
const TOKEN = newAccessToken();
const PERSON = newPersonToken();

function expectError(reply: Reply, code: ErrorCode): void {
  expectComplete(reply);
  expect({ code: codeOf(reply), status: reply.status }).toEqual({
    code,
    status: ERRORS[code].http_status,
  });
}

const protected_operations = declared.filter(
  ({ access }) => access.kind !== 'public' && access.kind !== 'token',
);
const member_operations = protected_operations.filter(({ access }) => access.kind !== 'person');
const choosing = declared
  .filter(({ access }) => choosesEnvironment(access))
  .map((operation) => [operation.id, operation] as const);
const onlyIn = ({ access }: Operation) =>
  access.kind === 'scope' ? access.environment : undefined;
const token_operations = declared.filter(({ access }) => access.kind === 'token');
const metered = declared.filter(({ limit_class }) => limit_class !== 'BEST_EFFORT');

/** What rows of a file are needs a scope beside the operation's own. */
const ALSO_NEEDED: Readonly<Record<string, readonly Scope[]>> = {
  createImport: ['accounts:write', 'events:write'],
  continueImport: ['accounts:write', 'events:write'],
  startImport: ['accounts:write', 'events:write'],
};

describe('each fault is found before the next one is looked for', () => {
  // Wrong in every respect; each test mends one more.
  const sent = {
    as: KEY,
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{"amount":',
  };
  const path = '/api/v1/accounts/not-an-id/events';
  const all_wrong = { institution_status: InstitutionStatus.SUSPENDED, scopes: [] };

  test('404: no such route', async () => {
    const reply = await gateway.call({ ...sent, path: '/api/v1/acounts/not-an-id/events' });
    expectError(reply, 'NOT_FOUND');
  });

  test('429: the address of nobody known has reached its limit', async () => {
    gateway.services.anonymous_rate = { limit: 120, remaining: 0, exceeded: true };
    for (const as of [null, KEY, swapLast(KEY)]) {
      const reply = await gateway.call({ ...sent, as, path });
      expectError(reply, 'RATE_LIMIT_EXCEEDED');
      expect(reply.headers['x-ratelimit-limit']).toBe('120');
    }
  });

  test('401: a credential that has ended, though its limit is reached as well', async () => {
    gateway.services.know(KEY, {
      state: CredentialState.REVOKED,
      rate: { remaining: 0, exceeded: true },
    });
    const reply = await gateway.call({ ...sent, path });
    expectError(reply, 'INVALID_API_KEY');
    expect(reply.headers['x-ratelimit-remaining']).toBe('0');
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });

  test('429: the limit is reached, though the key may not do this either', async () => {
    const principal = keyPrincipal(all_wrong);
    const rate = { limit: 600, remaining: 0, exceeded: true };
    gateway.services.know(KEY, { principal, rate });
    const reply = await gateway.call({ ...sent, path });
    expectError(reply, 'RATE_LIMIT_EXCEEDED');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    expect(reply.headers['x-ratelimit-limit']).toBe('600');
    expect(reply.headers['x-ratelimit-reset']).toBe('4102444800');
  });

  test('403: the key may not do this, though the body cannot be read', async () => {
    gateway.services.know(KEY, { principal: keyPrincipal(all_wrong) });
    expectError(await gateway.call({ ...sent, path }), 'INSUFFICIENT_SCOPE');
  });

  test('400: the body cannot be read, though the id is wrong too', async () => {
    gateway.services.know(KEY, { principal: keyPrincipal() });
    expectError(await gateway.call({ ...sent, path }), 'REQUEST_ERROR');
  });

  test('413: the batch is too long, though its items are wrong too', async () => {
    gateway.services.know(KEY, { principal: keyPrincipal() });
    const body = { events: Array.from({ length: 501 }, () => ({ nonsense: true })) };
    const reply = await gateway.call({
      as: KEY,
      method: 'POST',
      path: '/api/v1/events/bulk',
      body,
    });
    expectError(reply, 'REQUEST_TOO_LARGE');
  });

  test('422: all that is wrong at once', async () => {
    gateway.services.know(KEY, { principal: keyPrincipal() });
    const body = { event_type: 'PAYMENT_MAID', amount: 1.005, colour: 'red' };
    const reply = await gateway.call({ as: KEY, method: 'POST', path: `${path}?a=1&a=2`, body });
    expectError(reply, 'VALIDATION_ERROR');
    expect(detailsOf(reply).map((detail) => detail.path)).toEqual([
      'account_id',
      'a',
      'a',
      'Idempotency-Key',
      'event_type',
      'occurred_at',
      'amount',
      'colour',
    ]);
    expect(gateway.services.calls).toEqual([]);
  });

  test('404 and 409 of the service come last', async () => {
    const operation = declaredAs('reportEvent');
    gateway.services.answer('reportEvent', () => {
      throw notFound('There is no such account.');
    });
    expectError(await gateway.call(exampleRequest(operation)), 'NOT_FOUND');
    gateway.services.answer('reportEvent', () => {
      throw conflict('The account is closed.', { reason: 'CHANGED_MEANWHILE' });
    });
    const reply = await gateway.call(exampleRequest(operation));
    expectError(reply, 'INVALID_STATE_TRANSITION');
    expect(JSON.parse(reply.text).error.message).toBe('The account is closed.');
  });
});

describe('a credential', () => {
  test.each([
    ['none', {}],
    ['another scheme', { Authorization: `Basic ${API_KEY}` }],
    ['a mistyped key', { Authorization: `Bearer ${API_KEY.slice(0, -1)}!` }],
    ['a key whose checksum is wrong', { Authorization: `Bearer ${swapLast(API_KEY)}` }],
    ['a refresh token', { Authorization: `Bearer svc_rt_${'a'.repeat(43)}` }],
    ['two words', { Authorization: `Bearer ${API_KEY} ${API_KEY}` }],
  ])('that is %s is 401 and never looked up', async (_name, headers) => {
    const reply = await gateway.call({ as: null, path: '/api/v1/accounts', headers });
    expectError(reply, 'INVALID_API_KEY');
    expect(gateway.services.checks).toHaveLength(1);
    expect(gateway.services.checks[0]?.credential_hash).toHaveLength(0);
  });

  test.each([
    ['unknown', undefined],
    ['revoked', CredentialState.REVOKED],
    ['expired', CredentialState.EXPIRED],
  ])('that is %s is 401', async (_name, state) => {
    if (state !== undefined) gateway.services.know(KEY, { state });
    expectError(await gateway.call({ as: KEY, path: '/api/v1/accounts' }), 'INVALID_API_KEY');
  });

  test('in the query is none', async () => {
    const path = `/api/v1/accounts?api_key=${API_KEY}&access_token=${USER_TOKEN}`;
    expectError(await gateway.call({ as: null, path }), 'INVALID_API_KEY');
    expect(gateway.services.checks[0]?.credential_hash).toHaveLength(0);
  });

  test('is sent to identity as a hash, with the address and what it is for', async () => {
    playExample(gateway.services, declaredAs('listAccounts'));
    await gateway.call({ path: '/api/v1/accounts' });
    const [check] = gateway.services.checks;
    expect(check).toMatchObject({
      is_api_key: true,
      client_address: '127.0.0.1',
      limit_class: LimitClass.STANDARD,
      operation: 'listAccounts',
    });
    expect(check?.credential_hash).toHaveLength(32);
  });

  test('is asked about on every request anew', async () => {
    playExample(gateway.services, declaredAs('listAccounts'));
    gateway.services.know(KEY, { principal: keyPrincipal() });
    expect((await gateway.call({ as: KEY, path: '/api/v1/accounts' })).status).toBe(200);
    gateway.services.know(KEY, { state: CredentialState.REVOKED });
    expect((await gateway.call({ as: KEY, path: '/api/v1/accounts' })).status).toBe(401);
  });

  test('is not looked at on a public operation', async () => {
    playExample(gateway.services, declaredAs('getNetworkStats'));
    const reply = await gateway.call({ as: API_KEY, path: '/api/v1/public/network-stats' });
    expect(reply.status).toBe(200);
    expect(gateway.services.checks[0]?.credential_hash).toHaveLength(0);
  });
});

describe.each(member_operations.map((operation) => [operation.id, operation] as const))(
  '%s, as all that members and users do,',
  (_id, operation) => {
    const sent = exampleRequest(operation);

    test('is 403 when the institution is not active', async () => {
      const institution = { institution_id: keyPrincipal().institution_id };
      for (const status of ['SUSPENDED', 'CLOSED', 'PENDING'] as const) {
        const changes = { ...institution, institution_status: InstitutionStatus[status] };
        gateway.services.know(API_KEY, { principal: keyPrincipal(changes) });
        gateway.services.know(USER_TOKEN, { principal: userPrincipal(changes) });
        gateway.services.know(ADMIN_TOKEN, { principal: platformPrincipal(changes) });
        expectError(await gateway.call(sent), 'INSUFFICIENT_SCOPE');
      }
    });

    test('is 403 from an address that is not allowed', async () => {
      for (const [secret, principal] of [
        [API_KEY, keyPrincipal()],
        [USER_TOKEN, userPrincipal()],
        [ADMIN_TOKEN, platformPrincipal()],
      ] as const) {
        gateway.services.know(secret, { principal, address_allowed: false });
      }
      expectError(await gateway.call(sent), 'INSUFFICIENT_SCOPE');
    });
  },
);

describe.each(protected_operations.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    const sent = exampleRequest(operation);

    test('is 401 without a credential', async () => {
      expectError(await gateway.call({ ...sent, as: null }), 'INVALID_API_KEY');
    });

    test('is reached by those alone whom its rule names', async () => {
      playExample(gateway.services, operation);
      // Each right alone with each operation: `e2e/journeys/access-matrix`.
      const { access } = operation;
      const is_any = access.kind === 'any';
      const all = { scopes: keyPrincipal().scopes, permissions: userPrincipal().permissions };
      const scope = access.kind === 'scope' ? access.scope : undefined;
      const permission =
        access.kind === 'scope' || access.kind === 'user' ? access.permission : undefined;
      const of_users = access.kind === 'user' && permission === undefined;
      const key = (scopes: readonly string[]) => keyPrincipal({ scopes: [...scopes] });
      const user = (permissions: readonly string[]) =>
        userPrincipal({ permissions: [...permissions] });
      const callers = [
        {
          principal: key(
            scope === undefined ? all.scopes : [scope, ...(ALSO_NEEDED[operation.id] ?? [])],
          ),
          allowed: is_any || scope !== undefined,
        },
        { principal: key(all.scopes.filter((one) => one !== scope)), allowed: is_any },
        {
          principal: user(permission === undefined ? all.permissions : [permission]),
          allowed:
            is_any || of_users || (permission !== undefined && onlyIn(operation) === undefined),
        },
        {
          principal: user(all.permissions.filter((one) => one !== permission)),
          allowed: is_any || of_users,
        },
        {
          // On test data alone: an example asks for live.
          principal: userPrincipal({ permissions: [], test_permissions: all.permissions }),
          allowed: is_any || of_users,
        },
        ...(['PLATFORM_ADMIN', 'SVC_SUPERADMIN'] as const).map((role) => ({
          principal: platformPrincipal({ platform_role: PlatformRole[role] }),
          allowed:
            is_any ||
            of_users ||
            (access.kind === 'platform' &&
              (access.role === 'PLATFORM_ADMIN' || role === 'SVC_SUPERADMIN')),
        })),
        { principal: personPrincipal(), allowed: access.kind === 'person' },
      ];
      for (const { principal, allowed } of callers) {
        const secret = principal.is_api_key ? KEY : principal.is_person ? PERSON : TOKEN;
        gateway.services.know(secret, { principal });
        const { status } = await gateway.call({ ...sent, as: secret });
        expect({ principal, status }).toEqual({
          principal,
          status: allowed ? operation.status : 403,
        });
      }
    });

    test.each([
      [
        'a temporary password',
        { must_change_password: true },
        ['getCaller', 'changePassword', 'logout'],
      ],
      [
        'no second factor where one is asked for',
        { must_set_second_factor: true },
        ['getCaller', 'changePassword', 'logout', 'beginSecondFactor', 'confirmSecondFactor'],
      ],
    ])('is closed to a user with %s, but for what ends that', async (_owed, owing, open) => {
      playExample(gateway.services, operation);
      const principal = platformPrincipal({
        ...owing,
        permissions: userPrincipal().permissions,
      });
      gateway.services.know(TOKEN, { principal });
      const { status } = await gateway.call({ ...sent, as: TOKEN });
      expect(status).toBe(open.includes(operation.id) ? operation.status : 403);
    });
  },
);

describe.each(token_operations.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    const sent = exampleRequest(operation);

    test('is 401 with any credential but a token of its kind, which no id changes', async () => {
      playExample(gateway.services, operation);
      for (const as of [
        null,
        API_KEY,
        USER_TOKEN,
        ADMIN_TOKEN,
        PERSON_TOKEN,
        `${DISPUTE_TOKEN}x`,
      ]) {
        expectError(await gateway.call({ ...sent, as }), 'INVALID_API_KEY');
        const malformed = { ...sent, as, path: sent.path.replace(/[^/]+$/, 'not-an-id') };
        expectError(await gateway.call(malformed), 'INVALID_API_KEY');
      }
      expect(gateway.services.calls).toEqual([]);
    });

    test('hands the token to the service, and identity sees none', async () => {
      playExample(gateway.services, operation);
      expect((await gateway.call(sent)).status).toBe(200);
      expect(gateway.services.calls.at(-1)).toMatchObject({
        request: { access_token: DISPUTE_TOKEN },
        ctx: { environment: 'live', institution_id: '', actor: { type: 'anonymous', id: '' } },
      });
      expect(gateway.services.checks.every((one) => one.credential_hash.length === 0)).toBe(true);
    });
  },
);

describe.each(metered.map((operation) => [operation.id, operation] as const))(
  '%s, as any other,',
  (_id, operation) => {
    test('is 429 over the limit', async () => {
      const rate = { limit: 10, remaining: 0, exceeded: true };
      gateway.services.anonymous_rate = rate;
      gateway.services.know(API_KEY, { principal: keyPrincipal(), rate });
      gateway.services.know(USER_TOKEN, { principal: userPrincipal(), rate });
      gateway.services.know(ADMIN_TOKEN, { principal: platformPrincipal(), rate });
      gateway.services.know(PERSON_TOKEN, { principal: personPrincipal(), rate });
      const reply = await gateway.call(exampleRequest(operation));
      expectError(reply, 'RATE_LIMIT_EXCEEDED');
      expect(reply.headers['x-ratelimit-limit']).toBe('10');
      expect(gateway.services.calls).toEqual([]);
    });

    test('is 404 under any other method', async () => {
      const sent = exampleRequest(operation);
      const same_path = declared.filter(({ path }) => path === operation.path);
      const known = new Set(same_path.map(({ method }) => method as string));
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE', 'TRACE']) {
        if (known.has(method)) continue;
        // A path of names can also be read as a path with parameters: then the id is wrong.
        const reply = await gateway.call({ ...sent, method });
        expectComplete(reply);
        // 400 where a GET of another operation is found, which takes no body.
        expect([404, 422, 403, 400]).toContain(reply.status);
        if (method === 'HEAD' || method === 'OPTIONS') expect(reply.status).toBe(404);
      }
      expect(gateway.services.callsOf(operation.id)).toEqual([]);
    });
  },
);

test('the reason of a refusal is in the answer and in the audit log', async () => {
  gateway.services.know(KEY, { principal: keyPrincipal({ scopes: ['credit:read'] }) });
  const reply = await gateway.call({ as: KEY, path: '/api/v1/webhooks' });
  expectError(reply, 'INSUFFICIENT_SCOPE');
  expect(JSON.parse(reply.text).error).toMatchObject({
    reason: 'SCOPE',
    required: 'webhooks:manage',
    message: 'The key lacks the scope webhooks:manage.',
    doc_url: '/docs/errors#SCOPE',
  });
  while (gateway.services.refusals.length === 0) await new Promise(setImmediate);
  const [{ ctx, request } = {}] = gateway.services.refusals;
  expect(request).toEqual({ reason: 'SCOPE', operation: 'listWebhooks' });
  expect(ctx).toMatchObject({
    institution_id: keyPrincipal().institution_id,
    actor: { type: 'api_key', id: keyPrincipal().id },
    client_address: '127.0.0.1',
  });
});

describe('an account of a batch that says whose it is', () => {
  const operation = declaredAs('createAccounts');
  const { accounts: [{ subject_id, ...account } = {}] = [] } = operation.examples.body as {
    accounts: { subject_id?: string }[];
  };
  const subject = declaredAs('createSubject').examples.body;
  const sent = (items: object[]) => ({ ...exampleRequest(operation), body: { accounts: items } });

  test('needs the scope of making subjects, and the refusal is logged', async () => {
    gateway.services.know(KEY, { principal: keyPrincipal({ scopes: ['accounts:write'] }) });
    playExample(gateway.services, operation);
    const known = { ...account, subject_id };
    expect((await gateway.call({ ...sent([known]), as: KEY })).status).toBe(201);
    const reply = await gateway.call({ ...sent([known, { ...account, subject }]), as: KEY });
    expectError(reply, 'INSUFFICIENT_SCOPE');
    expect(JSON.parse(reply.text).error).toMatchObject({
      reason: 'SCOPE',
      required: 'credit:report',
    });
    expect(gateway.services.callsOf('createAccounts')).toHaveLength(1);
    while (gateway.services.refusals.length === 0) await new Promise(setImmediate);
    expect(gateway.services.refusals[0]?.request).toEqual({
      reason: 'SCOPE',
      operation: 'createAccounts',
    });
  });

  test('gives subject or subject_id, and not both', async () => {
    playExample(gateway.services, operation);
    const reply = await gateway.call(sent([account, { ...account, subject, subject_id }]));
    expectError(reply, 'VALIDATION_ERROR');
    expect(JSON.parse(reply.text).error.details).toEqual([
      { path: 'accounts[0].subject_id', message: 'is required, unless subject is given' },
      { path: 'accounts[1].subject', message: 'stands beside subject_id: give one of both' },
    ]);
    expect((await gateway.call(sent([{ ...account, subject }]))).status).toBe(201);
    expect(gateway.services.callsOf('createAccounts')[0]?.request).toMatchObject({
      accounts: [{ subject_id: '', subject }],
    });
  });
});

test.each([
  [{}, 'NO_CREDENTIAL'],
  [{ headers: { Authorization: 'Basic dXNlcjpwYXNz' } }, 'NOT_BEARER'],
  [{ headers: { Authorization: 'Bearer svc_live_short' } }, 'CREDENTIAL_NOT_VALID'],
] as const)('%j is 401 because of %s', async (sent, reason) => {
  const reply = await gateway.call({ as: null, ...sent, path: '/api/v1/webhooks' });
  expectError(reply, 'INVALID_API_KEY');
  expect(JSON.parse(reply.text).error).toMatchObject({ reason });
});

test.each([
  ['a key where a user is needed', {}, '/api/v1/api-keys', 'CREDENTIAL_KIND', 'api_keys.read'],
  [
    'an inactive institution',
    { institution_status: 'SUSPENDED' as const },
    '/api/v1/webhooks',
    'INSTITUTION_STATUS',
    undefined,
  ],
])('%s is told so', async (_, principal, path, reason, required) => {
  gateway.services.know(KEY, { principal: keyPrincipal(principal) });
  const reply = await gateway.call({ as: KEY, path });
  expectError(reply, 'INSUFFICIENT_SCOPE');
  expect(JSON.parse(reply.text).error).toMatchObject({ reason });
  expect(JSON.parse(reply.text).error.required).toBe(required);
});

test('a role on the platform opens nothing of members', async () => {
  for (const role of ['PLATFORM_ADMIN', 'SVC_SUPERADMIN'] as const) {
    const principal = platformPrincipal({ platform_role: PlatformRole[role] });
    gateway.services.know(TOKEN, { principal });
    for (const operation of declared) {
      const { access } = operation;
      if (access.kind !== 'scope') continue;
      const reply = await gateway.call({ ...exampleRequest(operation), as: TOKEN });
      expectError(reply, 'INSUFFICIENT_SCOPE');
      expect(JSON.parse(reply.text).error).toMatchObject({
        reason: 'NO_INSTITUTION',
        required: access.permission,
      });
    }
  }
  expect(gateway.services.calls).toEqual([]);
});

test('a route that is not there names those that may have been meant', async () => {
  const reply = await gateway.call({ as: KEY, path: '/api/v1/webhook' });
  expectError(reply, 'NOT_FOUND');
  const { message, reason } = JSON.parse(reply.text).error;
  expect(message).toContain('Did you mean GET /api/v1/webhooks');
  expect(reason).toBe('NO_ROUTE');
});

test('public writes are counted apart, by operation', async () => {
  playExample(gateway.services, declaredAs('openDispute'));
  await gateway.call(exampleRequest(declaredAs('openDispute')));
  expect(gateway.services.checks[0]).toMatchObject({
    limit_class: LimitClass.PUBLIC_WRITE,
    operation: 'openDispute',
  });
});

test('a 429 of a service names one moment, as one of the limits does', async () => {
  gateway.services.answer('login', () => {
    throw rateLimited('There were too many failed attempts; try again later.', 840);
  });
  const sent_s = Math.floor(Date.now() / 1_000);
  const reply = await gateway.call({
    method: 'POST',
    path: '/api/v1/auth/login',
    body: { email: 'ada@lender.example', password: 'not the password' },
  });
  expectError(reply, 'RATE_LIMIT_EXCEEDED');
  expect(reply.headers['retry-after']).toBe('840');
  expect(reply.headers['x-ratelimit-remaining']).toBe('0');
  const ahead_s = Number(reply.headers['x-ratelimit-reset']) - sent_s;
  expect(ahead_s).toBeGreaterThanOrEqual(840);
  expect(ahead_s).toBeLessThanOrEqual(850);
});

test('an unknown route is metered and answers 404 whatever the limit', async () => {
  gateway.services.know(KEY, {
    principal: keyPrincipal(),
    rate: { limit: 600, remaining: 0, exceeded: true },
  });
  const reply = await gateway.call({ as: KEY, path: '/api/v1/nothing' });
  expectError(reply, 'NOT_FOUND');
  expect(reply.headers['x-ratelimit-remaining']).toBe('0');
});

describe('environments', () => {
  test('a key acts on its own, a user on live', async () => {
    playExample(gateway.services, declaredAs('listDisputes'));
    for (const [as, environment] of [
      [API_KEY, 'test'],
      [USER_TOKEN, 'live'],
      [ADMIN_TOKEN, 'live'],
    ] as const) {
      await gateway.call({ as, path: '/api/v1/disputes' });
      expect(gateway.services.calls.at(-1)?.ctx.environment).toBe(environment);
    }
  });

  test('a user can look at test where the operation says so', async () => {
    playExample(gateway.services, declaredAs('listDisputes'));
    const path = '/api/v1/disputes?environment=test';
    await gateway.call({ as: USER_TOKEN, path });
    expect(gateway.services.calls.at(-1)?.ctx.environment).toBe('test');
    expect(gateway.services.calls.at(-1)?.request).not.toHaveProperty('environment');
    const reply = await gateway.call({ as: USER_TOKEN, path: '/api/v1/audit?environment=test' });
    expectError(reply, 'VALIDATION_ERROR');
  });

  test.each(choosing)('a user of %s acts on what it asks for', async (_id, operation) => {
    playExample(gateway.services, operation);
    const sent = exampleRequest(operation);
    const asking = sent.path.includes('?') ? '&' : '?';
    gateway.services.know(TOKEN, { principal: userPrincipal() });
    for (const [asked, environment] of [
      ['', 'live'],
      [`${asking}environment=live`, 'live'],
      [`${asking}environment=test`, 'test'],
      [`${asking}%65nvironment=%74est`, 'test'],
    ]) {
      // What there is in one environment alone is reached by asking for that one.
      if (onlyIn(operation) !== undefined && onlyIn(operation) !== environment) continue;
      const reply = await gateway.call({ ...sent, as: TOKEN, path: `${sent.path}${asked}` });
      expect([asked, reply.status]).toEqual([asked, operation.status]);
      const { ctx, request } = gateway.services.calls.at(-1) ?? {};
      expect(ctx).toMatchObject({
        environment,
        institution_id: userPrincipal().institution_id,
        actor: { type: 'user', id: userPrincipal().id },
      });
      expect(request).not.toHaveProperty('environment');
    }
    const odd = ['both', 'test&environment=live', 'live&environment=test', '', 'TEST'];
    for (const asked of onlyIn(operation) === undefined ? odd : ['live&environment=test']) {
      const path = `${sent.path}${asking}environment=${asked}`;
      const before = gateway.services.calls.length;
      expectError(await gateway.call({ ...sent, as: TOKEN, path }), 'VALIDATION_ERROR');
      expect(gateway.services.calls).toHaveLength(before);
    }
  });

  test.each(
    choosing.flatMap(([id, operation]) =>
      operation.access.kind === 'scope'
        ? [[id, operation, operation.access.permission] as const]
        : [],
    ),
  )(
    'a user of %s with the right on test data alone is kept to that',
    async (_id, operation, may) => {
      playExample(gateway.services, operation);
      const sent = exampleRequest(operation);
      const asking = sent.path.includes('?') ? '&' : '?';
      gateway.services.know(TOKEN, {
        principal: userPrincipal({ permissions: [], test_permissions: [may] }),
      });
      for (const asked of [
        '',
        `${asking}environment=live`,
        `${asking}environment=test&environment=live`,
      ]) {
        const reply = await gateway.call({ ...sent, as: TOKEN, path: `${sent.path}${asked}` });
        expectError(reply, 'INSUFFICIENT_SCOPE');
        expect(JSON.parse(reply.text).error).toMatchObject({ reason: 'ROLE', required: may });
      }
      expect(gateway.services.calls).toEqual([]);
      const path = `${sent.path}${asking}environment=test`;
      expect((await gateway.call({ ...sent, as: TOKEN, path })).status).toBe(operation.status);
      expect(gateway.services.calls.at(-1)?.ctx.environment).toBe('test');
    },
  );

  test.each(
    protected_operations
      .filter(({ access }) => !choosesEnvironment(access))
      .map((operation) => [operation.id, operation] as const),
  )('%s knows no environment', async (_id, operation) => {
    playExample(gateway.services, operation);
    const sent = exampleRequest(operation);
    const path = `${sent.path}${sent.path.includes('?') ? '&' : '?'}environment=test`;
    expectError(await gateway.call({ ...sent, path }), 'VALIDATION_ERROR');
  });

  test('what was refused to a user is logged where it was asked for', async () => {
    gateway.services.know(TOKEN, { principal: userPrincipal({ permissions: [] }) });
    await gateway.call({ as: TOKEN, path: '/api/v1/webhooks?environment=test' });
    while (gateway.services.refusals.length === 0) await new Promise(setImmediate);
    const [{ ctx, request } = {}] = gateway.services.refusals;
    expect(request).toEqual({ reason: 'ROLE', operation: 'listWebhooks' });
    expect(ctx).toMatchObject({
      environment: 'test',
      institution_id: userPrincipal().institution_id,
      actor: { type: 'user', id: userPrincipal().id },
    });
  });

  test('a key cannot look at another', async () => {
    playExample(gateway.services, declaredAs('listDisputes'));
    const other = await gateway.call({ path: '/api/v1/disputes?environment=live' });
    expectError(other, 'VALIDATION_ERROR');
    expect((await gateway.call({ path: '/api/v1/disputes?environment=test' })).status).toBe(200);
  });

  test('the public intake is live', async () => {
    playExample(gateway.services, declaredAs('openDispute'));
    await gateway.call(exampleRequest(declaredAs('openDispute')));
    expect(gateway.services.calls.at(-1)?.ctx).toMatchObject({
      environment: 'live',
      institution_id: '',
      actor: { type: 'anonymous', id: '' },
    });
  });
});

test('services are told who administers the network, and for whom a call is', async () => {
  playExample(gateway.services, declaredAs('listDisputes'));
  const actorOf = async (as: string) => {
    await gateway.call({ as, path: '/api/v1/disputes' });
    return gateway.services.calls.at(-1)?.ctx;
  };
  const { id, institution_id, institution_status } = keyPrincipal();
  expect(await actorOf(API_KEY)).toMatchObject({ institution_id, actor: { type: 'api_key', id } });
  const principal = platformPrincipal({ institution_id, institution_status });
  gateway.services.know(TOKEN, { principal });
  expect(await actorOf(TOKEN)).toMatchObject({
    institution_id,
    actor: { type: 'user', id: principal.id, administers: true },
  });
  const nobody = platformPrincipal({ platform_role: PlatformRole.UNSPECIFIED });
  gateway.services.know(TOKEN, { principal: nobody });
  expect((await actorOf(TOKEN))?.actor).toEqual({ type: 'user', id: nobody.id });
});

describe('what services say', () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])('%s keeps its code and status', async (code) => {
    gateway.services.answer('getAccount', () => {
      throw new AppError(code, 'As it is.', { details: [{ path: 'x', message: 'is odd' }] });
    });
    const reply = await gateway.call(exampleRequest(declaredAs('getAccount')));
    expectError(reply, code);
    const has_details = ['VALIDATION_ERROR', 'INVALID_STATE_TRANSITION'].includes(code);
    const details = has_details ? [{ path: 'x', message: 'is odd' }] : undefined;
    expect(detailsOf(reply)).toEqual(details);
  });

  test('anything else is INTERNAL_ERROR and leaks nothing', async () => {
    gateway.services.answer('getAccount', () => {
      throw new Error('password of the database is hunter2');
    });
    const reply = await gateway.call(exampleRequest(declaredAs('getAccount')));
    expectError(reply, 'INTERNAL_ERROR');
    expect(reply.text).not.toContain('hunter2');
  });

  test('an answer that lacks what it is made of is INTERNAL_ERROR', async () => {
    gateway.services.answer('getAccount', () => ({ account: undefined }));
    const reply = await gateway.call(exampleRequest(declaredAs('getAccount')));
    expectError(reply, 'INTERNAL_ERROR');
  });

  test('a service that asks for patience is 500 with Retry-After', async () => {
    gateway.services.answer('createAccount', () => {
      throw unavailable('The first request is still in flight.', 3);
    });
    const reply = await gateway.call(exampleRequest(declaredAs('createAccount')));
    expectError(reply, 'INTERNAL_ERROR');
    expect(reply.headers['retry-after']).toBe('3');
  });
});

describe('without identity', () => {
  beforeAll(() => gateway.services.stopService('identity'));
  afterAll(() => gateway.services.startService('identity'));

  test.each(metered.map((operation) => [operation.id, operation] as const))(
    '%s lets nobody in',
    async (_id, operation) => {
      const reply = await gateway.call(exampleRequest(operation));
      expectError(reply, 'INTERNAL_ERROR');
      expect(reply.headers['retry-after']).toBe('1');
      expect(gateway.services.calls).toEqual([]);
    },
  );

  test('an unknown route is still 404', async () => {
    expectError(await gateway.call({ path: '/api/v1/nothing' }), 'NOT_FOUND');
  });

  test('the status page says so', async () => {
    const reply = await gateway.call({ as: null, path: '/api/v1/public/status' });
    expectComplete(reply);
    expect(reply.status).toBe(200);
    expect(reply.headers['x-ratelimit-limit']).toBe('120');
    expect(JSON.parse(reply.text)).toMatchObject({
      status: 'DEGRADED',
      components: expect.arrayContaining([{ name: 'identity', status: 'OUTAGE' }]),
    });
  });
});

test('identity is found again when it is back', async () => {
  playExample(gateway.services, declaredAs('listAccounts'));
  let reply: Reply;
  do reply = await gateway.call({ path: '/api/v1/accounts' });
  while (reply.status === 500);
  expect(reply.status).toBe(200);
}, 20_000);

function swapLast(key: string): string {
  return `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
}
