import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Json, type Member } from '@credit/local/demo/client';
import { lendTwice, report } from '../support/borrower';
import { eventually } from '../support/eventually';
import { letIn } from '../support/person';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

jest.setTimeout(60_000);

let system: SharedSystem;
let lender: Member;
let other: Member;
let subject: Json;
let own: Json;
let theirs: Json;
let person: Client;

beforeAll(async () => {
  system = await sharedSystem();
  ({ lender, other, subject, own, theirs } = await lendTwice(system));
  person = await letIn(new Client(system.base_url), lender.key, subject.id);
}, 240_000);

const lift = () => person.expect(204, 'DELETE', '/my/freeze');

async function reportOf(member: Member, body: Json): Promise<Json> {
  const asked = { subject_id: subject.id, format: 'JSON', purpose: 'ACCOUNT_REVIEW', ...body };
  const { id } = await member.key.create('/reports', asked);
  for (let tried = 0; tried < 100; tried += 1) {
    const now = await member.key.get<Json>(`/reports/${id}`);
    if (now.status !== 'PENDING') return now.content;
    await sleep(100);
  }
  throw new Error('The report was not built in time.');
}

it('is shown to nobody for new business, whichever way it is looked at', async () => {
  const { key } = lender;
  const { id: subject_id } = subject;
  const purpose = 'NEW_CREDIT_APPLICATION';
  const credit = `/credit/${subject_id}`;
  const past = new Date(Date.now() - 86_400_000).toISOString();
  const [snapshot] = await key.get<Json[]>(`${credit}/history`);
  const search = `/subjects?q=${subject.current_username}`;
  const found = await key.get<Json>(search);
  const before = await key.get<Json>(`${credit}?purpose=ACCOUNT_REVIEW`);

  expect(await person.create('/my/freeze', undefined)).toMatchObject({
    frozen_since: expect.any(String),
    thaws: [],
  });
  const asked = { events: [{ event_type: 'ACCOUNT_UPDATED', account_id: own.id }] };
  for (const [method, path, body] of [
    ['GET', `${credit}?purpose=${purpose}`],
    ['GET', `${credit}?purpose=${purpose}&as_of=${past}`],
    ['GET', `${credit}/history?purpose=${purpose}`],
    ['GET', `${credit}/history/${snapshot?.id}/diff?purpose=${purpose}`],
    ['POST', `${credit}/simulate`, { ...asked, purpose }],
    ['POST', '/inquiries', { subject_id, purpose }],
    ['POST', '/reports', { subject_id, purpose, report_type: 'FULL', format: 'JSON' }],
  ] as const) {
    const answer = await key.request(method, path, { body });
    expect([path, answer.body.error?.reason]).toEqual([path, 'FILE_FROZEN']);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('"score"');
  }
  // All seven are on record, and nothing follows of them.
  const inquiries = await key.get<Json[]>(`/inquiries?subject_id=${subject_id}&purpose=${purpose}`);
  expect(inquiries.map(({ refusal }) => refusal)).toEqual(Array(7).fill('FILE_FROZEN'));
  const { refused_inquiries } = await person.get<Json>('/my/freeze');
  expect(refused_inquiries.map(({ id }: Json) => id)).toEqual(inquiries.map(({ id }) => id));
  expect(refused_inquiries[0]).toMatchObject({ institution_id: lender.institution_id, purpose });
  const after = await key.get<Json>(`${credit}?purpose=ACCOUNT_REVIEW`);
  for (const part of ['risk', 'history', 'reason_codes', 'alerts', 'statements']) {
    expect(after[part]).toEqual(before[part]);
  }
  expect(after.credit.score).toBe(before.credit.score);
  // Of a refused look there is nothing to give notice of.
  const notice = await key.request('POST', `/inquiries/${inquiries[0]?.id}/notice`, {
    body: { format: 'JSON' },
  });
  expect(notice.body).toMatchObject({ error: { details: [{ path: 'inquiry_id' }] } });
  // Nobody is told by a search.
  expect(await key.get<Json>(search)).toEqual(found);
  await lift();
  await key.get<Json>(`${credit}?purpose=${purpose}`);
});

it('is looked at on the person’s behalf by whose link it used, and by nobody else', async () => {
  const { id: subject_id } = subject;
  const purpose = 'SUBJECT_REQUEST';
  const credit = `/credit/${subject_id}`;
  const past = new Date(Date.now() - 60_000).toISOString();
  const [snapshot] = await lender.key.get<Json[]>(`${credit}/history`);
  const asked = {
    events: [{ event_type: 'ACCOUNT_OPENED', account_type: 'TERM_LOAN', amount: 1 }],
  };
  const looks = [
    ['GET', `${credit}?purpose=${purpose}`],
    ['GET', `${credit}?purpose=${purpose}&as_of=${past}`],
    ['GET', `${credit}/history?purpose=${purpose}`],
    ['GET', `${credit}/history/${snapshot?.id}/diff?purpose=${purpose}`],
    ['POST', `${credit}/simulate`, { ...asked, purpose }],
    ['POST', '/inquiries', { subject_id, purpose }],
    ['POST', '/reports', { subject_id, purpose, report_type: 'FULL', format: 'JSON' }],
  ] as const;
  for (const [method, path, body] of looks) {
    const answer = await other.key.request(method, path, { body });
    expect([path, answer.status, answer.body.error?.reason]).toEqual([
      path,
      403,
      'SUBJECT_DID_NOT_ASK',
    ]);
  }
  // The proof comes from identity a moment after the link was used.
  for (const [method, path, body] of looks) {
    await eventually(
      () => lender.key.request(method, path, { body }),
      ({ status }) => status < 300,
    );
  }
});

it('is open to whom a thaw is for, from its answer until its end', async () => {
  const look = (member: Member) =>
    member.key
      .request('GET', `/credit/${subject.id}?purpose=REFINANCING`)
      .then(({ status }) => status);
  await person.create('/my/freeze', undefined);
  const nobody = await person.request('POST', '/my/freeze/thaws', {
    body: { institution_id: subject.id },
  });
  expect(nobody.body).toMatchObject({
    error: { code: 'VALIDATION_ERROR', details: [{ path: 'institution_id' }] },
  });
  const body = { institution_id: other.institution_id };
  const thaw = await person.create('/my/freeze/thaws', body);
  expect([await look(lender), await look(other)]).toEqual([403, 200]);
  await person.expect(204, 'DELETE', `/my/freeze/thaws/${thaw.id}`);
  expect(await look(other)).toBe(403);
  await person.expect(404, 'DELETE', `/my/freeze/thaws/${thaw.id}`);
  await lift();
  const refused = await person.request('POST', '/my/freeze/thaws', { body });
  expect(refused.body).toMatchObject({ error: { reason: 'NOT_FROZEN' } });
});

it('shows its alerts and statements in profiles and reports, each with its record', async () => {
  const late = await report(other, theirs, {
    event_type: 'PAYMENT_LATE',
    occurred_at: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    amount: 50,
  });
  const alert = await person.create('/my/alerts', { kind: 'FRAUD' });
  const text = 'The bank was closed\nfor three days.';
  const set = (record_id: string) =>
    person.expect(200, 'PUT', `/my/statements/${record_id}`, { body: { text } });
  await set(late.id);
  await set(own.id);
  expect(await person.get<Json[]>('/my/alerts')).toEqual([alert]);
  expect((await person.get<Json[]>('/my/statements')).map(({ record_id }) => record_id)).toEqual([
    late.id,
    own.id,
  ]);

  const profile = await lender.key.get<Json>(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
  expect(profile.alerts).toMatchObject([{ kind: 'FRAUD', ends_at: alert.ends_at }]);
  expect(profile.alerts[0].instruction).toContain('verify the identity');
  expect(profile.statements).toMatchObject([
    { record_kind: 'EVENT', record_id: null, text },
    { record_kind: 'ACCOUNT', record_id: own.id, text },
  ]);
  const content = await reportOf(lender, { report_type: 'FULL' });
  expect(content.alerts).toMatchObject([{ kind: 'FRAUD' }]);
  const refs = new Map(content.trade_lines.map(({ account_id, ref }: Json) => [account_id, ref]));
  expect(content.statements).toMatchObject([
    { record_kind: 'EVENT', event_id: late.id, text },
    { record_kind: 'ACCOUNT', account: refs.get(own.id), event_id: null, text },
  ]);
  const summary = await reportOf(lender, { report_type: 'SUMMARY' });
  expect(summary.statements).toMatchObject([
    { account: null, event_id: null, text },
    { account: null, event_id: null, text },
  ]);

  await person.expect(204, 'DELETE', `/my/alerts/${alert.id}`);
  await person.expect(204, 'DELETE', `/my/statements/${late.id}`);
  const moment = new Date().toISOString();
  const now = await lender.key.get<Json>(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
  expect([now.alerts.length, now.statements.length]).toEqual([0, 1]);
  // What stood then is what a profile of then shows.
  const before = new Date(Date.parse(alert.placed_at) - 1).toISOString();
  for (const [at, alerts, statements] of [
    [before, 0, 0],
    [profile.credit.calculated_at, 1, 2],
    [moment, 0, 1],
  ] as const) {
    const then = await lender.key.get<Json>(
      `/credit/${subject.id}?purpose=ACCOUNT_REVIEW&as_of=${at}`,
    );
    expect([at, then.alerts.length, then.statements.length]).toEqual([at, alerts, statements]);
  }
});

it('is nobody’s but the person’s', async () => {
  for (const client of [lender.key, lender.owner]) {
    for (const [method, path, body] of [
      ['GET', '/my/freeze'],
      ['POST', '/my/freeze'],
      ['DELETE', '/my/freeze'],
      ['GET', '/my/statements'],
      ['PUT', `/my/statements/${own.id}`, { text: 'Theirs.' }],
    ] as const) {
      expect((await client.request(method, path, { body })).status).toBe(403);
    }
  }
  const { id } = await lender.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `player-${randomUUID().slice(0, 13)}`,
  });
  const opening = { account_type: 'TERM_LOAN', opened_at: '2024-01-15T00:00:00Z' };
  const account = { ...opening, subject_id: id, original_principal: 100 };
  const key = `ledger-${randomUUID()}`;
  await lender.key.create('/accounts', { ...account, external_account_id: key }, key);
  const stranger = await letIn(new Client(system.base_url), lender.key, id);
  const answer = await stranger.request('PUT', `/my/statements/${own.id}`, {
    body: { text: 'Not mine.' },
  });
  expect(answer.status).toBe(404);
});
