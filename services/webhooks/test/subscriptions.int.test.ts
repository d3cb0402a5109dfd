import { systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import { sign } from '@credit/platform/signing';
import { type NameServer, startNameServer } from './support/name-server';
import {
  audited,
  callOf,
  defaultReported,
  startWebhooks,
  type TestWebhooks,
} from './support/webhooks';

const EVENTS = ['credit.default.reported'];
const SECRETS = statement<{ id: string; secret_sealed: Buffer; secret_key_id: string }>(
  'test_secrets',
  'SELECT id, secret_sealed, secret_key_id FROM subscriptions',
);
const SET_ATTEMPTS = statement(
  'test_set_attempts',
  "UPDATE deliveries SET status = $2, attempts = $3, due_at = now() + interval '1 hour' WHERE id = $1",
);
const LEASE = statement(
  'test_lease',
  `UPDATE deliveries SET lease_token = $2, due_at = now() + $3::integer * interval '1 second'
   WHERE id = $1`,
);

let names: NameServer;
let service: TestWebhooks;

beforeAll(async () => {
  names = await startNameServer();
  names.set('receiver.test', ['93.184.216.34']);
  service = await startWebhooks({ settings: { WEBHOOK_DNS_SERVERS: names.address } });
});
afterAll(async () => {
  await service.stop();
  await names.stop();
});

const refused = (path: string) =>
  expect.objectContaining({
    code: 'VALIDATION_ERROR',
    details: expect.arrayContaining([expect.objectContaining({ path })]),
  });
const failing = (code: string) => expect.objectContaining({ code });

async function create(institution_id: string, url = 'https://receiver.test/hook') {
  const made = await service.stub.createSubscription(callOf(institution_id), {
    url,
    events: EVENTS,
  });
  if (made.subscription === undefined) throw new Error('No subscription came back.');
  return { ...made.subscription, secret: made.secret };
}

describe('subscriptions', () => {
  test('a new one is answered with its secret, which no listing shows and no row holds', async () => {
    const institution_id = newId();
    const made = await create(institution_id);
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: 'https://receiver.test/hook',
      events: EVENTS,
      enabled: true,
      created_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{43}$/),
    });
    const ctx = callOf(institution_id);
    const listed = await service.stub.listSubscriptions(ctx, { limit: 10 });
    expect(listed.subscriptions.map((one) => one.id)).toEqual([made.id]);
    expect(JSON.stringify(listed)).not.toContain('whsec_');
    const rows = await service.database.db.read(ctx).query(SECRETS);
    const row = rows.find((one) => one.id === made.id);
    expect(row?.secret_sealed.includes(made.secret.slice(6))).toBe(false);
    const entries = await audited(service.database.db);
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'webhook.created', target_id: made.id, institution_id }),
    );
    expect(JSON.stringify(entries)).not.toContain('whsec_');
  });

  test.each([
    ['plain HTTP', 'http://receiver.test/'],
    ['user information', 'https://user@receiver.test/'],
    ['loopback', 'https://127.0.0.1/'],
    ['the metadata service in decimal', 'https://2852039166/'],
    ['a name for loopback', 'https://localhost/'],
  ])('%s is refused', async (_kind, url) => {
    await expect(create(newId(), url)).rejects.toThrow(refused('url'));
  });

  test('a name with one refused address is refused, one that does not resolve yet is not', async () => {
    names.set('mixed.test', ['93.184.216.34', '10.0.0.1']);
    names.set('mixed6.test', ['93.184.216.34', '::ffff:127.0.0.1']);
    await expect(create(newId(), 'https://mixed.test/')).rejects.toThrow(refused('url'));
    await expect(create(newId(), 'https://mixed6.test/')).rejects.toThrow(refused('url'));
    await expect(create(newId(), 'https://not-yet.test/')).resolves.toMatchObject({
      enabled: true,
    });
  });

  test('unknown events, the test event, none and repetitions are refused', async () => {
    const attempt = (events: string[]) =>
      service.stub.createSubscription(callOf(newId()), { url: 'https://receiver.test/', events });
    await expect(attempt([])).rejects.toThrow(refused('events'));
    await expect(attempt(['svc.test'])).rejects.toThrow(refused('events[0]'));
    await expect(attempt(['credit.paid'])).rejects.toThrow(refused('events[0]'));
    await expect(attempt([...EVENTS, ...EVENTS])).rejects.toThrow(refused('events[1]'));
  });

  test('an institution has at most 20, however many are asked for at once', async () => {
    const institution_id = newId();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 25 }, () => create(institution_id)),
    );
    const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made).toHaveLength(20);
    for (const one of outcomes) {
      if (one.status === 'rejected')
        expect(one.reason).toEqual(failing('INVALID_STATE_TRANSITION'));
    }
    const [first] = made;
    const ctx = callOf(institution_id);
    await service.stub.disableSubscription(ctx, { webhook_id: first?.id ?? '' });
    await expect(create(institution_id)).resolves.toMatchObject({ enabled: true });
    await expect(create(institution_id)).rejects.toThrow(failing('INVALID_STATE_TRANSITION'));
    // The other environment counts for itself.
    const test_ctx = callOf(institution_id, 'test');
    const in_test = { url: 'https://receiver.test/', events: EVENTS };
    await expect(service.stub.createSubscription(test_ctx, in_test)).resolves.toBeDefined();
  });

  test('listings are paged, newest first, and end', async () => {
    const institution_id = newId();
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.push((await create(institution_id)).id);
    const ctx = callOf(institution_id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await service.stub.listSubscriptions(ctx, { limit: 2, cursor });
      seen.push(...page.subscriptions.map((one) => one.id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(made.reverse());
    const bad = service.stub.listSubscriptions(ctx, { limit: 2, cursor: 'nonsense' });
    await expect(bad).rejects.toThrow(refused('cursor'));
  });

  test('to others, and in the other environment, it does not exist', async () => {
    const institution_id = newId();
    const { id: webhook_id } = await create(institution_id);
    for (const ctx of [callOf(newId()), callOf(institution_id, 'test')]) {
      const { stub } = service;
      await expect(stub.rotateSecret(ctx, { webhook_id })).rejects.toThrow(failing('NOT_FOUND'));
      await expect(stub.disableSubscription(ctx, { webhook_id })).rejects.toThrow(
        failing('NOT_FOUND'),
      );
      await expect(stub.testSubscription(ctx, { webhook_id, deliver: false })).rejects.toThrow(
        failing('NOT_FOUND'),
      );
      await expect(stub.listDeliveries(ctx, { webhook_id, limit: 0 })).rejects.toThrow(
        failing('NOT_FOUND'),
      );
      expect((await stub.listSubscriptions(ctx, { limit: 10 })).subscriptions).toEqual([]);
    }
    const malformed = service.stub.rotateSecret(callOf(institution_id), { webhook_id: 'x' });
    await expect(malformed).rejects.toThrow(refused('webhook_id'));
    const nobody = service.stub.listSubscriptions(systemContext('live'), { limit: 10 });
    await expect(nobody).rejects.toThrow(failing('INSUFFICIENT_SCOPE'));
  });

  test('the test endpoint signs a fixed payload with the secret of the moment', async () => {
    const institution_id = newId();
    const { id: webhook_id, secret } = await create(institution_id);
    const ctx = callOf(institution_id);
    const before = await service.stub.testSubscription(ctx, { webhook_id, deliver: false });
    const timestamp_s = Number(before.headers['Svc-Timestamp']);
    expect(Math.abs(timestamp_s - Date.now() / 1000)).toBeLessThan(10);
    expect(before.headers['Svc-Signature']).toBe(sign(secret, timestamp_s, before.body));
    expect(before.headers['Svc-Event-ID']).toBe(JSON.parse(before.body).id);
    expect(before.headers['Content-Type']).toBe('application/json');
    expect(JSON.parse(before.body)).toMatchObject({ type: 'svc.test', environment: 'live' });

    const rotated = await service.stub.rotateSecret(ctx, { webhook_id });
    expect(rotated.secret).toMatch(/^whsec_[0-9A-Za-z]{43}$/);
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.subscription?.id).toBe(webhook_id);
    const after = await service.stub.testSubscription(ctx, { webhook_id, deliver: false });
    const after_s = Number(after.headers['Svc-Timestamp']);
    expect(after.body).toBe(before.body);
    expect(after.headers['Svc-Signature']).toBe(sign(rotated.secret, after_s, after.body));
    expect((await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 })).deliveries).toEqual(
      [],
    );
  });

  test('disabling cancels what waits, is no error a second time, and ends rotation', async () => {
    const institution_id = newId();
    const ctx = callOf(institution_id);
    const { id: webhook_id } = await create(institution_id);
    const neighbour = await create(institution_id);
    await service.take(defaultReported({ receivers: [institution_id] }));
    await service.stub.disableSubscription(ctx, { webhook_id });
    await service.stub.disableSubscription(ctx, { webhook_id });
    const { deliveries } = await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 });
    expect(deliveries.map((one) => one.status)).toEqual(['CANCELLED']);
    await expect(service.stub.rotateSecret(ctx, { webhook_id })).rejects.toThrow(
      failing('INVALID_STATE_TRANSITION'),
    );
    // Nothing is planned for it any more; the neighbour goes on.
    await service.take(defaultReported({ receivers: [institution_id] }));
    const again = await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 });
    expect(again.deliveries).toHaveLength(1);
    const others = await service.stub.listDeliveries(ctx, { webhook_id: neighbour.id, limit: 0 });
    expect(others.deliveries.map((one) => one.status)).toEqual(['PENDING', 'PENDING']);
    const disabled = (await audited(service.database.db)).filter(
      (entry) => entry.action === 'webhook.disabled' && entry.target_id === webhook_id,
    );
    expect(disabled.map((entry) => JSON.parse(entry.changes_json))).toEqual([
      { reason: 'REQUESTED', cancelled_deliveries: 1 },
    ]);
  });
});

describe('manual retry', () => {
  async function planned() {
    const institution_id = newId();
    const ctx = callOf(institution_id);
    const { id: webhook_id } = await create(institution_id);
    await service.take(defaultReported({ receivers: [institution_id] }));
    const listed = await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 });
    const delivery_id = listed.deliveries[0]?.id ?? '';
    const set = (status: string, attempts: number) =>
      service.database.db.read(ctx).execute(SET_ATTEMPTS, [delivery_id, status, attempts]);
    return { ctx, delivery_id, webhook_id, set };
  }

  test('makes a waiting delivery due at once, and says so in the audit log', async () => {
    const { ctx, delivery_id, set } = await planned();
    await set('PENDING', 7);
    const { delivery } = await service.stub.retryDelivery(ctx, { delivery_id });
    expect(delivery).toMatchObject({
      id: delivery_id,
      status: 'PENDING',
      attempts: 7,
      max_attempts: 8,
    });
    expect(Date.parse(delivery?.next_attempt_at ?? '')).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(await audited(service.database.db)).toContainEqual(
      expect.objectContaining({ action: 'webhook.delivery_retried', target_id: delivery_id }),
    );
  });

  test.each([
    ['FAILED', 8],
    ['DELIVERED', 1],
    ['CANCELLED', 2],
  ])('is refused when %s', async (status, attempts) => {
    const { ctx, delivery_id, set } = await planned();
    await set(status, attempts);
    await expect(service.stub.retryDelivery(ctx, { delivery_id })).rejects.toThrow(
      failing('INVALID_STATE_TRANSITION'),
    );
  });

  test('is refused while an attempt is under way, not when its sender died', async () => {
    const { ctx, delivery_id } = await planned();
    const db = service.database.db.read(ctx);
    await db.execute(LEASE, [delivery_id, newId(), 30]);
    await expect(service.stub.retryDelivery(ctx, { delivery_id })).rejects.toThrow(
      failing('INVALID_STATE_TRANSITION'),
    );
    await db.execute(LEASE, [delivery_id, newId(), -1]);
    await expect(service.stub.retryDelivery(ctx, { delivery_id })).resolves.toBeDefined();
  });

  test("does not find another institution's delivery", async () => {
    const { delivery_id } = await planned();
    await expect(service.stub.retryDelivery(callOf(newId()), { delivery_id })).rejects.toThrow(
      failing('NOT_FOUND'),
    );
  });
});
