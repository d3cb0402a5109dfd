import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Json, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { type Borrower, lendTwice, SECRETS } from '../support/borrower';
import { runSql } from '../support/postgres';

/** Short, so that what a dead builder had in hand is soon taken up. */
const LEASE_MS = 4_000;

jest.setTimeout(60_000);

let system: System;
let lender: Member;
let other: Member;
let subject: Json;
let own: Json;

beforeAll(async () => {
  system = await startSystem({ REPORT_LEASE_MS: `${LEASE_MS}`, REPORT_POLL_MS: '200' });
  const borrower: Borrower = await lendTwice(system);
  ({ lender, other, subject, own } = borrower);
}, 240_000);

afterAll(() => system?.stop(), 60_000);

async function request(body: Json, member: Member = lender): Promise<Json> {
  const asked = { subject_id: subject.id, report_type: 'FULL', purpose: 'ACCOUNT_REVIEW', ...body };
  const created = await member.key.create('/reports', asked);
  expect(created).toMatchObject({ status: 'PENDING', content: null, content_sha256: null });
  for (let tried = 0; tried < 100; tried += 1) {
    const now = await member.key.get(`/reports/${created.id}`);
    if (now.status !== 'PENDING') return now;
    await sleep(100);
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
  for (const secret of [other.institution_id, ...SECRETS]) {
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

describe('while its builder is killed', () => {
  const KILLS = 4;
  const PER_KILL = 6;
  const FORMATS = ['JSON', 'CSV', 'PDF'] as const;
  const ids: string[] = [];

  /** Kills the scoring service, wherever it is in its work. */
  async function kill(): Promise<void> {
    const { processes } = system.runRecord();
    const scoring = processes.find(({ name }) => name === 'scoring');
    if (scoring === undefined) throw new Error('Scoring does not run.');
    process.kill(scoring.pid, 'SIGKILL');
    await until(() => {
      const now = system.runRecord().processes.find(({ name }) => name === 'scoring');
      return now !== undefined && now.pid !== scoring.pid;
    });
  }

  async function until(holds: () => boolean | Promise<boolean>, within_ms = 30_000) {
    const end_ms = Date.now() + within_ms;
    while (!(await holds())) {
      if (Date.now() > end_ms) throw new Error(`In vain for ${within_ms} ms.`);
      await sleep(5);
    }
  }

  /** How many of the reports are in a state. */
  async function count(condition: string): Promise<number> {
    const [row] = await runSql<{ count: number }>(
      system,
      `SELECT count(*)::integer AS count FROM scoring_live.reports
       WHERE id = ANY ($1::uuid[]) AND ${condition}`,
      [ids],
    );
    return row?.count ?? 0;
  }

  // The caller's own patience: the same call again, while the service is away.
  const ask = async (number: number): Promise<void> => {
    const patient = new Client(system.base_url, lender.key.token, { patience_ms: 30_000 });
    const { id } = await patient.create('/reports', {
      subject_id: subject.id,
      report_type: number % 4 === 3 ? 'SUMMARY' : 'FULL',
      format: FORMATS[number % 3],
      purpose: 'ACCOUNT_REVIEW',
    });
    ids.push(id);
  };

  it('every report that was promised comes ready once, and as its hash says', async () => {
    const points: ((asked: number) => Promise<boolean>)[] = [
      // Promised, and perhaps not taken yet.
      async () => true,
      // Taken, not done.
      async () => (await count("status = 'PENDING' AND lease_token IS NOT NULL")) > 0,
      // Some done, others in hand.
      async (asked) => (await count("status = 'READY'")) > asked - PER_KILL,
      // While the calls themselves are under way.
      async () => true,
    ];
    for (let round = 0; round < KILLS; round += 1) {
      const asking = Array.from({ length: PER_KILL }, (_unused, index) =>
        ask(round * PER_KILL + index),
      );
      if (round < KILLS - 1) await Promise.all(asking);
      const point = points[round];
      await until(() => point?.(ids.length) ?? true);
      await kill();
      await Promise.all(asking);
    }
    expect(ids).toHaveLength(KILLS * PER_KILL);
    await until(async () => (await count("status = 'READY'")) === ids.length, 60_000);
    // Somebody did die with reports in hand, and each of these was taken again.
    expect(await count('attempts > 1')).toBeGreaterThan(0);

    const first = await Promise.all(ids.map((id) => lender.key.get(`/reports/${id}`)));
    for (const ready of first) {
      expect(ready).toMatchObject({ status: 'READY', failure_code: null });
      const { response, bytes } = await download(ready.id);
      expect([response.status, sha256(bytes)]).toEqual([200, ready.content_sha256]);
    }
    // What was in hand with the dead stays with them: nothing is made again or replaced.
    await sleep(LEASE_MS / 2);
    expect(await Promise.all(ids.map((id) => lender.key.get(`/reports/${id}`)))).toEqual(first);
    const [told] = await runSql<Json>(
      system,
      `SELECT
         (SELECT count(*)::integer FROM scoring_live.report_documents WHERE report_id = ANY ($1))
           AS documents,
         (SELECT count(*)::integer FROM reporting_live.inquiries WHERE id = ANY ($1)) AS inquiries`,
      [ids],
    );
    expect(told).toEqual({ documents: ids.length, inquiries: ids.length });
  }, 240_000);
});
