import { systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import { MAX_SUBSCRIPTIONS } from '../src/commands/create-subscription';
import {
  audited,
  callOf,
  defaultReported,
  startWebhooks,
  type TestWebhooks,
} from './support/webhooks';

const DEFAULTS = 'credit.default.reported';
const DELINQUENCIES = 'credit.delinquency.reported';
const PAUSE = statement(
  'test_pause',
  `UPDATE endpoints SET open_until = now() + interval '1 hour', consecutive_failures = 4
   WHERE subscription_id = $1`,
);
const ATTEMPTED = statement(
  'test_attempted',
  `INSERT INTO attempts (delivery_id, subscription_id, attempt, started_at, duration_ms,
     response_status, error_class)
   VALUES ($1, $2, 1, now() - interval '2 minutes', 41, 503, 'HTTP_STATUS'),
     ($1, $2, 2, now() - interval '1 minute', 10000, NULL, 'TIMEOUT')`,
);

let service: TestWebhooks;
beforeAll(async () => {
  service = await startWebhooks({
    settings: { WEBHOOK_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8' },
  });
});
afterAll(() => service.stop());

const live = () => service.database.db.read(systemContext('live'));

async function subscribe(institution_id: string): Promise<string> {
  const { subscription } = await service.stub.createSubscription(callOf(institution_id), {
    url: 'https://127.0.0.1:9/hook',
    events: [DEFAULTS],
  });
  return subscription?.id ?? '';
}

async function update(
  institution_id: string,
  webhook_id: string,
  { events, ...changes }: { url?: string; events?: string[]; enabled?: boolean },
) {
  const request = {
    webhook_id,
    events: events ?? [],
    changes_events: events !== undefined,
    ...changes,
  };
  return (await service.stub.updateSubscription(callOf(institution_id), request)).subscription;
}

async function healthOf(institution_id: string) {
  const listed = await service.stub.listSubscriptions(callOf(institution_id), { limit: 0 });
  return listed.subscriptions[0]?.health;
}

describe('a change', () => {
  test('of address and events is seen at once, and logged with what was before', async () => {
    const institution_id = newId();
    const id = await subscribe(institution_id);
    const url = 'https://127.0.0.1:9/other';
    expect(await update(institution_id, id, { url, events: [DELINQUENCIES] })).toMatchObject({
      id,
      url,
      events: [DELINQUENCIES],
      enabled: true,
    });
    const logged = (await audited(service.database.db)).filter(
      (entry) => entry.institution_id === institution_id,
    );
    expect(logged.map(({ action }) => action)).toContain('webhook.updated');
    expect(JSON.stringify(logged)).toContain('127.0.0.1:9/hook');
  });

  test('of the address forgets that the old receiver failed', async () => {
    const institution_id = newId();
    const id = await subscribe(institution_id);
    await live().execute(PAUSE, [id]);
    expect((await healthOf(institution_id))?.paused_until).toBeDefined();
    await update(institution_id, id, { events: [DEFAULTS, DELINQUENCIES] });
    expect((await healthOf(institution_id))?.paused_until).toBeDefined();
    await update(institution_id, id, { url: 'https://127.0.0.1:9/mended' });
    const health = await healthOf(institution_id);
    expect(health).toMatchObject({ consecutive_failures: 0 });
    expect(health?.paused_until).toBeUndefined();
  });

  test('to disabled cancels what waits, and back again begins anew', async () => {
    const institution_id = newId();
    const id = await subscribe(institution_id);
    await service.take(defaultReported({ receivers: [institution_id], reporter: newId() }));
    expect(await update(institution_id, id, { enabled: false })).toMatchObject({ enabled: false });
    const { deliveries } = await service.stub.listDeliveries(callOf(institution_id), {
      webhook_id: id,
      limit: 0,
    });
    expect(deliveries.map(({ status }) => status)).toEqual(['CANCELLED']);
    expect(await healthOf(institution_id)).toMatchObject({ disabled_reason: 'REQUESTED' });
    expect(await update(institution_id, id, { enabled: true })).toMatchObject({ enabled: true });
    const health = await healthOf(institution_id);
    expect(health).toMatchObject({ disabled_reason: 'UNSPECIFIED' });
    expect(health?.disabled_at).toBeUndefined();
  });

  test('counts against the bound when it enables again', async () => {
    const institution_id = newId();
    const id = await subscribe(institution_id);
    await update(institution_id, id, { enabled: false });
    for (let number = 0; number < MAX_SUBSCRIPTIONS; number += 1) await subscribe(institution_id);
    await expect(update(institution_id, id, { enabled: true })).rejects.toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      reason: 'LIMIT_REACHED',
    });
    // Changing one that is disabled takes no place.
    expect(await update(institution_id, id, { events: [DELINQUENCIES] })).toMatchObject({
      enabled: false,
    });
  });

  test('is refused when it changes nothing, leads nowhere allowed, or is another’s', async () => {
    const institution_id = newId();
    const id = await subscribe(institution_id);
    const wrong = { code: 'VALIDATION_ERROR' };
    await expect(update(institution_id, id, {})).rejects.toMatchObject(wrong);
    await expect(update(institution_id, id, { events: [] })).rejects.toMatchObject(wrong);
    await expect(update(institution_id, id, { events: ['svc.test'] })).rejects.toMatchObject(wrong);
    for (const url of ['http://127.0.0.1/x', 'https://10.0.0.1/x', 'https://u:p@127.0.0.1/x']) {
      await expect(update(institution_id, id, { url })).rejects.toMatchObject(wrong);
    }
    const theirs = update(newId(), id, { enabled: false });
    await expect(theirs).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('the attempts of a delivery are shown to its institution alone', async () => {
  const institution_id = newId();
  const webhook_id = await subscribe(institution_id);
  await service.take(defaultReported({ receivers: [institution_id], reporter: newId() }));
  const ctx = callOf(institution_id);
  const { deliveries } = await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 });
  const delivery_id = deliveries[0]?.id ?? '';
  expect((await service.stub.listAttempts(ctx, { delivery_id })).attempts).toEqual([]);
  await live().execute(ATTEMPTED, [delivery_id, webhook_id]);
  const { attempts } = await service.stub.listAttempts(ctx, { delivery_id });
  expect(attempts).toMatchObject([
    { attempt: 1, duration_ms: 41, response_status: 503, error_class: 'HTTP_STATUS' },
    { attempt: 2, duration_ms: 10_000, error_class: 'TIMEOUT' },
  ]);
  expect(attempts[1]?.response_status).toBeUndefined();
  // Rows of before it was kept.
  expect(attempts[0]).toMatchObject({ request: undefined, response: undefined });
  expect(await healthOf(institution_id)).toMatchObject({ last_error_class: 'TIMEOUT' });
  await expect(service.stub.listAttempts(callOf(newId()), { delivery_id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
