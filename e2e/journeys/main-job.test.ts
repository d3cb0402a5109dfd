import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, enrol, type Json, type Member } from '@credit/local/demo/client';
import { type Receiver, startReceiver, verifies } from '@credit/local/demo/receiver';
import { company } from '../support/company';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

let system: SharedSystem;
let receiver: Receiver;
let anonymous: Client;
let administrator: Client;
let lender: Member;
let other: Member;

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver(system.data_directory);
  ({
    anonymous,
    administrator,
    members: { lender, other },
  } = await company(system, { lender: 'First Lender', other: 'Second Lender' }));
}, 240_000);

afterAll(async () => {
  await receiver?.stop();
}, 60_000);

const individual = () => ({
  type: 'INDIVIDUAL',
  game_uuid: randomUUID(),
  current_username: `player-${randomUUID().slice(0, 13)}`,
});

const loan = (subject_id: string) => ({
  subject_id,
  external_account_id: `loan-${randomUUID()}`,
  account_type: 'TERM_LOAN',
  original_principal: 2500.5,
  interest_rate_bps: 899,
  interest_type: 'FIXED',
  opened_at: '2024-01-15T00:00:00Z',
  payment_frequency: 'MONTHLY',
  metadata: { branch: 'north' },
});

async function openLoan(member: Member): Promise<{ subject: Json; account: Json }> {
  const subject = await member.key.create('/subjects', individual());
  const account = await member.key.create('/accounts', loan(subject.id), `open-${randomUUID()}`);
  return { subject, account };
}

const profile = (member: Member, subject_id: string, purpose = 'NEW_CREDIT_APPLICATION') =>
  member.key.get(`/credit/${subject_id}?purpose=${purpose}`);

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('a lender that reports a loan until it defaults', () => {
  let subject: Json;
  let account: Json;
  let subscription: Json;
  const report = (body: Json, key = `event-${randomUUID()}`) =>
    lender.key.create(`/accounts/${account.id}/events`, body, key);

  beforeAll(async () => {
    ({ subject, account } = await openLoan(lender));
    subscription = await lender.key.create('/webhooks', {
      url: `${receiver.url}/hook`,
      events: ['credit.default.reported', 'credit.delinquency.reported'],
    });
  });

  it('finds the subject by its UUID and by a part of its name', async () => {
    expect((await lender.key.get(`/subjects/game/${subject.game_uuid}`)).id).toBe(subject.id);
    const found = await lender.key.get<Json[]>(
      `/subjects?q=${subject.current_username.slice(2, 14).toUpperCase()}`,
    );
    expect(found.map((entry) => entry.id)).toContain(subject.id);
  });

  it('gets the account that it opened, to the cent', () => {
    expect(account).toMatchObject({
      subject_id: subject.id,
      original_principal: 2500.5,
      current_balance: 2500.5,
      currency: 'DCR',
      status: 'CURRENT',
      version: 1,
      metadata: { branch: 'north' },
    });
  });

  it('sees each acknowledged event in the very next profile', async () => {
    const before = await profile(lender, subject.id);
    expect(before.credit.score).toBeGreaterThanOrEqual(300);

    await report({
      event_type: 'PAYMENT_MADE',
      occurred_at: daysAgo(200),
      amount: 143.48,
      balance_after: 2357.02,
    });
    const paid = await profile(lender, subject.id, 'ACCOUNT_REVIEW');
    expect(paid.history.payment_grid).not.toBe(before.history.payment_grid);

    await report({ event_type: 'PAYMENT_LATE', occurred_at: daysAgo(150), amount: 143.48 });
    const late = await profile(lender, subject.id, 'ACCOUNT_REVIEW');
    expect(late.risk.worst_current_status).toBe('PAST_DUE');
    expect(late.credit.score).toBeLessThan(paid.credit.score);

    const delinquency = await report({
      event_type: 'DELINQUENCY_STARTED',
      occurred_at: daysAgo(120),
    });
    expect(delinquency.resulting_status).toBe('DELINQUENT');
    expect((await profile(lender, subject.id, 'ACCOUNT_REVIEW')).risk.worst_current_status).toBe(
      'DELINQUENT',
    );

    const reported = await report({ event_type: 'DEFAULT_REPORTED', occurred_at: daysAgo(30) });
    expect(reported).toMatchObject({
      default_severity: 'MODERATE',
      resulting_status: 'DEFAULTED',
      effect: 'EFFECTIVE',
    });
    const defaulted = await profile(lender, subject.id, 'ACCOUNT_REVIEW');
    expect(defaulted.risk).toMatchObject({ worst_current_status: 'DEFAULTED', active_defaults: 1 });
    expect(defaulted.credit.score).toBeLessThanOrEqual(579);
    expect(defaulted.reason_codes.map((reason: Json) => reason.code)).toContain('PH01');
  });

  it('is told of the delinquency and the default, signed, without names or amounts', async () => {
    await receiver.waitFor(2);
    const mine = receiver.received.filter((delivery) => verifies(delivery, subscription.secret));
    expect(mine).toHaveLength(2);
    const bodies = mine.map((delivery) => JSON.parse(delivery.body));
    expect(bodies.map((body) => body.type).sort()).toEqual([
      'credit.default.reported',
      'credit.delinquency.reported',
    ]);
    for (const body of bodies) {
      expect(body.environment).toBe('live');
      expect(body.data).toMatchObject({ subject_id: subject.id, account_id: account.id });
      expect(JSON.stringify(body)).not.toMatch(/2500|143\.48|player-/);
    }
    const deliveries = await lender.key.get<Json[]>(`/webhooks/${subscription.id}/deliveries`);
    expect(deliveries.map((delivery) => delivery.status)).toEqual(['DELIVERED', 'DELIVERED']);
  });

  it('refuses what cannot happen, with the envelope', async () => {
    const answer = await lender.key.request('POST', `/accounts/${account.id}/events`, {
      body: { event_type: 'PAYMENT_LATE_', occurred_at: '2026-02-30T00:00:00Z' },
      headers: { 'idempotency-key': 'refused-shape' },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.code).toBe('VALIDATION_ERROR');
    expect(answer.body.error.details.map((detail: Json) => detail.path).sort()).toEqual([
      'event_type',
      'occurred_at',
    ]);
    expect(answer.headers.get('x-request-id')).toBe(answer.body.error.request_id);
    expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);

    const again = await lender.key.request('POST', `/accounts/${account.id}/events`, {
      body: { event_type: 'DEFAULT_REPORTED', occurred_at: daysAgo(1) },
      headers: { 'idempotency-key': 'refused-state' },
    });
    expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_STATE_TRANSITION']);
  });

  it('lists score snapshots, newest first, without a gap', async () => {
    const snapshots = await lender.key.get<Json[]>(`/credit/${subject.id}/history`);
    expect(snapshots.length).toBeGreaterThan(2);
    expect(snapshots.map((snapshot) => snapshot.sequence)).toEqual(
      snapshots.map((_, index) => snapshots.length - index),
    );
  });
});

describe('idempotency', () => {
  it('replays byte for byte and has one effect', async () => {
    const subject = await lender.key.create('/subjects', individual());
    const body = loan(subject.id);
    const post = () =>
      lender.key.request('POST', '/accounts', {
        body,
        headers: { 'idempotency-key': `replay-${subject.id}` },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, post));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    const replays = answers.filter((answer) => answer.headers.get('idempotent-replayed'));
    expect(replays).toHaveLength(19);
    const accounts = await lender.key.get<Json[]>(`/accounts?subject_id=${subject.id}`);
    expect(accounts).toHaveLength(1);

    const changed = await lender.key.request('POST', '/accounts', {
      body: { ...body, original_principal: 1 },
      headers: { 'idempotency-key': `replay-${subject.id}` },
    });
    expect(changed.status).toBe(409);
  });
});

describe('credentials', () => {
  it('are dead on the very next request after their revocation, 200 of 200', async () => {
    for (let round = 0; round < 200; round += 1) {
      const key = await lender.owner.create('/api-keys', {
        display_name: `short-lived ${round}`,
        scopes: ['credit:read'],
        environment: 'test',
      });
      const client = anonymous.as(key.secret);
      expect((await client.request('GET', '/auth/me')).status).toBe(200);
      const revoked = await lender.owner.request('DELETE', `/api-keys/${key.id}`);
      expect([revoked.status, revoked.text]).toEqual([204, '']);
      expect((await client.request('GET', '/auth/me')).status).toBe(401);
    }
  }, 60_000);

  it("do not reach another institution's account", async () => {
    const { account } = await openLoan(lender);
    const answer = await other.key.request('GET', `/accounts/${account.id}`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('reach isolated data with a test key', async () => {
    const tester = await enrol(anonymous, administrator, 'Tester', 'test');
    const { subject } = await openLoan(lender);
    const answer = await tester.key.request('GET', `/subjects/game/${subject.game_uuid}`);
    expect(answer.status).toBe(404);
  });
});

describe('profiles right after acknowledged events', () => {
  it('show the event every time, 1,000 of 1,000', async () => {
    const { subject, account } = await openLoan(lender);
    for (let round = 1; round <= 1000; round += 1) {
      const cents = 250_050 - round;
      await lender.key.create(
        `/accounts/${account.id}/events`,
        {
          event_type: 'BALANCE_UPDATED',
          occurred_at: new Date(Date.now() - 1000).toISOString(),
          balance_after: cents / 100,
        },
        `fresh-${account.id}-${round}`,
      );
      const seen = await profile(lender, subject.id, 'ACCOUNT_REVIEW');
      expect(seen.history.totals).toEqual([
        expect.objectContaining({ currency: 'DCR', balance: cents / 100 }),
      ]);
    }
  }, 180_000);
});

describe('the public side', () => {
  it('says that all is well', async () => {
    const status = await anonymous.get('/public/status');
    expect(status.status).toBe('OPERATIONAL');
    expect(status.components.map((component: Json) => component.name).sort()).toEqual([
      'disputes',
      'identity',
      'reporting',
      'scoring',
      'webhooks',
    ]);
  });

  it('takes a dispute in and shows it to the institution', async () => {
    const { subject } = await openLoan(lender);
    const dispute = await anonymous.create('/public/disputes', {
      subject_id: subject.id,
      reported_institution_id: lender.institution_id,
      opened_by: 'Pat Person',
      reason: 'NOT_MY_ACCOUNT',
      description: 'I have never had a loan with this institution.',
    });
    const listed = await lender.key.get<Json[]>('/disputes');
    expect(listed.map((entry) => entry.id)).toEqual([dispute.id]);
    expect(await other.key.get<Json[]>('/disputes')).toEqual([]);
  });

  it('serves the description of the API and its pages', async () => {
    const openapi = await anonymous.get('/openapi.json');
    const published = readFileSync(path.join(system.root, 'docs/openapi.json'), 'utf8');
    // What all answers are held against is what the running system says of itself.
    expect(openapi).toEqual(JSON.parse(published));
    const page = await fetch(`${system.base_url.replace('/api/v1', '')}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
