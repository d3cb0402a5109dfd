import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';

let system: System;
let lender: Member;
let other: Member;
let subject: Json;
let own: Json;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

async function open(member: Member, account_type: string, opened: number): Promise<Json> {
  const body = {
    subject_id: subject.id,
    external_account_id: `ledger-${randomUUID()}`,
    account_type,
    original_principal: 5000,
    opened_at: daysAgo(opened),
  };
  return member.key.create('/accounts', body, `open-${randomUUID()}`);
}

const report = (member: Member, account: Json, body: Json) =>
  member.key.create(`/accounts/${account.id}/events`, body, `event-${randomUUID()}`);

beforeAll(async () => {
  system = await startSystem();
  const anonymous = new Client(system.base_url);
  const administrator = await logIn(anonymous, system.superadmin.email, system.superadmin.password);
  lender = await enrol(anonymous, administrator, 'First Lender');
  other = await enrol(anonymous, administrator, 'Second Lender');
  subject = await lender.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `player-${randomUUID().slice(0, 13)}`,
  });
  own = await open(lender, 'TERM_LOAN', 700);
  const theirs = await open(other, 'CREDIT_CARD', 500);
  for (let month = 12; month >= 1; month -= 1) {
    await report(lender, own, {
      event_type: 'PAYMENT_MADE',
      occurred_at: daysAgo(month * 30 + 5),
      amount: 100,
      balance_after: 5000 - 100 * (13 - month),
    });
  }
  const late = await report(other, theirs, {
    event_type: 'PAYMENT_LATE',
    occurred_at: daysAgo(80),
    amount: 50,
    source_reference: 'secret-of-the-other',
  });
  await report(other, theirs, {
    event_type: 'CORRECTION',
    occurred_at: daysAgo(70),
    supersedes_event_id: late.id,
    correction_reason: 'Second Lender misread its ledger.',
  });
}, 150_000);

afterAll(() => system?.stop(), 60_000);

async function request(body: Json, member: Member = lender): Promise<Json> {
  const asked = { subject_id: subject.id, report_type: 'FULL', purpose: 'ACCOUNT_REVIEW', ...body };
  const created = await member.key.create('/reports', asked);
  expect(created).toMatchObject({ status: 'PENDING', content: null, content_sha256: null });
  for (let tried = 0; tried < 100; tried += 1) {
    const now = await member.key.get(`/reports/${created.id}`);
    if (now.status !== 'PENDING') return now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The report was not built in time.');
}

async function download(id: string): Promise<{ response: Response; bytes: Buffer }> {
  const response = await fetch(`${system.base_url}/reports/${id}/document`, {
    headers: { authorization: `Bearer ${lender.key.token}` },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

it('gives a JSON report that keeps other institutions unnamed and corrections linked', async () => {
  const ready = await request({ format: 'JSON' });
  expect(ready.status).toBe('READY');
  const { content } = ready;
  const [mine, theirs] = content.trade_lines;
  expect(mine).toMatchObject({
    furnisher: 'Your institution',
    external_account_id: own.external_account_id,
    balance: 3800,
  });
  expect(theirs).toMatchObject({ furnisher: 'Institution A', external_account_id: null });
  const late = content.events.find((event: Json) => event.event_type === 'PAYMENT_LATE');
  const correction = content.events.find((event: Json) => event.event_type === 'CORRECTION');
  expect(late).toMatchObject({
    effect: 'SUPERSEDED',
    superseded_by_event_id: correction.event_id,
    source_reference: null,
  });
  expect(correction).toMatchObject({ supersedes_event_id: late.event_id, correction_reason: null });
  expect(content.notice).toContain('ACCOUNT_REVIEW');
  const { bytes, response } = await download(ready.id);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(JSON.parse(bytes.toString())).toEqual(content);
  expect(sha256(bytes)).toBe(ready.content_sha256);
  const text = bytes.toString();
  for (const secret of [other.institution_id, 'Second Lender', 'secret-of-the-other']) {
    expect(text).not.toContain(secret);
  }
});

it.each([
  ['CSV', 'text/csv; charset=utf-8', 'record_type,'],
  ['PDF', 'application/pdf', '%PDF-'],
])('streams a %s document whose hash is the one on record', async (format, type, beginning) => {
  const ready = await request({ format });
  expect(ready).toMatchObject({ status: 'READY', content: null });
  const { response, bytes } = await download(ready.id);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('x-request-id')).not.toBeNull();
  expect(response.headers.get('x-ratelimit-limit')).not.toBeNull();
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(Number(response.headers.get('content-length'))).toBe(bytes.length);
  expect(bytes.subarray(0, beginning.length).toString('latin1')).toBe(beginning);
  expect(sha256(bytes)).toBe(ready.content_sha256);
  if (process.env.REPORT_SAMPLE) {
    writeFileSync(`${process.env.REPORT_SAMPLE}.${format.toLowerCase()}`, bytes);
  }
});

it('belongs to its requester alone, and takes no HEAD', async () => {
  const { id } = await request({ format: 'PDF' });
  for (const suffix of ['', '/document']) {
    const answer = await other.key.request('GET', `/reports/${id}${suffix}`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
    const stranger = await new Client(system.base_url).request('GET', `/reports/${id}${suffix}`);
    expect(stranger.status).toBe(401);
  }
  const head = await fetch(`${system.base_url}/reports/${id}/document`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${lender.key.token}` },
  });
  expect(head.status).toBe(404);
});

it('refuses a commercial report on an individual before it looks', async () => {
  const body = {
    subject_id: subject.id,
    report_type: 'COMMERCIAL',
    format: 'PDF',
    purpose: 'ACCOUNT_REVIEW',
  };
  const answer = await lender.key.request('POST', '/reports', { body });
  expect([answer.status, answer.body.error.details[0].path]).toEqual([422, 'report_type']);
});

it('imagines events without writing any', async () => {
  const before = await lender.key.get(`/accounts/${own.id}/events`);
  const simulated = await lender.key.request('POST', `/credit/${subject.id}/simulate`, {
    body: {
      purpose: 'ACCOUNT_REVIEW',
      events: [
        { account_id: own.id, event_type: 'DEFAULT_REPORTED', default_severity: 'SEVERE' },
        { event_type: 'ACCOUNT_OPENED', account_type: 'MORTGAGE', amount: 90_000 },
      ],
    },
  });
  expect(simulated.status).toBe(200);
  expect(simulated.body.after.score).toBeLessThan(simulated.body.before.score);
  expect(simulated.body.delta).toBe(simulated.body.after.score - simulated.body.before.score);
  expect(await lender.key.get(`/accounts/${own.id}/events`)).toEqual(before);
  const foreign = await other.key.request('POST', `/credit/${subject.id}/simulate`, {
    body: {
      purpose: 'NEW_CREDIT_APPLICATION',
      events: [{ account_id: own.id, event_type: 'DEFAULT_REPORTED' }],
    },
  });
  expect(foreign.status).toBe(404);
});

it('tells what it told on a past day, and what came since', async () => {
  const purpose = 'purpose=ACCOUNT_REVIEW';
  const told = await lender.key.get(`/credit/${subject.id}?${purpose}`);
  const then = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await report(lender, own, { event_type: 'DEFAULT_REPORTED', occurred_at: daysAgo(1) });
  const now = await lender.key.get(`/credit/${subject.id}?${purpose}`);
  expect(now.credit.score).toBeLessThan(told.credit.score);
  const past = await lender.key.get(`/credit/${subject.id}?${purpose}&as_of=${then}`);
  expect(past.credit).toEqual({ ...told.credit, calculated_at: past.credit.calculated_at });
  expect([past.risk, past.reason_codes]).toEqual([told.risk, told.reason_codes]);
  const known_later = new Date().toISOString();
  const hindsight = await lender.key.get(
    `/credit/${subject.id}?${purpose}&as_of=${then}&known_at=${known_later}`,
  );
  expect(hindsight.credit.score).toBe(now.credit.score);

  let snapshots: Json[] = [];
  for (let tried = 0; tried < 100; tried += 1) {
    snapshots = await lender.key.get<Json[]>(`/credit/${subject.id}/history`);
    if (snapshots[0]?.score === now.credit.score) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const [latest, before] = snapshots;
  const diff = await lender.key.get(`/credit/${subject.id}/history/${before?.id}/diff`);
  expect(diff).toMatchObject({
    from: { id: before?.id },
    to: { id: latest?.id },
    score_delta: latest?.score - before?.score,
    events: [{ event_type: 'DEFAULT_REPORTED', own: true }],
  });
  expect(diff.reasons_added).toContain('PH01');
});

it('is reconciled and rebuilt by commands beside the running system', async () => {
  const run = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [path.join(system.root, 'deploy/local/dist/run-command.js'), 'scoring', ...args],
      { env: { ...process.env, DATA_DIR: system.data_directory }, encoding: 'utf8' },
    );
  const before = await lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
  const rebuilt = run('rebuild-scores');
  expect([rebuilt.status, rebuilt.stdout]).toEqual([
    0,
    'live: 1 subjects rebuilt\ntest: 0 subjects rebuilt\n',
  ]);
  const reconciled = run('reconcile', '--deep');
  expect(reconciled.status).toBe(0);
  expect(reconciled.stdout).toContain('live: 1 subjects, ');
  const after = await lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
  expect(after.credit.score).toBe(before.credit.score);
});
