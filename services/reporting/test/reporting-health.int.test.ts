import { randomUUID } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { DisputeReason, DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import type { DisputeResolved, Event } from '@credit/proto/events/v1/events';
import { HealthMetricName } from '@credit/proto/reporting/v1/reporting';
import {
  AccountStatus,
  EventType,
  PaymentFrequency,
  SubjectType,
} from '@credit/proto/reporting/v1/types';
import { keepHealth } from '../src/commands/keep-health';
import { reportingConsumers } from '../src/consumers';
import { accountOf, institution, keyed, newAccount, refusal, useHarness } from './harness';

const harness = useHarness();

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(harness.clock.now_ms() - days * DAY_MS).toISOString();

const healthOf = (ctx: ReturnType<typeof institution>) =>
  harness.reporting.getReportingHealth(ctx, {});

async function metricsOf(ctx: ReturnType<typeof institution>) {
  const { metrics } = await healthOf(ctx);
  return Object.fromEntries(
    metrics.map(({ name, numerator, denominator }) => [
      name,
      [Number(numerator), Number(denominator)],
    ]),
  );
}

test('is nothing where nothing was reported', async () => {
  expect(await healthOf(institution())).toMatchObject({
    score: undefined,
    grade: undefined,
    findings: [],
  });
});

test('counts what was reported in time, late, refused and corrected', async () => {
  const lender = institution();
  const neighbour = institution();
  await newAccount(harness.reporting, neighbour);
  const account = await newAccount(harness.reporting, lender, {
    maturity_at: '2030-01-01T00:00:00.000Z',
    interest_rate_bps: 500,
    payment_frequency: PaymentFrequency.MONTHLY,
  });
  await newAccount(harness.reporting, lender);
  // What follows happens after the accounts were first reported.
  harness.clock.offset_ms += 30 * DAY_MS;
  const event = (days: number, event_type: EventType, more: object = {}) => ({
    credit_account_id: account.id,
    event_type,
    occurred_at: ago(days),
    ...more,
  });
  const report = (days: number, event_type: EventType, more: object = {}) =>
    harness.reporting.reportEvent(keyed(lender), { event: event(days, event_type, more) });
  const key = keyed(lender);
  const late = { event: event(20, EventType.PAYMENT_LATE) };
  const { event: wrong } = await harness.reporting.reportEvent(key, late);
  await harness.reporting.reportEvent({ ...key, reply_metadata: new Map() }, late);
  await report(1, EventType.ACCOUNT_CURRENT);
  await report(0, EventType.CORRECTION, {
    supersedes_event_id: wrong?.id,
    correction_reason: 'not late',
  });
  await report(0, EventType.DISPUTE_OPENED);
  const { event: again } = await report(15, EventType.PAYMENT_DUE);
  await report(0, EventType.CORRECTION, {
    supersedes_event_id: again?.id,
    correction_reason: 'not due',
  });
  await refusal(report(0, EventType.DEFAULT_CURED));
  await refusal(
    harness.reporting.reportEvents(keyed(lender), {
      events: [
        event(1, EventType.PAYMENT_MADE),
        event(1, EventType.PAYMENT_DUE),
        event(1, EventType.LIMIT_CHANGED),
      ],
    }),
  );
  expect(await metricsOf(lender)).toEqual({
    TIMELINESS: [4, 6],
    FRESHNESS: [2, 2],
    ACCURACY: [3, 12],
    // Two accounts, six events, one refused, and two of a batch of three.
    REJECTION: [3, 12],
    DISPUTES: [0, 2],
    COVERAGE: [1, 2],
  });
  expect(await metricsOf(neighbour)).toMatchObject({ TIMELINESS: [0, 0], REJECTION: [0, 1] });
});

test('of a backfill counts what is refused and covered, and nothing else', async () => {
  const lender = institution();
  const account = await newAccount(harness.reporting, lender);
  const report = (days: number, event_type: EventType, more: object = {}) =>
    harness.report(lender, {
      credit_account_id: account.id,
      event_type,
      occurred_at: ago(days),
      ...more,
    });
  const correct = (wrong: { id: string }, days: number) =>
    report(days, EventType.CORRECTION, {
      supersedes_event_id: wrong.id,
      correction_reason: 'not so',
    });
  const late = await report(200, EventType.PAYMENT_LATE);
  await report(190, EventType.ACCOUNT_CURRENT);
  const voiding = await correct(late, 100);
  await correct(voiding, 0);
  await refusal(report(90, EventType.DEFAULT_CURED));
  expect(await metricsOf(lender)).toEqual({
    TIMELINESS: [0, 0],
    // It was first reported a moment ago.
    FRESHNESS: [1, 1],
    ACCURACY: [0, 0],
    // The account, four events and the refused one.
    REJECTION: [1, 6],
    DISPUTES: [0, 1],
    COVERAGE: [0, 1],
  });
  harness.clock.offset_ms += 46 * DAY_MS;
  await report(300, EventType.PAYMENT_DUE);
  expect(await metricsOf(lender)).toMatchObject({ FRESHNESS: [0, 1], TIMELINESS: [0, 0] });
  const due = await report(8, EventType.PAYMENT_DUE);
  await report(0, EventType.PAYMENT_DUE);
  // Dated back to before the account, it would hide what it corrects.
  await correct(due, 300);
  expect(await metricsOf(lender)).toMatchObject({
    TIMELINESS: [1, 3],
    FRESHNESS: [1, 1],
    ACCURACY: [1, 6],
  });
});

test('of a book that moves in by bulk is whole, whatever its past months were like', async () => {
  const lender = institution();
  const terms = {
    maturity_at: '2030-01-01T00:00:00.000Z',
    interest_rate_bps: 500,
    payment_frequency: PaymentFrequency.MONTHLY,
  };
  const subject = {
    type: SubjectType.INDIVIDUAL,
    game_uuid: randomUUID(),
    current_username: `mover-${randomUUID()}`,
  };
  const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
    accounts: [
      { ...accountOf(''), ...terms, subject },
      { ...accountOf(''), ...terms, subject },
      {
        ...accountOf(''),
        ...terms,
        subject,
        status: AccountStatus.DEFAULTED,
        first_delinquency_at: ago(400),
        status_since: ago(200),
      },
    ],
  });
  const past = (days: number, event_type: EventType, more: object = {}) =>
    accounts.slice(0, 2).map(({ id: credit_account_id }) => {
      return { credit_account_id, event_type, occurred_at: ago(days), ...more };
    });
  const report = (events: ReturnType<typeof past>) =>
    harness.reporting.reportEvents(keyed(lender), { events });
  const { events } = await report([
    ...past(300, EventType.PAYMENT_MADE, { amount_minor: 100n }),
    ...past(120, EventType.PAYMENT_LATE),
    ...past(100, EventType.ACCOUNT_CURRENT),
    ...past(30, EventType.PAYMENT_DUE),
  ]);
  const wrong = events.filter(({ event_type }) => event_type === EventType.PAYMENT_LATE);
  await harness.reporting.reportEvents(keyed(lender), {
    events: wrong.map(({ id, credit_account_id }) => ({
      credit_account_id,
      event_type: EventType.CORRECTION,
      occurred_at: ago(0),
      supersedes_event_id: id,
      correction_reason: 'paid in time',
    })),
  });
  const whole = { TIMELINESS: [0, 0], ACCURACY: [0, 0], REJECTION: [0, 13], COVERAGE: [3, 3] };
  expect(await metricsOf(lender)).toMatchObject({ ...whole, FRESHNESS: [3, 3] });
  expect(await healthOf(lender)).toMatchObject({ score: 100, grade: 'A' });
  // From now on what happens counts: the first month is reported in time, then one is late.
  harness.clock.offset_ms += 10 * DAY_MS;
  await report(past(2, EventType.PAYMENT_DUE));
  expect(await metricsOf(lender)).toMatchObject({ TIMELINESS: [2, 2], FRESHNESS: [3, 3] });
  await report(past(9, EventType.PAYMENT_DUE));
  expect(await metricsOf(lender)).toMatchObject({ TIMELINESS: [2, 4] });
});

test('says of each metric what lowers it and what to do', async () => {
  const { metrics } = await healthOf(institution());
  for (const { text } of metrics) expect(text).toMatch(/\. .*lower|brings the value to 0/);
  expect(new Set(metrics.map(({ text }) => text)).size).toBe(6);
});

/** Takes in that a dispute was resolved, as it comes over the bus. */
async function resolved(overrides: Partial<DisputeResolved>): Promise<void> {
  const value: DisputeResolved = {
    dispute_id: randomUUID(),
    institution_ids: [],
    reason: DisputeReason.INCORRECT_BALANCE,
    status: DisputeStatus.RESOLVED_CORRECTED,
    opened_at: ago(101),
    resolved_at: ago(1),
    correction_pending: false,
    ...overrides,
  };
  const event: Event = {
    id: randomUUID(),
    environment: 'live',
    created_at: ago(0),
    request_id: '',
    traceparent: '',
    payload: { $case: 'dispute_resolved', value },
  };
  const ctx = systemContext('live');
  const [consumer] = reportingConsumers();
  await harness.db.transaction(ctx, async (tx) => consumer?.run(ctx, [{ ctx, event }], tx));
}

test('of disputes lost counts those of the window, each once, where it is known whose', async () => {
  const [lender, neighbour] = [institution(), institution()];
  for (const ctx of [lender, neighbour]) await newAccount(harness.reporting, ctx);
  const institution_ids = [lender.institution_id];
  const dispute_id = randomUUID();
  for (let times = 0; times < 2; times += 1) await resolved({ dispute_id, institution_ids });
  await resolved({ institution_ids, correction_pending: true });
  await resolved({ institution_ids, resolved_at: ago(100) });
  for (const status of [DisputeStatus.RESOLVED_UPHELD, DisputeStatus.REJECTED]) {
    await resolved({ institution_ids, status });
  }
  await resolved({ institution_ids: [] });
  await resolved({ institution_ids: [lender.institution_id, neighbour.institution_id] });
  expect(await metricsOf(lender)).toMatchObject({ DISPUTES: [2, 1] });
  expect(await metricsOf(neighbour)).toMatchObject({ DISPUTES: [0, 1] });
});

test('finds accounts whose record cannot be right', async () => {
  const lender = institution();
  const bare = await newAccount(harness.reporting, lender, {
    status: AccountStatus.DELINQUENT,
    current_balance_minor: 0n,
  });
  await newAccount(harness.reporting, lender, { status: AccountStatus.DELINQUENT });
  const lost = await newAccount(harness.reporting, lender, { status: AccountStatus.WRITTEN_OFF });
  const paid = await newAccount(harness.reporting, lender);
  const owing = await newAccount(harness.reporting, lender);
  const report = (id: string, days: number, event_type: EventType) =>
    harness.reporting.reportEvent(keyed(lender), {
      event: {
        credit_account_id: id,
        event_type,
        occurred_at: ago(days),
        amount_minor: 100n,
      },
    });
  for (const { id } of [paid, owing]) await report(id, 60, EventType.PAYMENT_LATE);
  await report(paid.id, 40, EventType.PAYMENT_MADE);
  await report(owing.id, 70, EventType.PAYMENT_MADE);
  await report(owing.id, 10, EventType.PAYMENT_MADE);
  const flag = async (days: number, resolved_days?: number) => {
    const account = await newAccount(harness.reporting, lender);
    await report(account.id, days, EventType.DISPUTE_OPENED);
    if (resolved_days !== undefined) {
      await report(account.id, resolved_days, EventType.DISPUTE_RESOLVED);
    }
    return account;
  };
  const flagged = await flag(61);
  await flag(59);
  await flag(80, 2);
  const reflagged = await flag(90, 80);
  await report(reflagged.id, 10, EventType.DISPUTE_OPENED);
  const voided = await flag(70);
  await harness.rows('live', 'UPDATE accounts SET voided = true WHERE id = $1', [voided.id]);
  const { findings } = await healthOf(lender);
  expect(
    findings.map(({ code, accounts }) => [code, accounts.map((found) => found.account_id)]),
  ).toEqual([
    ['DELINQUENT_WITHOUT_BALANCE', [bare.id]],
    ['DISPUTE_FLAG_TOO_OLD', [flagged.id]],
    ['PAST_DUE_AFTER_PAYMENT', [paid.id]],
    ['WRITTEN_OFF_WITHOUT_DELINQUENCY', [lost.id]],
  ]);
});

describe('the accounts that lower a metric most', () => {
  const lowest = (ctx: ReturnType<typeof institution>, metric: HealthMetricName, limit = 0) =>
    harness.reporting.listHealthAccounts(ctx, { metric, limit });
  const { FRESHNESS, COVERAGE } = HealthMetricName;
  const whole = {
    maturity_at: '2030-01-01T00:00:00.000Z',
    interest_rate_bps: 500,
    payment_frequency: PaymentFrequency.MONTHLY,
  };
  const keepAll = async () => {
    while (await keepHealth(harness.db, 'live', harness.clock, () => false));
  };

  test('are those of the oldest news, and those that miss most, one’s own alone', async () => {
    const lender = institution();
    const neighbour = institution();
    await newAccount(harness.reporting, neighbour);
    const bare = await newAccount(harness.reporting, lender);
    const half = await newAccount(harness.reporting, lender, {
      ...whole,
      interest_rate_bps: undefined,
    });
    const paid = await newAccount(harness.reporting, lender, {
      status: AccountStatus.PAID,
      current_balance_minor: 0n,
    });
    harness.clock.offset_ms += 50 * DAY_MS;
    await newAccount(harness.reporting, lender, whole);
    await harness.reporting.reportEvent(keyed(lender), {
      event: {
        credit_account_id: bare.id,
        event_type: EventType.PAYMENT_DUE,
        occurred_at: ago(48),
      },
    });

    const { accounts: stale } = await lowest(lender, FRESHNESS);
    expect(stale).toMatchObject([
      { account_id: half.id, text: 'No event in the last 50 days.' },
      { account_id: bare.id, text: 'No event in the last 48 days.' },
    ]);
    const { accounts: uncovered } = await lowest(lender, COVERAGE);
    const all = ['maturity_at', 'interest_rate_bps', 'payment_frequency'];
    expect(uncovered).toMatchObject([
      { account_id: bare.id, missing: all, external_account_id: bare.external_account_id },
      { account_id: half.id, missing: ['interest_rate_bps'], text: 'Without interest_rate_bps.' },
      { account_id: paid.id, missing: all },
    ]);
    expect((await lowest(lender, COVERAGE, 1)).accounts).toEqual(uncovered.slice(0, 1));
    expect((await lowest(institution(), COVERAGE)).accounts).toEqual([]);
  });

  test('of a large book are those of the last look that are as low still', async () => {
    const lender = institution();
    const [mended, voided, low] = [
      await newAccount(harness.reporting, lender),
      await newAccount(harness.reporting, lender),
      await newAccount(harness.reporting, lender),
    ];
    await keepAll();
    await harness.rows(
      'live',
      'UPDATE health_days SET took_ms = 2000, looked_at = $2 WHERE institution_id = $1',
      [lender.institution_id, ago(0)],
    );
    const looked_at = (await lowest(lender, COVERAGE)).looked_at;
    await newAccount(harness.reporting, lender);
    await harness.rows(
      'live',
      "UPDATE accounts SET maturity_at = now(), interest_rate_bps = 1, payment_frequency = 'MONTHLY' WHERE id = $1",
      [mended?.id],
    );
    await harness.rows('live', 'UPDATE accounts SET voided = true WHERE id = $1', [voided?.id]);
    expect(await lowest(lender, COVERAGE)).toMatchObject({
      looked_at,
      accounts: [{ account_id: low?.id }],
    });
    // A day on, before anybody has looked anew, still no book is read.
    harness.clock.offset_ms += DAY_MS;
    expect((await lowest(lender, COVERAGE)).accounts).toHaveLength(1);
    // The next look keeps what it finds, in place of what was kept.
    await keepAll();
    await harness.rows('live', 'UPDATE health_days SET took_ms = 2000');
    expect((await lowest(lender, COVERAGE)).accounts).toHaveLength(2);
    const kept = await harness.rows(
      'live',
      'SELECT FROM health_accounts WHERE institution_id = $1',
      [lender.institution_id],
    );
    expect(kept).toHaveLength(2);
  });

  test('are asked for by a metric of accounts, some at a time', async () => {
    const lender = institution();
    for (const metric of [HealthMetricName.REJECTION, HealthMetricName.UNSPECIFIED]) {
      expect(await refusal(lowest(lender, metric))).toMatchObject({
        message: 'Validation failed: metric: must be one of FRESHNESS, COVERAGE',
      });
    }
    expect(await refusal(lowest(lender, COVERAGE, 21))).toMatchObject({
      paths: ['limit'],
    });
  });
});

describe('by day', () => {
  const byDay = async (ctx: ReturnType<typeof institution>) =>
    (await harness.reporting.getReportingHealthByDay(ctx, {})).days;
  const keep = () => keepHealth(harness.db, 'live', harness.clock, () => false);
  const today = () => new Date(harness.clock.now_ms()).toISOString().slice(0, 10);

  test('each institution has its own, once it was looked at, with the days of before', async () => {
    const lender = institution();
    const neighbour = institution();
    expect(await byDay(lender)).toEqual([]);
    await newAccount(harness.reporting, lender);
    while (await keep());
    expect(await byDay(lender)).toMatchObject([{ day: today(), score: 77, grade: 'C' }]);
    expect(await byDay(neighbour)).toEqual([]);

    harness.clock.offset_ms += DAY_MS;
    while (await keep());
    const days = await byDay(lender);
    expect(days.map(({ day }) => day)).toEqual([days[0]?.day, today()]);

    harness.clock.offset_ms += 89 * DAY_MS;
    expect(await byDay(lender)).toMatchObject([{ day: days[1]?.day }]);
    harness.clock.offset_ms += DAY_MS;
    expect(await byDay(lender)).toEqual([]);
  });

  test('a book that changes is looked at again, after a rest; one that does not is left', async () => {
    // At noon, so that it is one day throughout.
    harness.clock.offset_ms += DAY_MS + DAY_MS / 2 - (harness.clock.now_ms() % DAY_MS);
    const lender = institution();
    await newAccount(harness.reporting, lender);
    while (await keep());
    const [first] = await byDay(lender);
    await newAccount(harness.reporting, lender, {
      maturity_at: '2030-01-01T00:00:00.000Z',
      interest_rate_bps: 500,
      payment_frequency: PaymentFrequency.MONTHLY,
    });
    while (await keep());
    expect(await byDay(lender)).toEqual([first]);
    harness.clock.offset_ms += 3_600_000;
    while (await keep());
    const [second] = await byDay(lender);
    expect(second?.score).toBeGreaterThan(first?.score ?? 100);
    harness.clock.offset_ms += 3_600_000;
    while (await keep());
    expect(await byDay(lender)).toEqual([second]);
  });

  test('of several that look at once, each book has one', async () => {
    const lenders = Array.from({ length: 5 }, () => institution());
    for (const lender of lenders) await newAccount(harness.reporting, lender);
    await Promise.all([keep(), keep(), keep()]);
    while (await keep());
    for (const lender of lenders) expect(await byDay(lender)).toHaveLength(1);
  });
});

test('a book that takes long to count is not counted for each look at its health', async () => {
  const lender = institution();
  await newAccount(harness.reporting, lender);
  while (await keepHealth(harness.db, 'live', harness.clock, () => false));
  await newAccount(harness.reporting, lender);
  expect((await metricsOf(lender)).COVERAGE).toEqual([0, 2]);
  await harness.rows('live', 'UPDATE health_days SET took_ms = 2000');
  expect((await metricsOf(lender)).COVERAGE).toEqual([0, 1]);
  // The next day it is counted, as nobody has looked yet.
  harness.clock.offset_ms += DAY_MS;
  expect((await metricsOf(lender)).COVERAGE).toEqual([0, 2]);
});
