import { createHash } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId, toTimestamp } from '@credit/platform/runtime';
import { testLogger } from '@credit/testing';
import { createNotice } from '../../src/reports/commands/create-notice';
import { writeDocument } from '../../src/reports/documents/write';
import {
  MAX_INLINE_BYTES,
  type ReportStatus,
  type StoredReport,
} from '../../src/reports/domain/report';
import type { ReportSubject } from '../../src/reports/domain/report-parts';
import { getReport, openDocument } from '../../src/reports/queries/get-report';
import { listReports } from '../../src/reports/queries/list-reports';
import {
  claimReports,
  finishReport,
  insertReport,
  loadReport,
} from '../../src/reports/store/reports';
import { DOCUMENT_PATH, DocumentServer } from '../../src/reports/workers/document-server';
import { ReportWorker, type ReportWorkerOptions } from '../../src/reports/workers/report-worker';
import { scoringSweeper } from '../../src/workers/sweeper';
import { NOW_MS } from '../support/reporting';
import { startScoring, type TestScoring } from '../support/scoring';

let scoring: TestScoring;
let server: DocumentServer;
const live = systemContext('live');
const LEASE_MS = 60_000;

beforeAll(async () => {
  scoring = await startScoring();
  const { db } = scoring.database;
  server = new DocumentServer({ db, logger: testLogger, address: '127.0.0.1:0' });
  server.start();
});

afterAll(async () => {
  await server.stop();
  await scoring.stop();
});

const EXPIRE_LEASES = statement('test_expire_leases', 'UPDATE reports SET due_at = now()');

async function asked(format: StoredReport['format'] = 'JSON') {
  const report = {
    id: newId(),
    institution_id: newId(),
    subject_id: newId(),
    report_type: 'SUMMARY' as const,
    format,
    purpose: 'ACCOUNT_REVIEW',
    as_of: toTimestamp(NOW_MS),
    created_at: toTimestamp(NOW_MS),
    earlier_inquiry_id: undefined,
    parties: undefined,
    model_version: undefined,
  };
  await scoring.database.db.transaction(live, (tx) => insertReport(tx, report));
  return report;
}

const namedSubject = async (_ctx: unknown, id: string): Promise<ReportSubject> => ({
  id,
  type: 'INDIVIDUAL',
  display_name: 'stonecutter',
  game_uuid: undefined,
  current_username: 'stonecutter',
  legal_name: undefined,
  trading_name: undefined,
  registration_number: undefined,
  organisation_kind: undefined,
  founded_at: undefined,
});

function worker(over: Partial<ReportWorkerOptions['reporting']> = {}): ReportWorker {
  return new ReportWorker({
    environment: 'live',
    db: scoring.database.db,
    logger: testLogger,
    clock: { now_ms: () => scoring.clock.at_ms },
    newId,
    lease_ms: LEASE_MS,
    poll_ms: 10,
    documents: {
      async write(material) {
        const content = await writeDocument(material);
        return { content, sha256: createHash('sha256').update(content).digest() };
      },
    },
    reporting: {
      subject: namedSubject,
      fileAt: async () => ({
        subject_type: 'INDIVIDUAL',
        accounts: [],
        inquiries: [],
        looks: [],
        alerts: [],
        statements: [],
      }),
      eventsAt: async () => [],
      ...over,
    },
  });
}

const load = ({ id, institution_id }: { id: string; institution_id: string }) =>
  loadReport(scoring.database.db.read(live), id, institution_id);

const fetchWith = (authorization: string, path = DOCUMENT_PATH, method = 'GET') =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers: { authorization } });

test('a report that its builder died with is built by the next one, once', async () => {
  const report = await asked();
  const { db } = scoring.database;
  const dead = newId();
  expect(await claimReports(db.read(live), dead, 10, LEASE_MS)).toMatchObject([{ id: report.id }]);
  // While the lease lasts nobody else takes it.
  await worker().work();
  expect(await load(report)).toMatchObject({ status: 'PENDING' });
  await db.read(live).execute(EXPIRE_LEASES);
  await worker().work();
  const ready = await load(report);
  expect(ready).toMatchObject({
    status: 'READY',
    expires_at: toTimestamp(NOW_MS + 30 * 86_400_000),
  });
  // The dead one comes back: its lease is another's by now.
  const late = await finishReport(db.read(live), {
    id: report.id,
    lease_token: dead,
    ready_at: toTimestamp(NOW_MS),
    expires_at: toTimestamp(NOW_MS),
    content_sha256: Buffer.alloc(32),
    content: Buffer.from('late'),
  });
  expect(late).toBe(false);
  expect(await load(report)).toEqual(ready);
});

test('a report that can never be built fails at once, any other after five attempts', async () => {
  const { db } = scoring.database;
  const huge = await asked();
  const fileAt = () => Promise.reject(new RangeError('too many'));
  await worker({ fileAt }).work();
  expect(await load(huge)).toMatchObject({ status: 'FAILED', failure_code: 'TOO_LARGE' });
  const unlucky = await asked();
  const broken = worker({ fileAt: () => Promise.reject(new Error('away')) });
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    expect(await load(unlucky)).toMatchObject({ status: 'PENDING' });
    await broken.work();
    await db.read(live).execute(EXPIRE_LEASES);
  }
  expect(await load(unlucky)).toMatchObject({ status: 'FAILED', failure_code: 'BUILD_FAILED' });
});

test('a ticket fetches one document once, and nothing else gets in', async () => {
  const { db } = scoring.database;
  const report = await asked('CSV');
  await worker().work();
  const owner = systemContext('live', { institution_id: report.institution_id });
  const ticket = await openDocument(db, owner, report.id, NOW_MS);
  expect((await fetchWith(`Ticket ${ticket}`, DOCUMENT_PATH, 'HEAD')).status).toBe(404);
  const answer = await fetchWith(`Ticket ${ticket}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const sha256 = createHash('sha256').update(bytes).digest();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('repr-digest')).toBe(`sha-256=:${sha256.toString('base64')}:`);
  expect((await load(report))?.content_sha256).toEqual(sha256);
  expect((await fetchWith(`Ticket ${ticket}`)).status).toBe(404);
  const forged = `${ticket.slice(0, -4)}AAAA`;
  for (const other of ['', `Bearer ${ticket}`, `Ticket ${forged}`, 'Ticket ../../etc']) {
    expect((await fetchWith(other)).status).toBe(404);
  }
  const stranger = systemContext('live', { institution_id: newId() });
  await expect(openDocument(db, stranger, report.id, NOW_MS)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const test_data = systemContext('test', { institution_id: report.institution_id });
  await expect(openDocument(db, test_data, report.id, NOW_MS)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a JSON report that is too long for an answer is streamed whole from its document', async () => {
  const { db } = scoring.database;
  const report = await asked('JSON');
  const long = 'x'.repeat(MAX_INLINE_BYTES);
  const subject = { ...(await namedSubject({}, report.subject_id)), legal_name: long };
  await worker({ subject: async () => subject }).work();
  const owner = systemContext('live', { institution_id: report.institution_id });
  const answer = await getReport(db, owner, report.id, NOW_MS);
  expect(answer).toMatchObject({ status: 'READY', content: undefined });
  expect(answer.report.content_bytes).toBeGreaterThan(MAX_INLINE_BYTES);

  const ticket = await openDocument(db, owner, report.id, NOW_MS);
  const document = await fetchWith(`Ticket ${ticket}`);
  expect(document.headers.get('content-type')).toBe('application/json');
  const text = await document.text();
  expect(JSON.parse(text)).toMatchObject({ subject: { legal_name: long } });
  expect(createHash('sha256').update(text).digest()).toEqual(answer.report.content_sha256);
});

test('after 30 days the document is gone and the report stays', async () => {
  const { db } = scoring.database;
  const report = await asked();
  await worker().work();
  const ctx = systemContext('live', { institution_id: report.institution_id });
  const later_ms = NOW_MS + 30 * 86_400_000;
  // By the clock alone, before any sweep: what is known of it, without what it said.
  const fresh = await getReport(db, ctx, report.id, later_ms - 1);
  expect([fresh.status, fresh.content]).toEqual(['READY', expect.stringContaining('"credit"')]);
  const expired = await getReport(db, ctx, report.id, later_ms);
  expect(expired).toMatchObject({
    status: 'EXPIRED',
    content: undefined,
    report: { id: report.id },
  });
  await expect(openDocument(db, ctx, report.id, later_ms)).rejects.toMatchObject({
    code: 'INVALID_STATE_TRANSITION',
  });
  const sweeper = scoringSweeper({
    db,
    logger: testLogger,
    clock: { now_ms: () => later_ms },
    pause_ms: 1_000,
  });
  await sweeper.once();
  expect(await load(report)).toMatchObject({ status: 'READY', content_bytes: undefined });
  await expect(openDocument(db, ctx, report.id, later_ms)).rejects.toMatchObject({
    code: 'INVALID_STATE_TRANSITION',
  });
});

test('an institution lists its own reports, newest first, also of one subject', async () => {
  const { db } = scoring.database;
  const institution_id = newId();
  const reports = Array.from({ length: 3 }, () => ({
    id: newId(),
    institution_id,
    subject_id: newId(),
    report_type: 'FULL' as const,
    format: 'CSV' as const,
    purpose: 'ACCOUNT_REVIEW',
    as_of: toTimestamp(NOW_MS),
    created_at: toTimestamp(NOW_MS),
    earlier_inquiry_id: undefined,
    parties: undefined,
    model_version: undefined,
  }));
  await asked();
  await db.transaction(live, async (tx) => {
    for (const report of reports) await insertReport(tx, report);
  });
  const ctx = { ...live, institution_id };
  const idsOf = (page: { items: readonly StoredReport[] }) => page.items.map(({ id }) => id);
  const newest = reports.map(({ id }) => id).reverse();
  expect(idsOf(await listReports(db, ctx, { limit: 0 }, NOW_MS))).toEqual(newest);
  const first = await listReports(db, ctx, { limit: 2 }, NOW_MS);
  expect(idsOf(first)).toEqual(newest.slice(0, 2));
  const { next_cursor } = first;
  expect(idsOf(await listReports(db, ctx, { limit: 2, cursor: next_cursor }, NOW_MS))).toEqual(
    newest.slice(2),
  );
  const [{ id, subject_id } = { id: '', subject_id: '' }] = reports;
  expect(idsOf(await listReports(db, ctx, { limit: 0, subject_id }, NOW_MS))).toEqual([id]);
  const nobody = async () => listReports(db, live, { limit: 0 }, NOW_MS);
  await expect(nobody()).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
});

test('an institution lists its own reports of one status, an expired one as such', async () => {
  const { db } = scoring.database;
  const ctx = { ...live, institution_id: newId() };
  const own = async () => {
    const report = await asked();
    await db
      .pool('live')
      .query('UPDATE reports SET institution_id = $2 WHERE id = $1', [
        report.id,
        ctx.institution_id,
      ]);
    return report.id;
  };
  const become = (id: string, status: string, expires_at_ms?: number) =>
    db
      .pool('live')
      .query(
        'UPDATE reports SET status = $2, expires_at = $3, content_bytes = $4, lease_token = NULL WHERE id = $1',
        [
          id,
          status,
          expires_at_ms === undefined ? null : toTimestamp(expires_at_ms),
          expires_at_ms === undefined ? null : 2,
        ],
      );
  const [swept, over, failed, ready, pending] = [
    await own(),
    await own(),
    await own(),
    await own(),
    await own(),
  ];
  await become(swept, 'READY', NOW_MS - 1);
  await db.pool('live').query('UPDATE reports SET content_bytes = NULL WHERE id = $1', [swept]);
  await become(over, 'READY', NOW_MS);
  await become(ready, 'READY', NOW_MS + 1);
  await become(failed, 'FAILED');
  const idsIn = async (status: ReportStatus, more: object = {}) =>
    (await listReports(db, ctx, { limit: 0, status, ...more }, NOW_MS)).items.map(({ id }) => id);
  expect(await idsIn('READY')).toEqual([ready]);
  expect(await idsIn('EXPIRED')).toEqual([over, swept]);
  expect(await idsIn('FAILED')).toEqual([failed]);
  expect(await idsIn('PENDING')).toEqual([pending]);
  expect(await idsIn('PENDING', { subject_id: newId() })).toEqual([]);
  const { next_cursor } = await listReports(db, ctx, { limit: 1, status: 'EXPIRED' }, NOW_MS);
  expect(await idsIn('EXPIRED', { cursor: next_cursor })).toEqual([swept]);
});

describe('a notice', () => {
  const parties = { institution_name: 'Harbour Loans', network_name: 'The network' };
  const look = (age_days = 1) => ({
    subject_id: newId(),
    purpose: 'NEW_CREDIT_APPLICATION' as const,
    created_at: toTimestamp(NOW_MS - age_days * 86_400_000),
    was_refused: false,
  });
  const wanted = (more: object = {}) => ({
    report_id: newId(),
    inquiry_id: newId(),
    format: 'JSON' as const,
    parties,
    model_version: undefined,
    ...more,
  });
  const create = (ctx: typeof live, request: ReturnType<typeof wanted>, found = look()) =>
    createNotice(
      {
        db: scoring.database.db,
        clock: { now_ms: () => NOW_MS },
        reporting: { inquiry: async () => found },
      },
      ctx,
      request,
    );
  const own = () => ({ ...live, institution_id: newId() });
  // Other tests leave reports of their own behind.
  const buildAll = async () => {
    for (let more = true; more; ) more = await worker().work();
  };

  test('is a report of the moment of its look, once for one id', async () => {
    const [ctx, request, found] = [own(), wanted(), look()];
    const notice = await create(ctx, request, found);
    expect(notice).toMatchObject({
      id: request.report_id,
      inquiry_id: request.inquiry_id,
      subject_id: found.subject_id,
      report_type: 'NOTICE',
      as_of: found.created_at,
      parties,
      status: 'PENDING',
    });
    expect(await create(ctx, request, found)).toEqual(notice);
    await buildAll();
    const { content } = await getReport(scoring.database.db, ctx, request.report_id, NOW_MS);
    expect(JSON.parse(content ?? '')).toMatchObject({
      report: { report_type: 'NOTICE', inquiry_id: request.inquiry_id, as_of: found.created_at },
      parties: { institution_name: 'Harbour Loans' },
      credit: { score: null, score_range: { min: 300, max: 850 } },
      key_factors: [{ code: 'NF01' }],
    });
    // Somebody else with the same id gets nothing of it.
    await expect(create(own(), request, found)).rejects.toMatchObject({ reason: 'ID_REUSED' });
  });

  test('is of the model that was asked for, while that is offered', async () => {
    const [ctx, request] = [own(), wanted({ model_version: 'svc-score-1.0.0' })];
    await create(ctx, request);
    await buildAll();
    const { content } = await getReport(scoring.database.db, ctx, request.report_id, NOW_MS);
    expect(JSON.parse(content ?? '').report.model_version).toBe('svc-score-1.0.0');
    await expect(create(own(), wanted({ model_version: 'x' }))).rejects.toMatchObject({
      details: [{ path: 'model_version' }],
    });
  });

  test('is not to be had of a look that was refused', async () => {
    const refused = { ...look(), was_refused: true };
    await expect(create(own(), wanted(), refused)).rejects.toMatchObject({
      details: [{ path: 'inquiry_id' }],
    });
  });

  test('is not to be had of a look of long ago, or as a table', async () => {
    await expect(create(own(), wanted(), look(61))).rejects.toMatchObject({
      details: [{ path: 'inquiry_id' }],
    });
    await expect(create(own(), wanted({ format: 'CSV' }))).rejects.toMatchObject({
      details: [{ path: 'format' }],
    });
  });
});
