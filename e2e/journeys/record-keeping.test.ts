import { randomUUID } from 'node:crypto';
import { Client, enrol, type Json, type Member } from '@credit/local/demo/client';
import { company } from '../support/company';
import { eventually } from '../support/eventually';
import { runSql } from '../support/postgres';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

/** What comes a moment later. */
const comes = (find: () => Promise<Json | undefined>): Promise<Json> =>
  eventually(find, (found) => found !== undefined) as Promise<Json>;

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

let system: SharedSystem;
let lender: Member;
let other: Member;
let administrator: Client;

beforeAll(async () => {
  system = await sharedSystem();
  ({
    administrator,
    members: { lender, other },
  } = await company(system, { lender: 'Record Lender', other: 'Other Lender' }));
}, 240_000);

const newSubject = () =>
  lender.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `keeper-${randomUUID()}`,
  });

const loan = (subject_id: string, more: Json = {}) => ({
  subject_id,
  external_account_id: `loan-${randomUUID()}`,
  account_type: 'TERM_LOAN',
  original_principal: 1000,
  opened_at: '2025-01-15T00:00:00Z',
  ...more,
});

const paid = (account: Json, balance_after: number, occurred_at: string): Json => ({
  credit_account_id: account.id,
  event_type: 'PAYMENT_MADE',
  occurred_at,
  amount: 10,
  balance_after,
});

const post = (resource: string, body: unknown, key?: string) =>
  lender.key.request('POST', resource, {
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

test('a dry run answers 200 without a key, shows the nil UUID and leaves nothing', async () => {
  const subject = await newSubject();
  const body = loan(subject.id);
  const dry = await post('/accounts?dry_run=true', body);
  expect(dry).toMatchObject({ status: 200, body: { id: NIL_UUID, version: 1 } });
  expect(dry.headers.get('dry-run')).toBe('true');
  const bulk = await post('/accounts/bulk?dry_run=true', { accounts: [body] });
  expect(bulk).toMatchObject({ status: 200, body: { accounts: [{ id: NIL_UUID }] } });
  expect(await lender.key.get(`/accounts?subject_id=${subject.id}`)).toEqual([]);

  const key = `real-${randomUUID()}`;
  expect((await post('/accounts?dry_run=true', body, key)).status).toBe(200);
  const real = await post('/accounts', body, key);
  expect(real.status).toBe(201);
  expect(real.headers.get('idempotent-replayed')).toBeNull();
  expect(real.headers.get('dry-run')).toBeNull();
  // The key is used up now, and a dry run still does not replay it.
  expect((await post('/accounts?dry_run=true', body, key)).status).toBe(409);

  const { credit_account_id: _, ...event } = paid(real.body, 990, '2025-02-15T00:00:00Z');
  const events = `/accounts/${real.body.id}/events`;
  expect(await post(`${events}?dry_run=true`, event)).toMatchObject({
    status: 200,
    body: { id: NIL_UUID, sequence: 2, resulting_status: 'CURRENT' },
  });
  const cured = { ...event, event_type: 'DEFAULT_CURED' };
  expect((await post(`${events}?dry_run=true`, cured)).status).toBe(409);
  const batch = { events: [paid(real.body, 990, '2025-02-15T00:00:00Z')] };
  expect(await post('/events/bulk?dry_run=true', batch)).toMatchObject({
    status: 200,
    body: { events: [{ id: NIL_UUID }] },
  });
  expect(await lender.key.get(events)).toHaveLength(1);
});

test('batches are bounded before anything else and name the item at fault', async () => {
  const subject = await newSubject();
  const many = { accounts: Array.from({ length: 101 }, () => ({ nonsense: true })) };
  expect((await post('/accounts/bulk', many, randomUUID())).status).toBe(413);
  const events = { events: Array.from({ length: 501 }, () => ({})) };
  expect((await post('/events/bulk', events, randomUUID())).status).toBe(413);

  const good = loan(subject.id);
  const deep = loan(subject.id, { metadata: { a: { b: { c: 1 } } } });
  const refused = await post('/accounts/bulk', { accounts: [good, deep] }, randomUUID());
  expect(refused.status).toBe(422);
  expect(refused.body.error.details[0].path).toMatch(/^accounts\[1\]\.metadata/);
  const twice = await post('/accounts/bulk', { accounts: [good, good] }, randomUUID());
  expect(twice).toMatchObject({ status: 409 });
  expect(twice.body.error.message).toContain('accounts[1]');
  expect(await lender.key.get(`/accounts?subject_id=${subject.id}`)).toEqual([]);

  for (const metadata of [
    [1],
    Object.fromEntries(Array.from({ length: 21 }, (_unused, index) => [`k${index}`, 1])),
    { text: 'x'.repeat(2_100) },
  ]) {
    expect((await post('/accounts', { ...good, metadata }, randomUUID())).status).toBe(422);
  }
});

test('accounts are listed by subject, status and external id', async () => {
  const subject = await newSubject();
  const body = { accounts: [loan(subject.id), loan(subject.id, { status: 'PAST_DUE' })] };
  const { accounts } = (await post('/accounts/bulk', body, randomUUID())).body;
  const ids = async (query: string) =>
    (await lender.key.get<Json[]>(`/accounts?${query}`)).map(({ id }) => id);
  expect(await ids(`subject_id=${subject.id}`)).toEqual([accounts[1].id, accounts[0].id]);
  expect(await ids(`subject_id=${subject.id}&status=PAST_DUE`)).toEqual([accounts[1].id]);
  expect(await ids(`external_account_id=${accounts[0].external_account_id}`)).toEqual([
    accounts[0].id,
  ]);
  expect(await other.key.get(`/accounts?subject_id=${subject.id}`)).toEqual([]);
});

test('a renamed subject is found by both names; strangers and newcomers cannot rename it', async () => {
  const subject = await newSubject();
  const anonymous = new Client(system.base_url);
  const neighbour = await enrol(anonymous, administrator, 'Neighbour Lender');
  const current_username = `renamed-${randomUUID()}`;
  const rename = (member: Member, body: Json) =>
    member.key.request('PATCH', `/subjects/${subject.id}`, { body });
  expect((await rename(other, { current_username })).status).toBe(403);
  expect((await rename(lender, {})).status).toBe(422);
  for (const member of [lender, neighbour]) {
    await member.key.create('/accounts', loan(subject.id), randomUUID());
    expect((await rename(member, { current_username })).status).toBe(403);
  }
  await runSql(
    system,
    "UPDATE reporting_live.accounts SET created_at = created_at - interval '1 day' WHERE subject_id = $1",
    [subject.id],
  );
  expect(await rename(lender, { current_username })).toMatchObject({
    status: 200,
    body: { id: subject.id, current_username },
  });
  for (const name of [current_username, subject.current_username]) {
    const found = await lender.key.get<Json[]>(`/subjects?q=${encodeURIComponent(name)}`);
    expect(found.map(({ id }) => id)).toEqual([subject.id]);
    const twin = { type: 'INDIVIDUAL', game_uuid: randomUUID(), current_username: `\u200b${name}` };
    const refused = await neighbour.key.request('POST', '/subjects', { body: twin });
    expect(refused).toMatchObject({ status: 409, body: { error: { existing_id: subject.id } } });
    const known = await neighbour.key.get(`/subjects/${refused.body.error.existing_id}`);
    expect(known).toMatchObject({ id: subject.id, current_username });
  }
  // Whoever reports about it is told.
  const told = await comes(async () => {
    const feed = await neighbour.key.get<Json[]>('/events?type=subject.renamed');
    return feed.find(({ data }) => data.subject_id === subject.id);
  });
  expect(told.data.changed_fields).toEqual(['current_username']);
  const entry = await comes(async () => {
    const audit = await neighbour.owner.get<Json[]>(`/audit?target_id=${subject.id}`);
    return audit.find(({ action }) => action === 'subject.renamed');
  });
  expect(entry).toMatchObject({
    actor: { type: 'system' },
    changes: { current_username: { from: subject.current_username, to: current_username } },
  });
});

test('reporting health is measured for each institution and environment', async () => {
  const health = await lender.key.get('/institutions/me/reporting-health');
  expect(health).toMatchObject({ grade: expect.stringMatching(/^[ABCDF]$/), findings: [] });
  expect(health.metrics.map(({ name }: Json) => name)).toEqual([
    'TIMELINESS',
    'FRESHNESS',
    'ACCURACY',
    'REJECTION',
    'DISPUTES',
    'COVERAGE',
  ]);
  expect(await other.key.get('/institutions/me/reporting-health')).toMatchObject({
    score: null,
    grade: null,
  });
  const test_data = '/institutions/me/reporting-health?environment=test';
  expect((await lender.key.request('GET', test_data)).status).toBe(422);
  expect(await lender.owner.get(test_data)).toMatchObject({ score: null });
  const own = await lender.owner.get('/institutions/me/reporting-health');
  expect(own.score).toBe(health.score);
});

test('after a bulk load the event log alone gives every account', async () => {
  const subject = await newSubject();
  const body = { accounts: Array.from({ length: 100 }, () => loan(subject.id)) };
  const { accounts } = (await post('/accounts/bulk', body, randomUUID())).body;
  const events = accounts.flatMap((account: Json) => [
    paid(account, 900, '2025-03-15T00:00:00Z'),
    paid(account, 950, '2025-02-15T00:00:00Z'),
    { ...paid(account, 900, '2025-04-20T00:00:00Z'), event_type: 'PAYMENT_LATE' },
  ]);
  expect((await post('/events/bulk', { events }, randomUUID())).status).toBe(201);
  const { exit_code, output } = await system.runCommand('reporting', 'verify-record');
  expect([exit_code, output]).toEqual([0, expect.any(String)]);
  const [live = ''] = output.split('\n').filter((line) => line.startsWith('live: '));
  expect(live).toMatch(/^live: \d+ accounts, \d+ events, 0 mismatches$/);
  expect(Number(/(\d+) events/.exec(live)?.[1])).toBeGreaterThanOrEqual(400);
}, 60_000);
