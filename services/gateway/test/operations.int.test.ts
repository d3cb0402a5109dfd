import { BASE_PATH, type OperationId } from '@credit/contract';
import { buildHandlers } from '../src/routes';
import { TestGateway } from './support/gateway';
import { expectComplete } from './support/http-client';
import {
  declared,
  declaredAs,
  exampleAnswers,
  exampleRequest,
  playExample,
} from './support/scenarios';

const gateway = new TestGateway();
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset());

test('every operation has a handler and every handler an operation', () => {
  const handlers = buildHandlers({} as never, {} as never);
  expect(Object.keys(handlers).sort()).toEqual(declared.map(({ id }) => id).sort());
});

// Their answers are not those of the examples; see below.
const OF_ITS_OWN = new Set([
  'getStatus',
  'getOpenApi',
  'getCreditProfile',
  'getNetworkMetrics',
  'getReportDocument',
  'getMyFileDocument',
  'exportAccounts',
  'getImportFaultsFile',
  'exportAuditEvents',
  'exportNetworkAuditEvents',
]);

test.each(declared.filter(({ id }) => !OF_ITS_OWN.has(id)).map((op) => [op.id, op]))(
  '%s answers its example',
  async (_id, operation) => {
    playExample(gateway.services, operation);
    const reply = await gateway.call(exampleRequest(operation));
    expectComplete(reply);
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: operation.status });
    if (operation.status === 204) {
      expect(reply.text).toBe('');
      expect(reply.headers['content-type']).toBeUndefined();
    } else {
      expect(JSON.parse(reply.text)).toEqual(operation.examples.response);
      expect(reply.headers['content-type']).toBe('application/json');
    }
  },
);

test.each(declared.filter(({ paging }) => paging !== undefined).map((op) => [op.id, op]))(
  '%s links its next page',
  async (_id, operation) => {
    playExample(gateway.services, operation);
    const sent = exampleRequest(operation);
    const reply = await gateway.call(sent);
    const link = /^<([^>]+)>; rel="next"$/.exec(String(reply.headers.link))?.[1] ?? '';
    const next = new URL(link, 'http://gateway.example');
    expect(next.pathname).toBe(new URL(sent.path, 'http://gateway.example').pathname);
    const parameter = operation.id === 'listFeed' ? 'after' : 'cursor';
    expect(next.searchParams.get(parameter)).toBe('next/page=2');
    expect(next.searchParams.get('limit')).toBe('25');
    for (const [name, value] of Object.entries(operation.examples.query ?? {})) {
      expect(next.searchParams.get(name)).toBe(value);
    }
    const counted = operation.paging === 'COUNTED_PAGE' ? '41' : undefined;
    expect(reply.headers['x-total-count']).toBe(counted);
    // The link is a request that the gateway takes.
    expect((await gateway.call({ ...sent, path: link })).status).toBe(200);
    const { request } = gateway.services.calls.at(-1) ?? {};
    expect(request).toMatchObject({ [parameter]: 'next/page=2', limit: 25 });
  },
);

test('a page that is the last has no link', async () => {
  gateway.services.answer('listAccounts', () => ({ accounts: [] }));
  const reply = await gateway.call({ path: '/api/v1/accounts' });
  expect(reply.text).toBe('[]');
  expect(reply.headers.link).toBeUndefined();
});

test('money is minor units behind the gateway, absent fields stay absent', async () => {
  const operation = declaredAs('reportEvent');
  playExample(gateway.services, operation);
  await gateway.call(exampleRequest(operation));
  const [call] = gateway.services.callsOf('reportEvent');
  expect(call?.request).toEqual({
    event: {
      credit_account_id: '0198a1c5-3a00-7f4e-8b2a-6d5c4b3a2f10',
      event_type: 'PAYMENT_MADE',
      occurred_at: '2026-02-01T08:00:00.000Z',
      amount_minor: 14_348n,
      balance_after_minor: 827_727n,
      source_reference: 'ledger-88121',
    },
  });
});

test('a test message is sent only when that is asked for', async () => {
  const operation = declaredAs('testWebhook');
  playExample(gateway.services, operation);
  const { path } = exampleRequest(operation);
  await gateway.call(exampleRequest(operation));
  await gateway.call({ ...exampleRequest(operation), path: path.replace('deliver=true', '') });
  const asked = gateway.services.callsOf('testSubscription').map(({ request }) => request);
  expect(asked).toEqual([
    { webhook_id: operation.examples.params?.webhook_id, deliver: true },
    { webhook_id: operation.examples.params?.webhook_id, deliver: false },
  ]);
});

test('metadata travels as canonical text', async () => {
  const operation = declaredAs('createAccount');
  playExample(gateway.services, operation);
  const body = {
    ...(operation.examples.body as object),
    metadata: { z: 1, a: { y: 'ü', b: true } },
  };
  await gateway.call({ ...exampleRequest(operation), body });
  const [call] = gateway.services.callsOf('createAccount');
  expect(call?.request).toMatchObject({
    account: {
      metadata_json: '{"a":{"b":true,"y":"ü"},"z":1}',
      original_principal_minor: 1_200_000n,
    },
  });
});

test('a service is told who calls, from where, in which environment and until when', async () => {
  gateway.services.answer('createAccount', () => ({ account: undefined }));
  const operation = declaredAs('createAccount');
  const sent = exampleRequest(operation);
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
  const headers = { ...sent.headers, 'X-Request-ID': 'my.request-1', traceparent: `${trace}-01` };
  await gateway.call({ ...sent, headers });
  const [call] = gateway.services.callsOf('createAccount');
  expect(call?.ctx).toMatchObject({
    environment: 'test',
    institution_id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
    actor: { type: 'api_key', id: '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33' },
    request_id: 'my.request-1',
    idempotency_key: 'example-key-1',
    client_address: '127.0.0.1',
    // The caller's trace goes on; whether it is kept is not the caller's to say.
    traceparent: `${trace}-00`,
  });
  const left_ms = (call?.ctx.deadline_at_ms ?? 0) - Date.now();
  expect(left_ms).toBeGreaterThan(5_000);
  expect(left_ms).toBeLessThanOrEqual(10_100);
});

test('a service is told what may lag by the declaration, unless the caller wants the newest', async () => {
  const toldOf = async (id: OperationId, headers: Record<string, string> = {}) => {
    const operation = declaredAs(id);
    playExample(gateway.services, operation);
    const sent = exampleRequest(operation);
    await gateway.call({ ...sent, headers: { ...sent.headers, ...headers } });
    return gateway.services.calls.at(-1)?.ctx.may_lag;
  };
  expect(await toldOf('listAccountEvents')).toBe(true);
  expect(await toldOf('listAccountEvents', { 'Cache-Control': 'max-age=0, no-cache' })).toBe(
    undefined,
  );
  expect(await toldOf('getAccount')).toBe(undefined);
});

test('a replayed answer says so', async () => {
  const operation = declaredAs('createAccount');
  const inside = operation.response?.parse(operation.examples.response);
  gateway.services.answer('createAccount', (ctx) => {
    ctx.reply_metadata.set('idempotent-replayed', 'true');
    return { account: inside };
  });
  const reply = await gateway.call(exampleRequest(operation));
  expect(reply.status).toBe(201);
  expect(reply.headers['idempotent-replayed']).toBe('true');
});

describe('a profile read', () => {
  const operation = declaredAs('getCreditProfile');

  test('records an inquiry of its own making and leaves it out of the score', async () => {
    playExample(gateway.services, operation);
    const reply = await gateway.call(exampleRequest(operation));
    expectComplete(reply);
    const profile = JSON.parse(reply.text);
    const [read, ...others] = gateway.services.callsOf('getProfile');
    const { inquiry_id } = (read?.request ?? {}) as { inquiry_id?: string };
    expect(inquiry_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(profile).toEqual({ ...(operation.examples.response as object), inquiry_id });
    expect(read?.request).toEqual({
      inquiry_id,
      subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
      purpose: 'NEW_CREDIT_APPLICATION',
    });
    expect(others).toEqual([]);
  });

  test('of a past time says both times', async () => {
    playExample(gateway.services, operation);
    const as_of = '2026-03-01T00:00:00.000Z';
    const { path, ...request } = exampleRequest(operation);
    const reply = await gateway.call({ ...request, path: `${path}&as_of=${as_of}` });
    expect(reply.status).toBe(200);
    const [read] = gateway.services.callsOf('getProfile');
    expect(read?.request).toMatchObject({ as_of, known_at: as_of });
  });

  test('that is repeated records the same inquiry', async () => {
    // The scoring service dies while it answers, and comes back.
    const seen: unknown[] = [];
    const { getProfile } = exampleAnswers(operation);
    gateway.services.answer('getProfile', async (_ctx, request: never) => {
      seen.push((request as { inquiry_id: string }).inquiry_id);
      if (seen.length === 1) {
        await gateway.services.stopService('scoring');
        await gateway.services.startService('scoring');
      }
      return getProfile;
    });
    const reply = await gateway.call(exampleRequest(operation));
    expect(reply.status).toBe(200);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });
});

test('a write that is not idempotent is not repeated', async () => {
  let calls = 0;
  gateway.services.answer('createSubscription', async () => {
    calls++;
    await gateway.services.stopService('webhooks');
    await gateway.services.startService('webhooks');
    return {};
  });
  const operation = declaredAs('createWebhook');
  const reply = await gateway.call(exampleRequest(operation));
  expect(reply.status).toBe(500);
  expect(reply.headers['retry-after']).toBe('1');
  expect(calls).toBe(1);
});

test('a write without a key is repeated under one of the gateway’s, where its service replays', async () => {
  const operation = declaredAs('createSubject');
  const { createSubject: answer } = exampleAnswers(operation);
  const keys: string[] = [];
  gateway.services.answer('createSubject', async ({ idempotency_key, reply_metadata }) => {
    keys.push(idempotency_key);
    if (keys.length === 1) {
      await gateway.services.stopService('reporting');
      await gateway.services.startService('reporting');
    }
    reply_metadata.set('idempotent-replayed', 'true');
    return answer;
  });
  const reply = await gateway.call(exampleRequest(operation));
  expect({ status: reply.status, body: JSON.parse(reply.text) }).toEqual({
    status: 201,
    body: operation.examples.response,
  });
  expect(reply.headers['idempotent-replayed']).toBeUndefined();
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys[1]).toBe(keys[0]);
  await gateway.call(exampleRequest(operation));
  expect(keys[2]).not.toBe(keys[0]);
});

test('GET /auth/me describes a key as a key', async () => {
  const institution = {
    id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
    name: 'Harbour Lending',
    status: 'ACTIVE',
    publicly_listed: true,
    created_at: '2026-01-12T09:30:00.000Z',
  };
  const key = {
    id: '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33',
    display_name: 'loan-servicing',
    prefix: 'svc_test_4Qm8Zr2',
    scopes: ['credit:read'],
    environment: 'test',
    allowed_ips: [],
    active: true,
    created_at: '2026-01-12T10:00:00.000Z',
  };
  gateway.services.answer('getCaller', () => ({ api_key: key, institution }));
  const reply = await gateway.call({ path: '/api/v1/auth/me' });
  expect(JSON.parse(reply.text)).toEqual({
    type: 'api_key',
    id: key.id,
    display_name: 'loan-servicing',
    prefix: 'svc_test_4Qm8Zr2',
    scopes: ['credit:read'],
    environment: 'test',
    institution: { ...institution, website: null, status: 'ACTIVE' },
  });
});

test('PATCH /admin/users takes an assignment away with null', async () => {
  const operation = declaredAs('updateUser');
  playExample(gateway.services, operation);
  const body = { institution_id: null, role: null, platform_role: 'PLATFORM_ADMIN' };
  await gateway.call({ ...exampleRequest(operation), body });
  expect(gateway.services.calls.at(-1)?.request).toEqual({
    user_id: operation.examples.params?.user_id,
    institution_id: '',
    role: 'UNSPECIFIED',
    platform_role: 'PLATFORM_ADMIN',
  });
});

describe('GET /public/status', () => {
  test('tells which parts answer, and nothing about why not', async () => {
    await gateway.services.stopService('scoring');
    gateway.services.server('webhooks').setServing(false);
    const reply = await gateway.call({ as: null, path: '/api/v1/public/status' });
    gateway.services.server('webhooks').setServing(true);
    await gateway.services.startService('scoring');
    expectComplete(reply);
    expect(JSON.parse(reply.text)).toEqual({
      status: 'DEGRADED',
      components: [
        { name: 'identity', status: 'OPERATIONAL' },
        { name: 'reporting', status: 'OPERATIONAL' },
        { name: 'scoring', status: 'OUTAGE' },
        { name: 'disputes', status: 'OPERATIONAL' },
        { name: 'webhooks', status: 'OUTAGE' },
      ],
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      time: expect.stringMatching(/Z$/),
    });
  });
});

describe('GET /admin/network-metrics', () => {
  const operation = declaredAs('getNetworkMetrics');

  test('puts together what the services say', async () => {
    playExample(gateway.services, operation);
    const reply = await gateway.call(exampleRequest(operation));
    expectComplete(reply);
    const { services, ...example } = operation.examples.response as Record<string, unknown>;
    const [service] = services as Record<string, unknown>[];
    expect(JSON.parse(reply.text)).toEqual({
      ...example,
      at: expect.stringMatching(/Z$/),
      // Open and under review are six each.
      disputes: { open: 12, overdue: 6, due_at: null },
      services: ['identity', 'reporting', 'scoring', 'disputes', 'webhooks'].map((name) => ({
        ...service,
        name,
      })),
    });
    const counted = gateway.services.callsOf('listDisputes').map(({ ctx, request }) => ({
      institution_id: ctx.institution_id,
      limit: (request as { limit: number }).limit,
    }));
    expect(counted).toEqual(Array(3).fill({ institution_id: '', limit: 1 }));
  });

  test('leaves out what a service that does not answer would have said', async () => {
    playExample(gateway.services, operation);
    await gateway.services.stopService('webhooks');
    const reply = await gateway.call(exampleRequest(operation));
    await gateway.services.startService('webhooks');
    expectComplete(reply);
    expect(reply.status).toBe(200);
    const { subjects, deliveries_24h, services } = JSON.parse(reply.text);
    expect({ subjects, deliveries_24h }).toEqual({
      subjects: (operation.examples.response as { subjects: number }).subjects,
      deliveries_24h: null,
    });
    expect(services.at(-1)).toEqual({
      name: 'webhooks',
      reachable: false,
      outboxes: [],
      consumers: [],
      dead_letters: null,
    });
    expect(services[0].reachable).toBe(true);
  });
});

test('the description of the running service is served', async () => {
  const reply = await gateway.call({ as: null, path: `${BASE_PATH}/openapi.json` });
  expectComplete(reply);
  expect(JSON.parse(reply.text)).toMatchObject({ openapi: '3.1.0' });
});
