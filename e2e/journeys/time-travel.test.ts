// What only time does, with the whole system under a clock that is moved: database, services and
// all. The tests follow each other: time goes forward only.

import { randomUUID } from 'node:crypto';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { ShiftedClock } from '../support/shifted-clock';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** As the obsolescence of an adverse fact is counted. */
const SEVEN_YEARS_DAYS = 2_557;

let clock: ShiftedClock;
let system: System;
let anonymous: Client;
let lender: Member;
let neighbour: Member;
let started_at_ms: number;

beforeAll(async () => {
  clock = new ShiftedClock();
  system = await startSystem(clock.environment);
  anonymous = new Client(system.base_url);
  const administrator = await admin();
  lender = await enrol(anonymous, administrator, 'Patient Lender');
  neighbour = await enrol(anonymous, administrator, 'Patient Neighbour');
  started_at_ms = clock.now_ms();
}, 240_000);

afterAll(async () => {
  await system?.stop();
  clock?.remove();
}, 60_000);

/** Sessions are short: each journey through time signs in anew. */
const admin = () => logIn(anonymous, system.superadmin.email, system.superadmin.password);

/** So long after the beginning. */
const goTo = (after_ms: number) => clock.set(started_at_ms + after_ms);

async function borrower(): Promise<Json> {
  return lender.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `player-${randomUUID().slice(0, 13)}`,
  });
}

const loanOf = (subject: Json, days_ago: number) => ({
  subject_id: subject.id,
  external_account_id: `loan-${randomUUID()}`,
  account_type: 'TERM_LOAN',
  original_principal: 1000,
  opened_at: clock.in(-days_ago * DAY_MS),
});

const open = (member: Member, subject: Json, days_ago: number): Promise<Json> =>
  member.key.create('/accounts', loanOf(subject, days_ago), `open-${randomUUID()}`);

const report = (account: Json, event_type: string, days_ago: number, fields: Json = {}) =>
  lender.key.create(
    `/accounts/${account.id}/events`,
    { event_type, occurred_at: clock.in(-days_ago * DAY_MS), ...fields },
    `event-${randomUUID()}`,
  );

const profile = (subject: Json): Promise<Json> =>
  lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);

const factorOf = ({ credit }: Json, name: string): number =>
  credit.factors.find((factor: Json) => factor.name === name).points;

const post = (path: string, body: unknown, key: string) =>
  lender.key.request('POST', path, { body, headers: { 'idempotency-key': key } });

describe('a key of a single event', () => {
  let path: string;
  let account: Json;
  const key = `single-${randomUUID()}`;
  const bulk_key = `bulk-${randomUUID()}`;
  let first: Json;
  let bulk: Json;
  let body: Json;
  let bulk_body: Json;

  it('replays for a day, that of a batch for a week', async () => {
    account = await open(lender, await borrower(), 100);
    path = `/accounts/${account.id}/events`;
    body = { event_type: 'PAYMENT_MADE', occurred_at: clock.in(-DAY_MS), amount: 10 };
    bulk_body = {
      events: [{ ...body, credit_account_id: account.id, amount: 11, source_reference: 'one' }],
    };
    first = await post(path, body, key);
    bulk = await post('/events/bulk', bulk_body, bulk_key);
    expect([first.status, bulk.status]).toEqual([201, 201]);

    await goTo(23 * HOUR_MS);
    const repeated = await post(path, body, key);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.text).toBe(first.text);
    expect((await post(path, { ...body, amount: 12 }, key)).status).toBe(409);
  });

  it('is free after a day', async () => {
    await goTo(25 * HOUR_MS);
    const renewed = await post(path, { ...body, amount: 12 }, key);
    expect([renewed.status, renewed.headers.get('idempotent-replayed')]).toEqual([201, null]);
    const batch = await post('/events/bulk', bulk_body, bulk_key);
    expect(batch.headers.get('idempotent-replayed')).toBe('true');
    expect(batch.text).toBe(bulk.text);
  });

  it('of a batch is free after a week, and its events are known by their references still', async () => {
    await goTo(7 * DAY_MS + HOUR_MS);
    const batch = await post('/events/bulk', bulk_body, bulk_key);
    expect([batch.status, batch.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(batch.body.events[0].id).toBe(bulk.body.events[0].id);
    const payments = await lender.key.get<Json[]>(`${path}?limit=100`);
    expect(payments.filter(({ amount }) => amount === 11)).toHaveLength(1);
  });
});

describe('a month', () => {
  let report_id: string;
  let dispute: Json;
  let begun_ms: number;

  it('ends a report’s document, and a dispute’s time', async () => {
    begun_ms = clock.now_ms();
    const subject = await borrower();
    const account = await open(lender, subject, 300);
    const asked = await lender.key.create('/reports', {
      subject_id: subject.id,
      report_type: 'FULL',
      format: 'JSON',
      purpose: 'ACCOUNT_REVIEW',
    });
    report_id = asked.id;
    let made: Json = asked;
    for (let round = 0; made.status === 'PENDING' && round < 100; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      made = await lender.key.get(`/reports/${report_id}`);
    }
    expect(made.status).toBe('READY');
    expect(made.content).toBeTruthy();
    const [opening] = await lender.key.get<Json[]>(`/accounts/${account.id}/events`);
    dispute = await anonymous.create('/public/disputes', {
      credit_event_id: opening?.id,
      opened_by: 'stonecutter',
      reason: 'INCORRECT_DATES',
      description: 'This account was not opened on the day that is given.',
    });
    expect(dispute.overdue).toBe(false);

    await clock.set(begun_ms + 30 * DAY_MS - HOUR_MS);
    expect(await lender.key.get(`/reports/${report_id}`)).toMatchObject({ status: 'READY' });
    expect(await listed()).toMatchObject({ status: 'OPEN', overdue: false });
  });

  it('and no hour less', async () => {
    await clock.set(begun_ms + 30 * DAY_MS + HOUR_MS);
    const over = await lender.key.get(`/reports/${report_id}`);
    expect(over).toMatchObject({ status: 'EXPIRED' });
    expect(over.content ?? null).toBeNull();
    const fetched = await lender.key.request('GET', `/reports/${report_id}/document`);
    expect(fetched.status).toBe(409);
    expect(await listed()).toMatchObject({ status: 'OPEN', overdue: true });
  });

  async function listed(): Promise<Json | undefined> {
    const disputes = await (await admin()).get<Json[]>('/disputes?limit=100');
    return disputes.find(({ id }) => id === dispute.id);
  }
});

describe('years', () => {
  let subject: Json;
  let account: Json;
  let begun_ms: number;

  it('take a hard inquiry out of the score after half a year, and after a whole one', async () => {
    begun_ms = clock.now_ms();
    subject = await borrower();
    account = await open(lender, subject, 700);
    await open(neighbour, subject, 650);
    for (const days of [90, 60, 30]) {
      await report(account, 'PAYMENT_MADE', days, { amount: 10 });
    }
    const calm = factorOf(await profile(subject), 'NEW_CREDIT');
    await neighbour.key.get(`/credit/${subject.id}?purpose=NEW_CREDIT_APPLICATION`);
    const looked = factorOf(await profile(subject), 'NEW_CREDIT');
    await clock.set(begun_ms + 179 * DAY_MS);
    expect(factorOf(await profile(subject), 'NEW_CREDIT')).toBe(looked);
    await clock.set(begun_ms + 181 * DAY_MS);
    const half = factorOf(await profile(subject), 'NEW_CREDIT');
    await clock.set(begun_ms + 366 * DAY_MS);
    const whole = factorOf(await profile(subject), 'NEW_CREDIT');
    expect(looked).toBeLessThan(half);
    expect(half).toBeLessThan(whole);
    expect(whole).toBe(calm);
  });

  it('take a default off the file, seven years after its first late payment', async () => {
    begun_ms = clock.now_ms();
    await report(account, 'PAYMENT_LATE', 30);
    await report(account, 'DEFAULT_REPORTED', 0);
    expect((await profile(subject)).risk).toMatchObject({ active_defaults: 1 });
    // The furnisher says so once more, later: nothing is younger for it.
    await clock.set(begun_ms + 400 * DAY_MS);
    await report(account, 'PAYMENT_LATE', 0);
    const first_late_ms = begun_ms - 30 * DAY_MS;
    await clock.set(first_late_ms + (SEVEN_YEARS_DAYS - 3) * DAY_MS);
    const old = await profile(subject);
    expect(old.risk.caps_applied).toContain('ACTIVE_DEFAULT');
    await clock.set(first_late_ms + (SEVEN_YEARS_DAYS + 2) * DAY_MS);
    const obsolete = await profile(subject);
    expect(obsolete.risk).toMatchObject({ active_defaults: 0, max_days_past_due: 0 });
    expect(obsolete.risk.caps_applied).not.toContain('ACTIVE_DEFAULT');
    expect(factorOf(obsolete, 'DEROGATORY')).toBe(132);
    expect(obsolete.history.payment_grid).not.toMatch(/[1-9D]/);
    expect(obsolete.credit.score).toBeGreaterThan(old.credit.score);
  });
});

describe('a refresh token', () => {
  it('is good for thirty days', async () => {
    const { email, password } = system.superadmin;
    const signIn = () =>
      anonymous.expect(200, 'POST', '/auth/login', { body: { email, password } });
    const refresh = (refresh_token: string) =>
      anonymous.request('POST', '/auth/refresh', { body: { refresh_token } });
    const [early, late] = [await signIn(), await signIn()];
    const begun_ms = clock.now_ms();
    const access = anonymous.as(early.access_token);
    await access.get('/auth/me');
    await clock.set(begun_ms + 16 * 60_000);
    expect((await access.request('GET', '/auth/me')).status).toBe(401);
    await clock.set(begun_ms + 11 * HOUR_MS);
    expect((await refresh(early.refresh_token)).status).toBe(200);
    await clock.set(begun_ms + 31 * DAY_MS);
    expect((await refresh(late.refresh_token)).status).toBe(401);
  });
});
