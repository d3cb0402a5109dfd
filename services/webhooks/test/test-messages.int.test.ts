import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CallContext, systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import { MAX_PER_INSTITUTION, MAX_PER_SUBSCRIPTION } from '../src/commands/send-test';
import { expirySweeps } from '../src/commands/sweep-expired';
import { makeAuthority, makeCertificate } from './support/certificates';
import { type NameServer, startNameServer } from './support/name-server';
import { type Receiver, startReceiver, status, verifies } from './support/receiver';
import { audited, callOf, startWebhooks, type TestWebhooks } from './support/webhooks';

// What `deliver` does: the test event on its way to a real receiver.

// Above what a busy machine takes for an exchange.
const TIMEOUT_MS = 2_000;
const PAUSE = statement(
  'test_pause_for_messages',
  `UPDATE endpoints SET open_until = now() + interval '1 hour', consecutive_failures = 5
   WHERE subscription_id = $1`,
);
const END_WINDOWS = statement(
  'test_end_windows',
  `UPDATE test_sends SET window_ends_at = now() - interval '1 second'`,
);
const COUNT_WINDOWS = statement<{ count: number }>(
  'test_count_windows',
  'SELECT count(*)::integer AS count FROM test_sends',
);

let directory: string;
let names: NameServer;
let receiver: Receiver;
let service: TestWebhooks;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'test-messages-'));
  const authority = await makeAuthority();
  writeFileSync(path.join(directory, 'ca.pem'), authority.cert);
  names = await startNameServer();
  names.set('receiver.test', ['127.0.0.1']);
  receiver = await startReceiver(await makeCertificate(['receiver.test'], authority));
  service = await startWebhooks({
    settings: {
      WEBHOOK_DNS_SERVERS: names.address,
      WEBHOOK_ALLOWED_PRIVATE_CIDRS: '127.0.0.1',
      WEBHOOK_CA_FILE: path.join(directory, 'ca.pem'),
      WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
    },
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await names.stop();
  rmSync(directory, { recursive: true });
});

interface Subscribed {
  readonly ctx: CallContext;
  readonly webhook_id: string;
  readonly secret: string;
}

async function subscribe(hook: string, ctx = callOf(newId())): Promise<Subscribed> {
  const url = hook.startsWith('/') ? `https://receiver.test:${receiver.port}${hook}` : hook;
  const events = ['credit.default.reported'];
  const { subscription, secret } = await service.stub.createSubscription(ctx, { url, events });
  return { ctx, webhook_id: subscription?.id ?? '', secret };
}

const send = ({ ctx, webhook_id }: Subscribed) =>
  service.stub.testSubscription(ctx, { webhook_id, deliver: true });

async function healthOf({ ctx, webhook_id }: Subscribed) {
  const { subscriptions } = await service.stub.listSubscriptions(ctx, { limit: 100 });
  return subscriptions.find(({ id }) => id === webhook_id);
}

test('is one signed POST that is in no listing and costs no health', async () => {
  const to = await subscribe('/ok');
  const untouched = await healthOf(to);
  const { headers, body, sent } = await send(to);
  const [request, ...more] = receiver.at('/ok');
  expect(more).toEqual([]);
  expect(request).toMatchObject({
    method: 'POST',
    body,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  });
  expect(request !== undefined && verifies(request, to.secret)).toBe(true);
  expect(sent).toMatchObject({ attempt: 1, response_status: 200, response: { body: 'ok' } });
  expect(sent?.error_class).toBeUndefined();
  expect(sent?.duration_ms).toBeLessThan(TIMEOUT_MS);
  const { deliveries } = await service.stub.listDeliveries(to.ctx, { ...to, limit: 0 });
  expect(deliveries).toEqual([]);
  expect(await healthOf(to)).toEqual(untouched);
  const entries = await audited(service.database.db);
  expect(entries.filter(({ target_id }) => target_id === to.webhook_id).at(-1)).toMatchObject({
    action: 'webhook.test_sent',
    actor_type: 'api_key',
  });
});

test('is only signed without the parameter', async () => {
  const { ctx, webhook_id } = await subscribe('/unsent');
  const { sent } = await service.stub.testSubscription(ctx, { webhook_id, deliver: false });
  expect(sent).toBeUndefined();
  expect(receiver.at('/unsent')).toEqual([]);
});

test('is not followed by another, whatever the receiver does, and changes nothing', async () => {
  receiver.on('/500', status(500, { 'retry-after': '1' }));
  receiver.on('/302', status(302, { location: `https://receiver.test:${receiver.port}/ok` }));
  receiver.on('/410', status(410));
  receiver.on('/silent', () => {});
  names.set('moved.test', ['93.184.216.34']);
  const moved = await subscribe(`https://moved.test:${receiver.port}/moved`);
  names.set('moved.test', ['127.0.0.2']);
  const cases: [Subscribed, number | undefined, string][] = [
    [await subscribe('/500'), 500, 'HTTP_STATUS'],
    [await subscribe('/302'), 302, 'HTTP_STATUS'],
    [await subscribe('/410'), 410, 'HTTP_STATUS'],
    [await subscribe('/silent'), undefined, 'TIMEOUT'],
    [await subscribe('https://missing.test/'), undefined, 'NAME_NOT_RESOLVED'],
    [moved, undefined, 'ADDRESS_REFUSED'],
  ];
  for (const [to, response_status, error_class] of cases) {
    const untouched = await healthOf(to);
    const { sent } = await send(to);
    expect([sent?.response_status, sent?.error_class]).toEqual([response_status, error_class]);
    expect(await healthOf(to)).toEqual(untouched);
  }
  expect(receiver.at('/moved')).toEqual([]);
  for (const hook of ['/500', '/302', '/410']) expect(receiver.at(hook)).toHaveLength(1);
});

test('goes to a paused receiver, which stays paused', async () => {
  const to = await subscribe('/paused');
  await service.database.db.read(systemContext('live')).execute(PAUSE, [to.webhook_id]);
  const paused = await healthOf(to);
  expect((await send(to)).sent?.response_status).toBe(200);
  expect(await healthOf(to)).toEqual(paused);
});

test('goes to no disabled one, and to none of another institution', async () => {
  const to = await subscribe('/disabled');
  const stranger = { ...to, ctx: callOf(newId()) };
  await expect(send(stranger)).rejects.toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  await service.stub.disableSubscription(to.ctx, to);
  await expect(send(to)).rejects.toThrow(expect.objectContaining({ reason: 'WEBHOOK_DISABLED' }));
  expect(receiver.at('/disabled')).toEqual([]);
});

test('gives up in time for its answer to be heard', async () => {
  receiver.on('/slow', () => {});
  const to = await subscribe('/slow');
  const deadline_at_ms = Date.now() + 700;
  const { sent } = await send({ ...to, ctx: { ...to.ctx, deadline_at_ms } });
  expect(Date.now()).toBeLessThan(deadline_at_ms);
  expect(sent?.error_class).toBe('TIMEOUT');
});

const tooMany = expect.objectContaining({
  code: 'RATE_LIMIT_EXCEEDED',
  reason: 'TEST_DELIVERY_RATE',
  retry_after_s: expect.any(Number),
});

test('is sent so often in a minute, however many are asked for at once', async () => {
  const to = await subscribe('/often');
  const asked = Array.from({ length: MAX_PER_SUBSCRIPTION + 3 }, () => send(to));
  const answers = await Promise.allSettled(asked);
  expect(answers.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(
    MAX_PER_SUBSCRIPTION,
  );
  expect(receiver.at('/often')).toHaveLength(MAX_PER_SUBSCRIPTION);
  await expect(send(to)).rejects.toThrow(tooMany);
  // Signing is free of it, and so is whoever else asks.
  await expect(
    service.stub.testSubscription(to.ctx, { ...to, deliver: false }),
  ).resolves.toBeDefined();
  await expect(send(await subscribe('/others'))).resolves.toBeDefined();

  await service.database.db.read(systemContext('live')).execute(END_WINDOWS);
  await expect(send(to)).resolves.toBeDefined();
});

test('is bounded for an institution, however many webhooks it makes', async () => {
  const ctx = callOf(newId());
  let sent = 0;
  for (; sent < MAX_PER_INSTITUTION; sent += 1) {
    const to = await subscribe('/many', ctx);
    await send(to);
    await service.stub.disableSubscription(ctx, to);
  }
  await expect(send(await subscribe('/many', ctx))).rejects.toThrow(tooMany);
  expect(receiver.at('/many')).toHaveLength(sent);
});

test('leaves no count behind when its minute is over', async () => {
  const live = service.database.db.read(systemContext('live'));
  await live.execute(END_WINDOWS);
  for (const sweep of expirySweeps(Date.now())) await sweep(live, 1_000);
  expect(await live.one(COUNT_WINDOWS)).toEqual({ count: 0 });
});
