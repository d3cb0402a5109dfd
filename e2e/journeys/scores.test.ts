import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { systemContext } from '@credit/platform/context';
import { createChannel } from '@credit/platform/rpc';
import { newId } from '@credit/platform/runtime';
import { ScoringServiceDefinition } from '@credit/proto/scoring/v1/scoring';
import { testLogger } from '@credit/testing';
import { daysAgo, lendTwice, report } from '../support/borrower';
import { runSql } from '../support/postgres';

jest.setTimeout(60_000);

let system: System;
let lender: Member;
let other: Member;
let subject: Json;
let own: Json;
let theirs: Json;

beforeAll(async () => {
  system = await startSystem();
  ({ lender, other, subject, own, theirs } = await lendTwice(system));
}, 240_000);

afterAll(() => system?.stop(), 60_000);

async function enrolled(name: string): Promise<Member> {
  const anonymous = new Client(system.base_url);
  const { email, password } = system.superadmin;
  return enrol(anonymous, await logIn(anonymous, email, password), name);
}

const hardLooks = async (): Promise<number> =>
  (await lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`)).history.hard_inquiries_12m;

it('is found for no subject that does not exist, whatever is asked of it', async () => {
  const unknown = randomUUID();
  const purpose = 'NEW_CREDIT_APPLICATION';
  const events = [{ event_type: 'ACCOUNT_OPENED', account_type: 'MORTGAGE', amount: 90_000 }];
  const asked: [string, string, unknown?][] = [
    ['GET', `/credit/${unknown}?purpose=${purpose}`],
    ['GET', `/credit/${unknown}?purpose=${purpose}&as_of=${daysAgo(10)}`],
    ['GET', `/credit/${unknown}/history`],
    ['GET', `/credit/${unknown}/history/${randomUUID()}/diff`],
    ['GET', `/credit/${subject.id}/history/${randomUUID()}/diff`],
    ['POST', `/credit/${unknown}/simulate`, { purpose, events }],
    ['POST', '/inquiries', { subject_id: unknown, purpose }],
    ['POST', '/reports', { subject_id: unknown, report_type: 'FULL', format: 'PDF', purpose }],
  ];
  for (const [method, resource, body] of asked) {
    const { status, body: answer } = await lender.key.request(method, resource, { body });
    expect([method, resource, status, answer.error?.code]).toEqual([
      method,
      resource,
      404,
      'NOT_FOUND',
    ]);
  }
});

it('is looked at only by what shows it: no HEAD and no refused read is an inquiry', async () => {
  const before = await hardLooks();
  const path_of_read = `/credit/${subject.id}?purpose=NEW_CREDIT_APPLICATION`;
  const head = await fetch(`${system.base_url}${path_of_read}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${other.key.token}` },
  });
  expect(head.status).toBe(404);
  const ahead = daysAgo(-1);
  for (const query of [`as_of=${ahead}`, `known_at=${ahead}`, `as_of=${daysAgo(9_000)}`]) {
    const refused = await other.key.request('GET', `${path_of_read}&${query}`);
    expect([query, refused.status]).toEqual([query, 422]);
  }
  expect(await hardLooks()).toBe(before);
  const shown = await lender.key.request('GET', `/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
  expect(shown.headers.get('cache-control')).toBe('no-store');
  const past = await other.key.get(`${path_of_read}&as_of=${daysAgo(10)}`);
  expect(await hardLooks()).toBe(before + 1);
  expect(past.history.hard_inquiries_12m).toBe(0);
});

it('shows how it moved to a stranger for a purpose only, and nobody else’s ids to anyone', async () => {
  await settled();
  const stranger = await enrolled('Third Lender');
  const looks = () =>
    runSql<{ institution_id: string }>(
      system,
      'SELECT institution_id FROM reporting_live.inquiries WHERE subject_id = $1 AND institution_id = $2',
      [subject.id, stranger.institution_id],
    );
  const [snapshot] = await lender.key.get<Json[]>(`/credit/${subject.id}/history?limit=1`);
  const list = `/credit/${subject.id}/history`;
  const compare = `${list}/${snapshot?.id}/diff`;
  for (const resource of [list, compare, `${list}/${randomUUID()}/diff`]) {
    const { status, body } = await stranger.key.request('GET', resource);
    expect([resource, status, body.error?.details?.[0]?.path]).toEqual([resource, 422, 'purpose']);
  }
  expect(await looks()).toHaveLength(0);
  const shown = await stranger.key.get<Json[]>(`${list}?purpose=PREQUALIFICATION&limit=100`);
  expect(await looks()).toHaveLength(1);
  // Who has looked may look how it goes on.
  const oldest = shown.at(-1)?.id;
  const diff = await stranger.key.get(`${list}/${oldest}/diff`);
  expect(await looks()).toHaveLength(1);
  const known = new Set<string>();
  for (const [member, account] of [
    [lender, own],
    [other, theirs],
  ] as const) {
    for (const { id } of await member.key.get<Json[]>(`/accounts/${account.id}/events`)) {
      known.add(id);
    }
  }
  expect(diff.events.length).toBeGreaterThan(5);
  for (const id of known) expect(JSON.stringify([shown, diff])).not.toContain(id);
  const mine = await lender.key.get(`${list}/${oldest}/diff`);
  expect(mine.events.map((event: Json) => event.credit_event_id !== null)).toEqual(
    mine.events.map(({ own }: Json) => own),
  );
});

it('was at every snapshot what a read of that time says, to the last bit of its input', async () => {
  await settled();
  const snapshots = await lender.key.get<Json[]>(`/credit/${subject.id}/history?limit=100`);
  // Each sees the ids of its own records alone.
  const as_other = await other.key.get<Json[]>(`/credit/${subject.id}/history?limit=100`);
  for (const [index, { trigger }] of snapshots.entries()) {
    trigger.id ??= as_other[index]?.trigger.id;
  }
  const recorded = await Promise.all([
    lender.key.get(`/accounts/${own.id}/events`),
    other.key.get(`/accounts/${theirs.id}/events`),
  ]);
  const at = new Map<string, string>(
    recorded.flat().map((event: Json) => [event.id, event.reported_at]),
  );
  const inquiries = await runSql<{ id: string; created_at: Date }>(
    system,
    'SELECT id, created_at FROM reporting_live.inquiries WHERE subject_id = $1',
    [subject.id],
  );
  for (const { id, created_at } of inquiries) at.set(id, created_at.toISOString());
  const channel = createChannel({
    target: system.runRecord().rpc_addresses.scoring ?? '',
    logger: testLogger,
  });
  try {
    const scoring = channel.stub(ScoringServiceDefinition);
    const ctx = systemContext('live', { institution_id: lender.institution_id });
    for (const { trigger, input_hash, score, as_of } of snapshots) {
      const moment = at.get(trigger.id);
      expect([trigger, moment?.slice(0, 10)]).toEqual([trigger, as_of.slice(0, 10)]);
      const past = await scoring.getProfile(ctx, {
        subject_id: subject.id,
        inquiry_id: newId(),
        purpose: 'ACCOUNT_REVIEW',
        as_of: moment,
        known_at: moment,
      });
      expect([trigger.id, past.credit?.score ?? null, past.input_hash]).toEqual([
        trigger.id,
        score,
        input_hash,
      ]);
    }
  } finally {
    channel.close();
  }
  const triggers = new Set(snapshots.map(({ trigger }) => trigger.type));
  expect(triggers).toEqual(new Set(['EVENT', 'INQUIRY']));
  expect(snapshots.length).toBeGreaterThan(5);
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
  await sleep(20);
  await report(lender, own, { event_type: 'DEFAULT_REPORTED', occurred_at: daysAgo(1) });
  const now = await lender.key.get(`/credit/${subject.id}?${purpose}`);
  expect(now.credit.score).toBeLessThan(told.credit.score);
  const past = await lender.key.get(`/credit/${subject.id}?${purpose}&as_of=${then}`);
  expect(past.credit).toEqual({ ...told.credit, calculated_at: past.credit.calculated_at });
  // How many disputes are open is told of now alone.
  expect(past.risk).toEqual({ ...told.risk, open_dispute_count: null });
  expect(past.reason_codes).toEqual(told.reason_codes);
  const known_later = new Date().toISOString();
  const hindsight = await lender.key.get(
    `/credit/${subject.id}?${purpose}&as_of=${then}&known_at=${known_later}`,
  );
  expect(hindsight.credit.score).toBe(now.credit.score);

  let snapshots: Json[] = [];
  for (let tried = 0; tried < 100; tried += 1) {
    snapshots = await lender.key.get<Json[]>(`/credit/${subject.id}/history`);
    if (snapshots[0]?.score === now.credit.score) break;
    await sleep(50);
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

/** What scoring holds of everybody, in terms that a rebuild must arrive at again. */
async function projections(): Promise<Json[]> {
  return runSql(
    system,
    `SELECT h.subject_id, h.subject_type, h.complete_version, h.early_versions, h.score,
       h.reason_codes,
       (SELECT json_agg(a ORDER BY a.account_id) FROM scoring_live.account_projections a
         WHERE a.subject_id = h.subject_id)::text AS accounts,
       (SELECT json_agg(i ORDER BY i.inquiry_id) FROM scoring_live.inquiry_projections i
         WHERE i.subject_id = h.subject_id)::text AS inquiries
     FROM scoring_live.subject_heads h ORDER BY h.subject_id`,
  );
}

/** Waits until scoring has taken in all that reporting has. */
async function settled(): Promise<void> {
  for (let tried = 0; tried < 200; tried += 1) {
    const behind = await runSql(
      system,
      `SELECT FROM reporting_live.subject_heads r
       LEFT JOIN scoring_live.subject_heads s USING (subject_id)
       WHERE r.version > coalesce(s.complete_version, 0)`,
    );
    if (behind.length === 0) return;
    await sleep(50);
  }
  throw new Error('Scoring did not come to the end.');
}

function run(...args: string[]): { status: number | null; stdout: string } {
  const { status, stdout } = spawnSync(
    process.execPath,
    [path.join(system.root, 'deploy/local/dist/run-command.js'), 'scoring', ...args],
    {
      // The log goes to the same place.
      env: { ...process.env, DATA_DIR: system.data_directory, LOG_LEVEL: 'fatal' },
      encoding: 'utf8',
    },
  );
  return { status, stdout };
}

const TABLES = ['subject_heads', 'account_projections', 'score_snapshots'] as const;

it('is mended by a reconciliation when a message was lost', async () => {
  await settled();
  const kept = await Promise.all(
    TABLES.map((table) =>
      runSql(system, `SELECT * FROM scoring_live.${table} WHERE subject_id = $1`, [subject.id]),
    ),
  );
  const event = await report(lender, own, { event_type: 'DEFAULT_CURED', occurred_at: daysAgo(0) });
  await settled();
  const heard = await projections();
  const [{ complete_version: there }] = heard as [Json];
  // Everything as it was, and the event will not come again: its message was acknowledged.
  for (const [index, table] of TABLES.entries()) {
    await runSql(system, `DELETE FROM scoring_live.${table} WHERE subject_id = $1`, [subject.id]);
    await runSql(
      system,
      `INSERT INTO scoring_live.${table}
       SELECT * FROM json_populate_recordset(NULL::scoring_live.${table}, $1)`,
      [JSON.stringify(kept[index])],
    );
  }
  const { status, stdout } = run('reconcile');
  expect(stdout).toBe(
    'live: 1 subjects, 1 mismatches, 1 mended\n' +
      `  BEHIND ${subject.id}: version ${there - 1} here, ${there} in reporting\n` +
      'test: 0 subjects, 0 mismatches, 0 mended\n',
  );
  expect(status).toBe(0);
  expect(await projections()).toEqual(heard);
  const [latest] = await lender.key.get<Json[]>(`/credit/${subject.id}/history`);
  expect(latest?.trigger).toEqual({ type: 'EVENT', id: event.id });
});

it('is made anew from the record when everything derived is gone or wrong', async () => {
  const before = await lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
  await settled();
  const held = await projections();
  await runSql(
    system,
    `TRUNCATE scoring_live.subject_heads, scoring_live.account_projections,
       scoring_live.inquiry_projections, scoring_live.score_snapshots`,
  );
  const rebuilt = { status: 0, stdout: 'live: 1 subjects rebuilt\ntest: 0 subjects rebuilt\n' };
  expect(run('rebuild-scores')).toEqual(rebuilt);
  expect(await projections()).toEqual(held);
  expect(await lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`)).toEqual({
    ...before,
    credit: { ...before.credit, calculated_at: expect.any(String) },
    inquiry_id: expect.any(String),
  });

  // Further than the record itself: that is for a person to judge, and the exit code says so.
  await settled();
  const right = await projections();
  await runSql(system, 'UPDATE scoring_live.subject_heads SET complete_version = 9999');
  const ahead = run('reconcile');
  expect(ahead.status).toBe(1);
  expect(ahead.stdout).toContain(`AHEAD ${subject.id}: version 9999 here`);
  expect(run('rebuild-scores')).toEqual(rebuilt);
  expect(await projections()).toEqual(right);
  const deep = run('reconcile', '--deep', '--environment', 'live');
  expect(deep).toEqual({ status: 0, stdout: 'live: 1 subjects, 0 mismatches, 0 mended\n' });
});
