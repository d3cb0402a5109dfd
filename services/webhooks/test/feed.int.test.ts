import { type Environment, systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import type { Event } from '@credit/proto/events/v1/events';
import { planDeliveries } from '../src/commands/plan-deliveries';
import { MAX_REPLAYED } from '../src/commands/replay-deliveries';
import { expirySweeps } from '../src/commands/sweep-expired';
import { appendToFeed } from '../src/store/feed';
import { claimDeliveries, completeAttempts } from '../src/store/queue';
import {
  audited,
  callOf,
  defaultReported,
  institutionChanged,
  KEY_IDS,
  startWebhooks,
  type TestWebhooks,
} from './support/webhooks';

const DEFAULTS = 'credit.default.reported';
const DELINQUENCIES = 'credit.delinquency.reported';
const DAY_MS = 86_400_000;
const live = systemContext('live');
const DELIVER_ALL = statement(
  'test_deliver_all',
  "UPDATE deliveries SET status = 'DELIVERED', lease_token = NULL WHERE subscription_id = $1",
);
const COUNTS = statement<{ deliveries: number; attempts: number; events: number; feed: number }>(
  'test_counts',
  `SELECT (SELECT count(*)::integer FROM deliveries) AS deliveries,
     (SELECT count(*)::integer FROM attempts) AS attempts,
     (SELECT count(*)::integer FROM events) AS events,
     (SELECT count(*)::integer FROM feed) AS feed`,
);
const END_LEASES = statement(
  'test_end_leases',
  'UPDATE deliveries SET lease_token = NULL, due_at = now() WHERE lease_token IS NOT NULL',
);
const AGE_FEED = statement(
  'test_age_feed',
  `UPDATE feed SET recorded_at = now() - interval '31 days'
   WHERE institution_id = $1 AND position <= $2`,
);

let service: TestWebhooks;

beforeAll(async () => {
  service = await startWebhooks({});
});
afterAll(() => service.stop());

const refused = (path: string) =>
  expect.objectContaining({
    code: 'VALIDATION_ERROR',
    details: expect.arrayContaining([expect.objectContaining({ path })]),
  });
const failing = (code: string) => expect.objectContaining({ code });

interface Asking {
  after?: string;
  type?: string;
  limit?: number;
  environment?: Environment;
}

function feed(institution_id: string, { environment, limit = 0, ...asking }: Asking = {}) {
  return service.stub.listFeed(callOf(institution_id, environment), { limit, ...asking });
}

/** Reads on until the end; the ids in their order. */
async function readAll(institution_id: string, asking: Asking = {}) {
  const ids: string[] = [];
  let after = asking.after;
  for (let page = 0; page < 1_000; page += 1) {
    const answer = await feed(institution_id, { ...asking, after });
    ids.push(...answer.events.map((event) => event.id));
    after = answer.next_after;
    if (!answer.has_more) break;
  }
  return { ids, after: after ?? '' };
}

async function report(count: number, receivers: string[], reporter?: string): Promise<string[]> {
  const events = Array.from({ length: count }, () => defaultReported({ receivers, reporter }));
  await service.take(...events);
  return events.map((event) => event.id);
}

function delinquency(receivers: string[]): Event {
  const model = defaultReported({ receivers });
  if (model.payload?.$case !== 'default_reported') throw new Error('Not a default.');
  const { default_severity: _, ...rest } = model.payload.value;
  const value = { ...rest, status: 'DELINQUENT', bucket: 'DPD_30' } as const;
  return { ...model, payload: { $case: 'delinquency_reported', value } };
}

async function subscribe(institution_id: string, events = [DEFAULTS]) {
  const made = await service.stub.createSubscription(callOf(institution_id), {
    url: 'https://93.184.216.34/hook',
    events,
  });
  return made.subscription?.id ?? '';
}

async function deliveriesOf(institution_id: string, webhook_id: string) {
  const ctx = callOf(institution_id);
  return (await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 })).deliveries;
}

/** What a sweep of that moment removes; all of it is less than one statement takes. */
async function sweepAt(now_ms: number) {
  const on = service.database.db.read(live);
  const swept: number[] = [];
  for (const sweep of expirySweeps(now_ms)) swept.push(await sweep(on, 100_000));
  const [feed, deliveries, events] = swept;
  return { feed, deliveries, events };
}

describe('the feed of an institution', () => {
  test('has its entitled events in order, subscribed or not, suspended or not', async () => {
    const [north, south] = [newId(), newId()];
    const first = await report(3, [north, north], south);
    await service.take(institutionChanged(north, 'SUSPENDED', 1));
    const [second = ''] = await report(1, [south, north], south);
    expect((await readAll(north)).ids.slice(0, 3).sort()).toEqual([...first].sort());
    expect((await readAll(north)).ids[3]).toBe(second);
    expect((await readAll(south)).ids).toEqual([second]);
    expect((await readAll(newId())).ids).toEqual([]);
    // The text is the delivery's: the reporter alone reads which account it is.
    const bodyOf = async (institution_id: string) =>
      JSON.parse((await feed(institution_id)).events.at(-1)?.body ?? '');
    expect(await bodyOf(north)).toMatchObject({ id: second, type: DEFAULTS, environment: 'live' });
    expect((await bodyOf(north)).data).not.toHaveProperty('account_id');
    expect((await bodyOf(south)).data.external_account_id).toBe('LN-2001');
    expect((await feed(north, { environment: 'test' })).events).toEqual([]);
  });

  test('is read on from where an answer ended, even an empty one', async () => {
    const north = newId();
    const before = await feed(north);
    expect(before).toMatchObject({ events: [], has_more: false });
    const ids = await report(7, [north]);
    const pages = await readAll(north, { after: before.next_after, limit: 3 });
    expect([...pages.ids].sort()).toEqual([...ids].sort());
    expect((await readAll(north, { after: pages.after })).ids).toEqual([]);
    const [next] = await report(1, [north]);
    expect((await readAll(north, { after: pages.after })).ids).toEqual([next]);
  });

  test('is asked for one type, and then does not read the others again', async () => {
    const north = newId();
    await report(3, [north]);
    const late = delinquency([north]);
    await service.take(late);
    await report(3, [north]);
    const page = await feed(north, { type: DELINQUENCIES });
    expect(page.events.map((event) => event.id)).toEqual([late.id]);
    expect(page.has_more).toBe(false);
    // Its cursor is at the end of the feed, not at the event.
    expect((await readAll(north, { after: page.next_after })).ids).toEqual([]);
    expect((await readAll(north, { type: DEFAULTS })).ids).toHaveLength(6);
    expect((await readAll(north, { type: 'dispute.opened' })).ids).toEqual([]);
    await expect(feed(north, { type: 'svc.test' })).rejects.toThrow(refused('type'));
  });

  test('tells of disputes about its own reporting, which nobody subscribes to', async () => {
    const north = newId();
    const webhook_id = await subscribe(north, [DEFAULTS, DELINQUENCIES]);
    const dispute = {
      dispute_id: newId(),
      institution_ids: [north],
      subject_id: newId(),
      reason: 'ALREADY_PAID' as const,
      opened_at: '2026-03-01T12:00:00.000Z',
    };
    const { payload: _, ...envelope } = defaultReported({ receivers: [] });
    const opened = { ...envelope, id: newId() };
    const answered = { ...envelope, id: newId() };
    const resolved = { ...envelope, id: newId() };
    await service.take({
      ...opened,
      payload: {
        $case: 'dispute_opened',
        value: { ...dispute, due_at: '2026-03-31T12:00:00.000Z' },
      },
    });
    const { institution_ids: _all, ...contested } = dispute;
    await service.take({
      ...answered,
      payload: {
        $case: 'dispute_answered',
        value: {
          ...contested,
          institution_id: north,
          verdict: 'VERIFIED',
          answered_at: '2026-03-02T12:00:00.000Z',
          correction_event_ids: [],
        },
      },
    });
    await service.take({
      ...resolved,
      payload: {
        $case: 'dispute_resolved',
        value: {
          ...dispute,
          status: 'RESOLVED_UPHELD',
          resolved_at: '2026-03-05T12:00:00.000Z',
          correction_pending: false,
        },
      },
    });
    const { events } = await feed(north);
    expect(events.map((event) => event.id)).toEqual([opened.id, answered.id, resolved.id]);
    const [first, answer, second] = events.map((event) => JSON.parse(event.body));
    expect(first).toMatchObject({
      type: 'dispute.opened',
      data: { dispute_id: dispute.dispute_id, reason: 'ALREADY_PAID', account_id: null },
    });
    expect(answer).toMatchObject({
      type: 'dispute.answered',
      data: { dispute_id: dispute.dispute_id, verdict: 'VERIFIED', correction_event_ids: [] },
    });
    expect(second).toMatchObject({
      type: 'dispute.resolved',
      data: { status: 'RESOLVED_UPHELD', correction_event_id: null, correction_pending: false },
    });
    expect((await readAll(north, { type: 'dispute.resolved' })).ids).toEqual([resolved.id]);
    expect(await deliveriesOf(north, webhook_id)).toEqual([]);
  });

  test('tells all concerned alike that a subject was renamed, without its names', async () => {
    const [north, south, stranger] = [newId(), newId(), newId()];
    const { payload: _, ...envelope } = defaultReported({ receivers: [] });
    const event = { ...envelope, id: newId() };
    const renamed = {
      subject_id: newId(),
      changed_fields: ['current_username'],
      renamed_at: '2026-03-01T12:00:00.000Z',
    };
    await service.take({
      ...event,
      payload: {
        $case: 'subject_renamed',
        value: { ...renamed, institution_ids: [north, south] },
      },
    });
    for (const institution of [north, south]) {
      const { events } = await feed(institution, { type: 'subject.renamed' });
      expect(events.map(({ body }) => JSON.parse(body))).toEqual([
        {
          id: event.id,
          type: 'subject.renamed',
          created_at: event.created_at,
          environment: 'live',
          data: renamed,
        },
      ]);
    }
    expect((await readAll(stranger)).ids).toEqual([]);
  });

  test('an event that comes again has one place in it', async () => {
    const north = newId();
    const event = defaultReported({ receivers: [north] });
    await service.take(event);
    await service.take(event);
    await service.take(event, defaultReported({ receivers: [north] }));
    expect((await readAll(north)).ids).toHaveLength(2);
  });

  test('a transaction that began earlier and commits later is not missed', async () => {
    const north = newId();
    const { db } = service.database;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const early = defaultReported({ receivers: [north] });
    const entitlement = (event: Event) => ({
      institution_id: north,
      event_id: event.id,
      event_type: DEFAULTS,
      event_created_at: event.created_at ?? '',
    });
    let appended = () => {};
    const isAppended = new Promise<void>((resolve) => {
      appended = resolve;
    });
    const slow = db.transaction(live, async (tx) => {
      await appendToFeed(tx, [{ ...entitlement(early), event_type: 'dispute.opened' }]);
      appended();
      await held;
    });
    await isAppended;
    // The second cannot overtake: its position would be visible before the first's.
    let overtaken = false;
    const fast = report(1, [north]).then(() => {
      overtaken = true;
    });
    const waiting = await feed(north);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(overtaken).toBe(false);
    expect((await feed(north)).events).toEqual([]);
    release();
    await Promise.all([slow, fast]);
    expect((await readAll(north, { after: waiting.next_after })).ids).toHaveLength(1);
  });

  test('readers miss nothing and read nothing twice while many transactions commit', async () => {
    const institutions = [newId(), newId(), newId()];
    const { db } = service.database;
    const expected = new Map<string, string[]>(institutions.map((one) => [one, []]));
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 12; round += 1) {
        const receivers = institutions.filter((_one, index) => (writer + round + index) % 3 !== 0);
        const events = Array.from({ length: 1 + (round % 3) }, () => newId());
        await db.transaction(live, async (tx) => {
          await planDeliveries(
            tx,
            { newId, wakeSender: () => {} },
            events.map((id) => ({
              event: {
                id,
                type: DEFAULTS,
                created_at: '2026-03-01T12:00:00.000Z',
                environment: 'live',
                subject_id: newId(),
                credit_event_id: newId(),
                account_type: 'TERM_LOAN',
                status: 'DEFAULTED',
                particulars: { default_severity: 'MODERATE' },
                occurred_at: '2026-03-01T12:00:00.000Z',
                reported_at: '2026-03-01T12:00:00.000Z',
                account_id: newId(),
                external_account_id: 'LN-1',
              },
              // In an order of its own: the statement locks in one order all the same.
              receiver_institution_ids: round % 2 === 0 ? receivers : [...receivers].reverse(),
              reporting_institution_id: newId(),
              traceparent: '',
            })),
          );
          // Positions are taken; hold them for a while.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
        });
        for (const one of receivers) expected.get(one)?.push(...events);
      }
    });
    let writing = true;
    const readers = institutions.map(async (institution_id) => {
      const read: string[] = [];
      let after: string | undefined;
      for (let last = false; !last; ) {
        last = !writing;
        const page = await readAll(institution_id, { after, limit: 5 });
        read.push(...page.ids);
        after = page.after;
      }
      return read;
    });
    await Promise.all(writers);
    writing = false;
    for (const [index, read] of (await Promise.all(readers)).entries()) {
      const written = expected.get(institutions[index] ?? '') ?? [];
      expect(read).toHaveLength(written.length);
      expect([...read].sort()).toEqual([...written].sort());
    }
  }, 30_000);

  test('goes on from an event as well as from a cursor, and only from one of its own', async () => {
    const [north, south] = [newId(), newId()];
    await report(3, [north]);
    await report(1, [south]);
    const { ids } = await readAll(north);
    expect((await readAll(north, { after: ids[0] })).ids).toEqual(ids.slice(1));
    expect((await readAll(north, { after: ids[2] })).ids).toEqual([]);
    for (const stranger of [(await readAll(south)).ids[0], newId()]) {
      await expect(feed(north, { after: stranger })).rejects.toThrow(failing('REQUEST_ERROR'));
    }
  });

  test('a cursor of another feed, or none at all, is refused', async () => {
    const [north, south] = [newId(), newId()];
    await report(2, [north, south]);
    const { next_after } = await feed(north);
    await expect(feed(south, { after: next_after })).rejects.toThrow(refused('after'));
    await expect(feed(north, { after: next_after, environment: 'test' })).rejects.toThrow(
      refused('after'),
    );
    await expect(feed(north, { after: 'nonsense' })).rejects.toThrow(refused('after'));
    const beyond = Buffer.from(JSON.stringify(['live', north, '99'])).toString('base64url');
    await expect(feed(north, { after: beyond })).rejects.toThrow(refused('after'));
    await expect(feed(north, { limit: 101 })).rejects.toThrow(refused('limit'));
    const nobody = service.stub.listFeed(live, { limit: 0 });
    await expect(nobody).rejects.toThrow(failing('INSUFFICIENT_SCOPE'));
  });

  test('keeps 30 days; who comes back later is told so, not led past what is gone', async () => {
    const [north, south] = [newId(), newId()];
    const start = await feed(north);
    await report(5, [north, south]);
    const db = service.database.db.read(live);
    const middle = await feed(north, { limit: 2 });
    const later = await feed(north, { limit: 4 });
    await db.execute(AGE_FEED, [north, 3]);
    expect(await sweepAt(Date.now())).toEqual({ feed: 3, deliveries: 0, events: 0 });
    for (const cursor of [start, middle]) {
      await expect(feed(north, { after: cursor.next_after })).rejects.toThrow(
        failing('REQUEST_ERROR'),
      );
    }
    expect((await readAll(north, { after: later.next_after })).ids).toHaveLength(1);
    expect((await readAll(north)).ids).toHaveLength(2);
    // An idle reader whose events are all gone has missed nothing.
    const end = await readAll(north);
    await db.execute(AGE_FEED, [north, 5]);
    await sweepAt(Date.now());
    expect((await readAll(north, { after: end.after })).ids).toEqual([]);
    const [next] = await report(1, [north]);
    expect((await readAll(north, { after: end.after })).ids).toEqual([next]);
    expect((await readAll(south)).ids).toHaveLength(5);
  });
});

describe('replay', () => {
  const span = (ctx_of: string, webhook_id: string, from: string, to: string) =>
    service.stub.replayDeliveries(callOf(ctx_of), { webhook_id, from, to });
  const march = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'] as const;

  test('makes new deliveries of the same events, as often as asked', async () => {
    const north = newId();
    const webhook_id = await subscribe(north);
    const neighbour = await subscribe(north);
    const ids = await report(3, [north]);
    const db = service.database.db.read(live);
    await db.execute(DELIVER_ALL, [webhook_id]);
    for (let round = 1; round <= 2; round += 1) {
      expect(await span(north, webhook_id, ...march)).toEqual({ deliveries: 3 });
      const listed = await deliveriesOf(north, webhook_id);
      expect(listed).toHaveLength(3 + 3 * round);
      expect(new Set(listed.map((one) => one.event_id))).toEqual(new Set(ids));
      expect(listed.filter((one) => one.status === 'PENDING')).toHaveLength(3);
      // On their way already: a second request adds nothing.
      expect(await span(north, webhook_id, ...march)).toEqual({ deliveries: 0 });
      await db.execute(DELIVER_ALL, [webhook_id]);
    }
    expect(await deliveriesOf(north, neighbour)).toHaveLength(3);
    const replayed = (await audited(service.database.db)).filter(
      (entry) => entry.action === 'webhook.replayed' && entry.target_id === webhook_id,
    );
    expect(JSON.parse(replayed[0]?.changes_json ?? '')).toEqual({
      from: march[0],
      to: march[1],
      deliveries: 3,
    });
  });

  test('reaches back before the subscription, keeps to its events and to the span', async () => {
    const north = newId();
    const ids = await report(2, [north]);
    await service.take(delinquency([north]));
    const webhook_id = await subscribe(north);
    const exact = '2026-03-01T12:00:00.000Z';
    // The end is not part of the span, the start is.
    expect(await span(north, webhook_id, march[0], exact)).toEqual({ deliveries: 0 });
    expect(await span(north, webhook_id, exact, march[1])).toEqual({ deliveries: 2 });
    const listed = await deliveriesOf(north, webhook_id);
    expect(new Set(listed.map((one) => one.event_id))).toEqual(new Set(ids));
  });

  test('is refused for too many events, a span that ends before it begins, and when disabled', async () => {
    const north = newId();
    const webhook_id = await subscribe(north);
    await expect(span(north, webhook_id, march[1], march[0])).rejects.toThrow(refused('to'));
    await expect(span(newId(), webhook_id, ...march)).rejects.toThrow(failing('NOT_FOUND'));
    const { db } = service.database;
    await db.transaction(live, (tx) =>
      appendToFeed(
        tx,
        Array.from({ length: MAX_REPLAYED + 1 }, () => ({
          institution_id: north,
          event_id: newId(),
          event_type: DEFAULTS,
          event_created_at: '2026-03-01T12:00:00.000Z',
        })),
      ),
    );
    await expect(span(north, webhook_id, ...march)).rejects.toThrow(refused('to'));
    expect(await deliveriesOf(north, webhook_id)).toEqual([]);
    await service.stub.disableSubscription(callOf(north), { webhook_id });
    await expect(span(north, webhook_id, ...march)).rejects.toThrow(
      failing('INVALID_STATE_TRANSITION'),
    );
  });

  test('replays and plans that meet make one delivery at a time of each event', async () => {
    const north = newId();
    const webhook_id = await subscribe(north);
    await Promise.all([
      report(20, [north]),
      ...Array.from({ length: 6 }, () => span(north, webhook_id, ...march)),
      report(20, [north]),
    ]);
    const listed = await deliveriesOf(north, webhook_id);
    expect(listed).toHaveLength(40);
    expect(new Set(listed.map((one) => one.event_id)).size).toBe(40);
  });
});

describe('what is known of an endpoint', () => {
  async function attempt(webhook_id: string, verdicts: ('DELIVERED' | 'RETRY')[]): Promise<void> {
    const db = service.database.db.read(live);
    const lease_token = newId();
    const rows = await claimDeliveries(db, lease_token, {
      slots: 500,
      lease_ms: 30_000,
      per_endpoint: 100,
      per_institution: 100,
      failures_to_open: 5,
      key_ids: KEY_IDS,
    });
    const mine = rows.filter((row) => row.subscription_id === webhook_id);
    expect(mine).toHaveLength(verdicts.length);
    for (const [index, row] of mine.entries()) {
      const verdict = verdicts[index] ?? 'RETRY';
      const succeeded = verdict === 'DELIVERED';
      await completeAttempts(
        db,
        [
          {
            id: row.id,
            token: lease_token,
            verdict,
            delay_ms: 0,
            started_at: new Date().toISOString(),
            duration_ms: 5,
            response_status: succeeded ? 200 : 500,
            error_class: succeeded ? undefined : 'HTTP_STATUS',
            error: succeeded ? undefined : 'The receiver answered 500.',
            request_signature: 'v1=00',
          },
        ],
        new Map([[webhook_id, { succeeded, failures: succeeded ? 0 : 1, open_ms: 0 }]]),
        5,
      );
    }
  }

  async function healthOf(institution_id: string, webhook_id: string) {
    const ctx = callOf(institution_id);
    const { subscriptions } = await service.stub.listSubscriptions(ctx, { limit: 10 });
    return subscriptions.find((one) => one.id === webhook_id)?.health;
  }

  test('its last success and failure, its failure rate, and why it is disabled', async () => {
    const north = newId();
    const webhook_id = await subscribe(north);
    const neighbour = await subscribe(north, [DELINQUENCIES]);
    expect(await healthOf(north, webhook_id)).toEqual({
      disabled_reason: 'UNSPECIFIED',
      consecutive_failures: 0,
    });
    await report(4, [north]);
    await attempt(webhook_id, ['DELIVERED', 'RETRY', 'DELIVERED', 'RETRY']);
    const first = await healthOf(north, webhook_id);
    expect(first).toMatchObject({ failure_rate_percent: 50, consecutive_failures: 1 });
    const ago_ms = (time: string | undefined) => Date.now() - Date.parse(time ?? '');
    expect(ago_ms(first?.last_success_at)).toBeLessThan(10_000);
    expect(ago_ms(first?.last_failure_at)).toBeLessThan(10_000);
    await attempt(webhook_id, ['DELIVERED', 'DELIVERED']);
    expect(await healthOf(north, webhook_id)).toMatchObject({
      failure_rate_percent: 33,
      consecutive_failures: 0,
    });
    await service.stub.disableSubscription(callOf(north), { webhook_id });
    const after = await healthOf(north, webhook_id);
    expect(after?.disabled_reason).toBe('REQUESTED');
    expect(ago_ms(after?.disabled_at)).toBeLessThan(10_000);
    expect(await healthOf(north, neighbour)).toMatchObject({ consecutive_failures: 0 });
    expect((await healthOf(north, neighbour))?.failure_rate_percent).toBeUndefined();
  });

  test('figures count the deliveries of 24 hours by outcome', async () => {
    const north = newId();
    const webhook_id = await subscribe(north);
    const in_test = systemContext('test');
    const before = await service.stub.getDeliveryFigures(live, {});
    await report(3, [north]);
    await service.database.db.read(live).execute(DELIVER_ALL, [webhook_id]);
    await report(2, [north]);
    const after = await service.stub.getDeliveryFigures(live, {});
    expect(after.delivered - before.delivered).toBe(3);
    expect(after.pending - before.pending).toBe(2);
    expect(after.due - before.due).toBe(2);
    expect(after.failed).toBe(before.failed);
    expect(await service.stub.getDeliveryFigures(in_test, {})).toEqual({
      pending: 0,
      delivered: 0,
      failed: 0,
      cancelled: 0,
      due: 0,
      oldest_due_ms: 0,
      in_flight: 0,
    });
  });
});

test('deliveries go after 90 days with their attempts, events when nothing needs them', async () => {
  const north = newId();
  const webhook_id = await subscribe(north);
  await report(5, [north]);
  const { db } = service.database;
  const counts = () => db.read(live).one(COUNTS);
  const before = await counts();
  expect(before.attempts).toBeGreaterThan(0);
  const in_days = (days: number) => sweepAt(Date.now() + days * DAY_MS);
  expect(await in_days(29)).toEqual({ feed: 0, deliveries: 0, events: 0 });
  await in_days(31);
  expect(await counts()).toMatchObject({ feed: 0, deliveries: before.deliveries });
  // What is being sent is left alone.
  await db.read(live).execute(END_LEASES);
  const [row] = await claimDeliveries(db.read(live), newId(), {
    slots: 1,
    lease_ms: 30_000,
    per_endpoint: 8,
    per_institution: 32,
    failures_to_open: 5,
    key_ids: KEY_IDS,
  });
  expect(row).toBeDefined();
  expect((await in_days(91)).deliveries).toBe(before.deliveries - 1);
  expect(await counts()).toMatchObject({ deliveries: 1, attempts: 0, events: before.events });
  expect(await in_days(120)).toMatchObject({ events: 0 });
  expect(await in_days(122)).toMatchObject({ events: before.events });
  expect(await deliveriesOf(north, webhook_id)).toHaveLength(row?.institution_id === north ? 1 : 0);
});
