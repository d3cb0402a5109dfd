import { connectBus, startConsumers, startRelay } from '@credit/platform/bus';
import { type Environment, systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import type { Event } from '@credit/proto/events/v1/events';
import { testBus, testLogger } from '@credit/testing';
import { disableSubscription } from '../src/commands/disable-subscription';
import {
  callOf,
  defaultReported,
  eventually,
  institutionChanged,
  startWebhooks,
  type TestWebhooks,
  takeEvents,
} from './support/webhooks';

const DEFAULTS = 'credit.default.reported';
const DELINQUENCIES = 'credit.delinquency.reported';
const BODIES = statement<{ own: boolean; body: string; reporter_body: string; event_id: string }>(
  'test_bodies',
  `SELECT e.reporting_institution_id = d.institution_id AS own, e.body, e.reporter_body, d.event_id
   FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.subscription_id = $1`,
);

let service: TestWebhooks;

beforeAll(async () => {
  service = await startWebhooks({});
});
afterAll(() => service.stop());

async function subscribe(
  institution_id: string,
  events: string[] = [DEFAULTS],
  environment: Environment = 'live',
): Promise<string> {
  const made = await service.stub.createSubscription(callOf(institution_id, environment), {
    url: 'https://93.184.216.34/hook',
    events,
  });
  return made.subscription?.id ?? '';
}

async function planned(
  institution_id: string,
  webhook_id: string,
  environment: Environment = 'live',
) {
  const ctx = callOf(institution_id, environment);
  const { deliveries } = await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 });
  return deliveries.map(({ event_id, status }) => ({ event_id, status }));
}

test('an event is planned once for each subscription of each entitled institution', async () => {
  const [north, south, outsider] = [newId(), newId(), newId()];
  const first = await subscribe(north);
  const second = await subscribe(north, [DELINQUENCIES, DEFAULTS]);
  const other_event = await subscribe(north, [DELINQUENCIES]);
  const third = await subscribe(south);
  const not_entitled = await subscribe(outsider);
  const in_test = await subscribe(north, [DEFAULTS], 'test');
  const event = defaultReported({ receivers: [north, south, south], reporter: south });
  await service.take(event);
  await service.take(event);

  const once = [{ event_id: event.id, status: 'PENDING' }];
  expect(await planned(north, first)).toEqual(once);
  expect(await planned(north, second)).toEqual(once);
  expect(await planned(south, third)).toEqual(once);
  expect(await planned(north, other_event)).toEqual([]);
  expect(await planned(outsider, not_entitled)).toEqual([]);
  expect(await planned(north, in_test, 'test')).toEqual([]);

  const read = service.database.db.read(systemContext('live'));
  const [hers] = await read.query(BODIES, [first]);
  const [own] = await read.query(BODIES, [third]);
  expect([hers?.own, own?.own]).toEqual([false, true]);
  expect(JSON.parse(hers?.body ?? '')).toMatchObject({
    id: event.id,
    type: DEFAULTS,
    environment: 'live',
    data: { account_type: 'TERM_LOAN', status: 'DEFAULTED', default_severity: 'MODERATE' },
  });
  expect(hers?.body).not.toContain('LN-2001');
  expect(JSON.parse(own?.reporter_body ?? '').data.external_account_id).toBe('LN-2001');
});

test('a delinquency is planned with its bucket', async () => {
  const north = newId();
  const webhook_id = await subscribe(north, [DELINQUENCIES]);
  const model = defaultReported({ receivers: [north] });
  if (model.payload?.$case !== 'default_reported') throw new Error('Not a default.');
  const { default_severity: _, ...rest } = model.payload.value;
  await service.take({
    ...model,
    payload: {
      $case: 'delinquency_reported',
      value: { ...rest, status: 'DELINQUENT', bucket: 'DPD_30' },
    },
  });
  const [row] = await service.database.db.read(systemContext('live')).query(BODIES, [webhook_id]);
  const { type, data } = JSON.parse(row?.body ?? '');
  expect([type, data.status, data.bucket]).toEqual([DELINQUENCIES, 'DELINQUENT', 'DPD_30']);
});

describe('the end of what was told', () => {
  const VOIDED = ['credit.default.voided', 'credit.delinquency.voided'];
  const CORRECTED = 'credit.record.corrected';
  const fact = (receivers: string[], reporter: string) => ({
    subject_id: newId(),
    credit_event_id: newId(),
    correction_event_id: newId(),
    account_type: 'TERM_LOAN' as const,
    status: 'CURRENT' as const,
    occurred_at: '2026-02-28T09:30:00.000Z',
    reported_at: '2026-03-09T11:59:59.999Z',
    receiver_institution_ids: receivers,
    account_id: newId(),
    external_account_id: 'LN-2001',
    reporting_institution_id: reporter,
  });
  const told = (payload: Event['payload']): Event => ({
    id: newId(),
    environment: 'live',
    created_at: '2026-03-09T12:00:00.000Z',
    request_id: '',
    traceparent: '',
    payload,
  });
  const feedOf = async (institution_id: string) =>
    (await service.stub.listFeed(callOf(institution_id), { limit: 0 })).events.map(({ body }) =>
      JSON.parse(body),
    );

  test.each([
    ['DEFAULT', 0],
    ['DELINQUENCY', 1],
  ] as const)('a voided %s goes once to those who subscribe to its end', async (kind, index) => {
    const [north, south, outsider] = [newId(), newId(), newId()];
    const ends = await subscribe(north, VOIDED);
    const beginnings = await subscribe(north, [DEFAULTS, DELINQUENCIES]);
    const own = await subscribe(south, VOIDED);
    const not_told = await subscribe(outsider, VOIDED);
    const value = { ...fact([north, south, north], south), kind };
    const event = told({ $case: 'fact_voided', value });
    await service.take(event);
    await service.take(event);

    const once = [{ event_id: event.id, status: 'PENDING' }];
    expect(await planned(north, ends)).toEqual(once);
    expect(await planned(south, own)).toEqual(once);
    expect(await planned(north, beginnings)).toEqual([]);
    expect(await planned(outsider, not_told)).toEqual([]);
    // In the feed it is, whatever is subscribed to.
    const [hers, ...more] = await feedOf(north);
    expect(more).toEqual([]);
    expect(hers).toEqual({
      id: event.id,
      type: VOIDED[index],
      created_at: event.created_at,
      environment: 'live',
      data: {
        subject_id: value.subject_id,
        credit_event_id: value.credit_event_id,
        correction_event_id: value.correction_event_id,
        account_type: 'TERM_LOAN',
        status: 'CURRENT',
        occurred_at: value.occurred_at,
        reported_at: value.reported_at,
      },
    });
    const [reporters] = await feedOf(south);
    expect(reporters.data).toEqual({
      ...hers.data,
      account_id: value.account_id,
      external_account_id: 'LN-2001',
    });
    expect(await feedOf(outsider)).toEqual([]);
  });

  test.each([
    ['DEFAULT', 'MINOR', 'MINOR'],
    ['DELINQUENCY', undefined, null],
  ] as const)('a corrected %s says what it is now', async (kind, default_severity, shown) => {
    const north = newId();
    const webhook_id = await subscribe(north, [CORRECTED]);
    const value = { ...fact([north], newId()), kind, default_severity };
    const event = told({ $case: 'record_corrected', value });
    await service.take(event);
    expect(await planned(north, webhook_id)).toEqual([{ event_id: event.id, status: 'PENDING' }]);
    const [body] = await feedOf(north);
    expect(body).toMatchObject({ type: CORRECTED, data: { kind, default_severity: shown } });
    expect(JSON.stringify(body)).not.toContain('LN-2001');
  });

  test('of an unknown kind of fact is not sent as another', async () => {
    const value = { ...fact([newId()], newId()), kind: 'WRITE_OFF' };
    await expect(service.take(told({ $case: 'fact_voided', value }))).rejects.toThrow('WRITE_OFF');
  });
});

test('many events are planned in one transaction', async () => {
  const [north, south] = [newId(), newId()];
  const [first, second] = [await subscribe(north), await subscribe(south)];
  const events = Array.from({ length: 100 }, (_, index) =>
    defaultReported({ receivers: index % 2 === 0 ? [north] : [north, south] }),
  );
  await service.take(...events);
  expect(await planned(north, first)).toHaveLength(100);
  expect(await planned(south, second)).toHaveLength(50);
});

test('an institution that is known not to be active is left out', async () => {
  const north = newId();
  const live = await subscribe(north);
  const in_test = await subscribe(north, [DEFAULTS], 'test');
  const report = () =>
    Promise.all([
      service.take(defaultReported({ receivers: [north] })),
      service.take(defaultReported({ receivers: [north], environment: 'test' })),
    ]);
  const counts = async () => [
    (await planned(north, live)).length,
    (await planned(north, in_test, 'test')).length,
  ];
  const told = async (institution_status: string, version: number) => {
    // Identity tells of an institution in both environments.
    await service.take(institutionChanged(north, institution_status, version));
    await service.take(institutionChanged(north, institution_status, version, 'test'));
  };
  // Not told of yet: its subscription shows that it was active.
  await report();
  expect(await counts()).toEqual([1, 1]);
  await told('ACTIVE', 1);
  await report();
  expect(await counts()).toEqual([2, 2]);
  await told('SUSPENDED', 2);
  await report();
  expect(await counts()).toEqual([2, 2]);
  // An older version that comes late changes nothing.
  await told('ACTIVE', 1);
  await report();
  expect(await counts()).toEqual([2, 2]);
  await told('ACTIVE', 3);
  await report();
  expect(await counts()).toEqual([3, 3]);
  // Closed is final: what waits is cancelled.
  await told('CLOSED', 4);
  await report();
  const statuses = (await planned(north, live)).map((one) => one.status);
  expect(statuses).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
});

test('a subscription disabled while an event is planned has nothing left to deliver', async () => {
  const { db } = service.database;
  for (let round = 0; round < 15; round += 1) {
    const north = newId();
    const webhook_id = await subscribe(north);
    const command = {
      subscription_id: webhook_id,
      institution_id: north,
      at: '2026-03-01T00:00:00Z',
    };
    await Promise.all([
      service.take(defaultReported({ receivers: [north] })),
      disableSubscription(db, callOf(north), command),
      service.take(defaultReported({ receivers: [north] })),
    ]);
    const statuses = (await planned(north, webhook_id)).map((one) => one.status);
    expect(statuses.filter((one) => one !== 'CANCELLED')).toEqual([]);
  }
});

test('events come from another outbox over the bus, each with one effect', async () => {
  const north = newId();
  const webhook_id = await subscribe(north);
  const in_test = await subscribe(north, [DEFAULTS], 'test');
  const server = await testBus();
  const { db } = service.database;
  const options = { db, bus: server.bus, logger: testLogger };
  const relay = startRelay(options);
  const start = () =>
    startConsumers({ ...options, consumers: [...(service.parts.consumers ?? [])] });
  const consumers = start();
  const report = async (count: number, environment: Environment) => {
    const { payload } = defaultReported({ receivers: [north] });
    if (payload === undefined) throw new Error('No payload.');
    for (let index = 0; index < count; index += 1) {
      await db.transaction(systemContext(environment), async (tx) => {
        tx.outbox({ partition_key: newId(), payload });
      });
    }
  };
  await report(20, 'live');
  await report(5, 'test');
  await eventually('all are planned', async () => {
    const counts = [await planned(north, webhook_id), await planned(north, in_test, 'test')];
    return counts[0]?.length === 20 && counts[1]?.length === 5;
  });
  await consumers.stop();
  await relay.stop();

  // A stream that was lost comes again from the outbox; nothing is planned twice.
  const fresh = await testBus();
  const bus = await connectBus({ url: fresh.url, logger: testLogger, name: 'again' });
  const relay_again = startRelay({ db, bus, logger: testLogger });
  const consumers_again = startConsumers({
    db,
    bus,
    logger: testLogger,
    consumers: [...(service.parts.consumers ?? [])],
  });
  await report(1, 'live');
  await eventually('the new one is planned', async () => {
    return (await planned(north, webhook_id)).length === 21;
  });
  await consumers_again.stop();
  await relay_again.stop();
  await bus.close();
  await fresh.stop();
  await server.stop();
  expect(await planned(north, webhook_id)).toHaveLength(21);
}, 60_000);

test('an event at fault does not keep the others of its batch', async () => {
  const north = newId();
  const webhook_id = await subscribe(north);
  const bad = defaultReported({ receivers: ['not-a-uuid'] });
  const good = defaultReported({ receivers: [north] });
  const { db } = service.database;
  await expect(takeEvents(service.parts, db, [bad, good])).rejects.toThrow();
  await service.take(good);
  expect(await planned(north, webhook_id)).toHaveLength(1);
});
