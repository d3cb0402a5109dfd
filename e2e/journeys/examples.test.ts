import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, enrol, type Json, logIn } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';

/** What the document shows as answers; UPDATE_EXAMPLES=1 writes what was answered now. */
const RECORDED = path.resolve(
  __dirname,
  '../../packages/contract/src/operations/recorded-answers.json',
);

let system: System;
let harbour: Client;
let quay: Client;
let documented: Map<string, Json>;
let institution_id: string;

beforeAll(async () => {
  system = await startSystem();
  const anonymous = new Client(system.base_url);
  const { email, password } = system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  const member = await enrol(anonymous, administrator, 'Harbour Lending', 'test');
  ({ institution_id } = member);
  harbour = member.key;
  quay = (await enrol(anonymous, administrator, 'Quay Bank', 'test')).key;
  const { paths } = await anonymous.get<Json>('/openapi.json');
  documented = new Map(
    Object.values(paths as Json).flatMap((methods) =>
      Object.values(methods as Json).map((operation) => [operation.operationId, operation]),
    ),
  );
}, 150_000);
afterAll(() => system?.stop(), 60_000);

function bodyOf(id: string): Json {
  return structuredClone(documented.get(id)?.requestBody.content['application/json'].example);
}

function answerOf(id: string): Json {
  const responses = documented.get(id)?.responses as Json;
  const success = responses['201'] ?? responses['200'];
  return success.content['application/json'].example;
}

/**
 * The documented requests, carried out: a borrower with a card and a car at one lender gets a loan
 * from another, who reports the first payment, looks, and asks what a further payment would do.
 */
async function carryOut(): Promise<Record<string, Json>> {
  const said: Record<string, Json> = {};
  said.getStatus = await harbour.get('/public/status');
  said.createSubject = await harbour.create('/subjects', bodyOf('createSubject'));
  const subject_id = said.createSubject.id;
  const subjects = await harbour.create('/subjects/bulk', bodyOf('createSubjects'), 'subjects');
  said.createSubjects = subjects;
  await pastOf(subject_id);
  said.recordInquiry = await harbour.create('/inquiries', {
    ...bodyOf('recordInquiry'),
    subject_id,
  });
  said.createAccount = await harbour.create(
    '/accounts',
    { ...bodyOf('createAccount'), subject_id },
    'loan-2026-00017-open',
  );
  const account_id = said.createAccount.id;
  said.reportEvent = await harbour.create(
    `/accounts/${account_id}/events`,
    bodyOf('reportEvent'),
    'loan-2026-00017-paid',
  );
  said.getAccount = await harbour.get(`/accounts/${account_id}`);
  said.listAccountEvents = await harbour.get(`/accounts/${account_id}/events`);
  said.getCreditProfile = await harbour.get(`/credit/${subject_id}?purpose=NEW_CREDIT_APPLICATION`);
  said.listSnapshots = await snapshots(subject_id, said.getCreditProfile.credit.score);
  const [latest, earlier] = said.listSnapshots as unknown as Json[];
  said.diffSnapshots = await harbour.get(
    `/credit/${subject_id}/history/${earlier?.id}/diff?to=${latest?.id}`,
  );
  const simulation = bodyOf('simulateCredit');
  for (const event of simulation.events) event.account_id = account_id;
  said.simulateCredit = await harbour.expect(200, 'POST', `/credit/${subject_id}/simulate`, {
    body: simulation,
  });
  said.createReport = await harbour.create('/reports', { ...bodyOf('createReport'), subject_id });
  said.getReport = await ready(said.createReport.id);
  said.getReportingHealth = await harbour.get('/institutions/me/reporting-health');
  said.listFeed = await toldOfDefault(subject_id);
  return said;
}

async function ready(report_id: string): Promise<Json> {
  for (let tries = 0; tries < 100; tries++) {
    const report = await harbour.get<Json>(`/reports/${report_id}`);
    if (report.status === 'READY') return report;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The report is not ready.');
}

/** The card of the other lender ends in default, and the feed says so. */
async function toldOfDefault(subject_id: string): Promise<Json> {
  const [card] = await quay.get<Json[]>(`/accounts?external_account_id=card-1`);
  await quay.create(
    `/accounts/${card?.id}/events`,
    { event_type: 'DEFAULT_REPORTED', occurred_at: '2026-05-20T00:00:00Z' },
    'card-1-default',
  );
  for (let tries = 0; tries < 100; tries++) {
    const feed = await harbour.get<Json[]>('/events?type=credit.default.reported&limit=1');
    if (feed[0]?.data.subject_id === subject_id) return feed as unknown as Json;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The feed does not tell of the default.');
}

/** A card with one late payment, and a loan that is nearly paid back. */
async function pastOf(subject_id: string): Promise<void> {
  const account = {
    subject_id,
    external_account_id: 'card-1',
    account_type: 'CREDIT_CARD',
    original_principal: 5000,
    current_balance: 900,
    opened_at: '2023-03-15T00:00:00Z',
  };
  const loan = {
    ...account,
    external_account_id: 'car-1',
    account_type: 'AUTO_LOAN',
    original_principal: 8000,
    current_balance: 1850,
  };
  const { accounts } = await quay.create(
    '/accounts/bulk',
    { accounts: [account, loan] },
    'quay-accounts',
  );
  const [card, car] = accounts as Json[];
  const months = Array.from({ length: 14 }, (_, at) => {
    const occurred_at = new Date(Date.UTC(2025, 1 + at, 15, 9)).toISOString();
    const paid = { event_type: 'PAYMENT_MADE', occurred_at, amount: 60 };
    const late = [
      { event_type: 'PAYMENT_LATE', occurred_at },
      { event_type: 'ACCOUNT_CURRENT', occurred_at: '2025-07-27T09:00:00Z' },
    ];
    return [
      { credit_account_id: car?.id, ...paid },
      ...(at === 5 ? late : [paid]).map((event) => ({ credit_account_id: card?.id, ...event })),
    ];
  });
  await quay.create('/events/bulk', { events: months.flat() }, 'quay-events');
}

/** The two latest snapshots, once the latest has the score that was read. */
async function snapshots(subject_id: string, score: number): Promise<Json> {
  const url = `/credit/${subject_id}/history?purpose=ACCOUNT_REVIEW&limit=2`;
  for (let tries = 0; tries < 100; tries++) {
    const found = await harbour.get<Json[]>(url);
    if (found.length === 2 && found[0]?.score === score) return found as unknown as Json;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`No snapshot has the score ${score}.`);
}

/** With the ids that all examples of the document share. */
function inDocument(said: Record<string, Json>): Record<string, Json> {
  const ids: Readonly<Record<string, string>> = {
    [said.createSubject?.id]: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
    [said.createAccount?.id]: '0198a1c5-3a00-7f4e-8b2a-6d5c4b3a2f10',
    [said.reportEvent?.id]: '0198a1c5-3f11-7b02-9e8d-7c6b5a4f3e21',
    [said.getCreditProfile?.inquiry_id]: '0198a1c5-2b7c-7a90-b4e1-9d8c7b6a5f40',
    [said.createReport?.id]: '0198a1c7-0a10-7b3c-8d4e-5f6a7b8c9d0e',
    [institution_id]: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
  };
  const text = Object.entries(ids).reduce(
    (json, [real, shown]) => json.replaceAll(real, shown),
    JSON.stringify(said),
  );
  return JSON.parse(text);
}

const A_TIME = /^\d{4}-\d\d-\d\dT/;
const AN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Without what another run on another day has otherwise. */
function lasting(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => lasting(item));
  if (typeof value === 'string') {
    if (AN_ID.test(value) || (A_TIME.test(value) && /^(created|updated|reported)_at$/.test(key))) {
      return typeof value;
    }
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, lasting(item, name)]),
  );
}

/** What an object is made of, to any depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return 'value';
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
}

test('the documented requests give the documented answers', async () => {
  const said = inDocument(await carryOut());
  if (process.env.UPDATE_EXAMPLES === '1') {
    writeFileSync(RECORDED, `${JSON.stringify(said, null, 2)}\n`);
  }
  for (const id of [
    'createSubject',
    'createSubjects',
    'createAccount',
    'reportEvent',
    'getAccount',
    'listAccountEvents',
  ]) {
    expect({ id, answer: lasting(said[id]) }).toEqual({ id, answer: lasting(answerOf(id)) });
  }
  expect(lasting({ ...said.recordInquiry, id: '' })).toEqual(
    lasting({ ...answerOf('recordInquiry'), id: '' }),
  );
  expect(lasting(said.listFeed)).toEqual(lasting(answerOf('listFeed')));
  for (const id of [
    'getStatus',
    'getCreditProfile',
    'listSnapshots',
    'diffSnapshots',
    'simulateCredit',
    'createReport',
    'getReport',
    'getReportingHealth',
  ]) {
    expect({ id, shape: shapeOf(said[id]) }).toEqual({ id, shape: shapeOf(answerOf(id)) });
  }
}, 120_000);
