import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { RunningRival } from './start';

const WAIT_LIMIT_MS = 10_000;
const AT_ONCE = 8;

/**
 * Asks a rival for each of the duties that it shares with the network; throws at the first that it does
 * not do. Nothing is measured of one that does less.
 */
export async function checkDuties(rival: RunningRival): Promise<void> {
  const database = new pg.Client({ connectionString: rival.admin_url });
  await database.connect();
  try {
    const check = new Check(rival, database);
    await check.refusals();
    await check.event();
    await check.oneKeyOneEffect();
    await check.profile();
    await check.limits();
  } finally {
    await database.end();
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

class Check {
  private readonly account: { id: string; subject_id: string };
  private readonly other: { id: string; subject_id: string };

  constructor(
    private readonly rival: RunningRival,
    private readonly database: pg.Client,
  ) {
    const [account, other] = rival.accounts;
    assert(account !== undefined && other !== undefined);
    this.account = account;
    this.other = other;
  }

  async refusals(): Promise<void> {
    const { id, subject_id } = this.account;
    const events = `/accounts/${id}/events`;
    const profile = `/credit/${subject_id}?purpose=ACCOUNT_REVIEW`;
    const nobody = '00000000-0000-7000-8000-000000000000';
    const payment = { event_type: 'PAYMENT_MADE', occurred_at: '2025-08-01T00:00:00Z' };
    const key = { 'idempotency-key': 'duties-refused' };
    const cases: [number, Promise<Answer>][] = [
      [401, this.ask(profile, { authorization: '' })],
      [401, this.ask(profile, { authorization: `Bearer ${this.rival.token}x` })],
      [401, this.ask(events, { authorization: 'Bearer svc_live_unknown', ...key }, payment)],
      [404, this.ask(`/credit/${nobody}?purpose=ACCOUNT_REVIEW`)],
      [404, this.ask(`/accounts/${nobody}/events`, key, payment)],
      [422, this.ask('/credit/nobody?purpose=ACCOUNT_REVIEW')],
      [422, this.ask(`/credit/${subject_id}?purpose=CURIOSITY`)],
      [422, this.ask(events, {}, payment)],
      [422, this.ask(events, key, { ...payment, balance_afer: 1 })],
      [422, this.ask(events, key, { ...payment, amount: 1.005 })],
      [422, this.ask(events, key, { ...payment, occurred_at: '2999-01-01T00:00:00Z' })],
      [409, this.ask(events, key, { ...payment, event_type: 'DEFAULT_CURED' })],
    ];
    for (const [status, asked] of cases) {
      const answer = await asked;
      assert.equal(answer.status, status, answer.text);
      const { error } = JSON.parse(answer.text);
      assert.ok(error.code && error.message, answer.text);
      assert.equal(error.request_id, answer.headers.get('x-request-id'));
    }
    await this.count('reporting.idempotency_records', "WHERE key = 'duties-refused'", 0);
    await this.count('reporting.inquiries', '', 0);
  }

  async event(): Promise<void> {
    const { id, subject_id } = this.account;
    const body = {
      event_type: 'PAYMENT_MADE',
      occurred_at: '2025-08-01T00:00:00Z',
      amount: 12.34,
      balance_after: 4321.09,
    };
    const path = `/accounts/${id}/events`;
    const headers = { 'idempotency-key': 'duties-event', 'x-request-id': 'duties' };
    const [before] = await this.rows('SELECT count FROM identity.request_counts');
    const answer = await this.ask(path, headers, body);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers.get('x-request-id'), 'duties');
    assert.ok(Number(answer.headers.get('x-ratelimit-remaining')) > 0);
    const event = JSON.parse(answer.text);
    const { id: event_id, reported_at, ...told } = event;
    assert.ok(Date.parse(reported_at) > 0);
    assert.deepEqual(told, {
      credit_account_id: id,
      subject_id,
      event_type: 'PAYMENT_MADE',
      occurred_at: '2025-08-01T00:00:00.000Z',
      sequence: 7,
      amount: 12.34,
      balance_after: 4321.09,
      resulting_status: 'CURRENT',
    });
    const of = `'${event_id}'`;
    await this.count('reporting.credit_events', `WHERE id = ${of} AND amount_minor = 1234`, 1);
    await this.count(
      'reporting.accounts',
      `WHERE id = '${id}' AND version = 7 AND balance_minor = 432109 AND payments = 7`,
      1,
    );
    await this.count(
      'reporting.audit_entries',
      `WHERE resource_id = ${of} AND request_id = 'duties'`,
      1,
    );
    // A new minute may have begun.
    const [after] = await this.rows('SELECT count FROM identity.request_counts');
    assert.notEqual(after?.['count'], before?.['count']);
    // What follows the answer, where services are split.
    await this.eventually('scoring.snapshots', `WHERE event_id = ${of} AND score > 300`, 1);
    await this.eventually('reporting.outbox', '', 0);

    const replay = await this.ask(path, headers, body);
    assert.deepEqual([replay.status, replay.text], [201, answer.text]);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    const changed = await this.ask(path, headers, { ...body, amount: 12.35 });
    assert.equal(changed.status, 409, changed.text);
    const elsewhere = await this.ask(`/accounts/${this.other.id}/events`, headers, body);
    assert.equal(elsewhere.status, 409, elsewhere.text);
    await this.count('reporting.credit_events', `WHERE account_id = '${id}'`, 7);
  }

  async oneKeyOneEffect(): Promise<void> {
    const body = { event_type: 'PAYMENT_MADE', occurred_at: '2025-09-01T00:00:00Z' };
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        this.ask(
          `/accounts/${this.other.id}/events`,
          { 'idempotency-key': 'duties-at-once' },
          body,
        ),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    await this.count('reporting.credit_events', `WHERE account_id = '${this.other.id}'`, 7);
  }

  async profile(): Promise<void> {
    const { subject_id } = this.account;
    const path = `/credit/${subject_id}?purpose=ACCOUNT_REVIEW`;
    const first = await this.ask(path, { 'x-request-id': 'duties' });
    assert.equal(first.status, 200, first.text);
    const profile = JSON.parse(first.text);
    assert.equal(profile.subject.id, subject_id);
    assert.equal(profile.credit.total_balance, 4321.09);
    assert.equal(profile.credit.payments, 7);
    assert.ok(profile.risk.score >= 300 && profile.risk.score <= 850);
    assert.ok(profile.history.length > 0 && profile.reason_codes.length > 0);
    const of = `'${profile.inquiry_id}'`;
    await this.count('reporting.inquiries', `WHERE id = ${of} AND duplicate_of IS NULL`, 1);
    await this.count(
      'reporting.audit_entries',
      `WHERE resource_id = ${of} AND request_id = 'duties'`,
      1,
    );
    const second = JSON.parse((await this.ask(path)).text);
    await this.count(
      'reporting.inquiries',
      `WHERE id = '${second.inquiry_id}' AND duplicate_of = ${of}`,
      1,
    );
    await this.eventually('reporting.outbox', '', 0);

    await this.database.query('UPDATE reporting.subjects SET is_frozen = true WHERE id = $1', [
      subject_id,
    ]);
    const frozen = await this.ask(`/credit/${subject_id}?purpose=NEW_CREDIT`);
    assert.equal(frozen.status, 403, frozen.text);
    await this.count('reporting.inquiries', `WHERE subject_id = '${subject_id}'`, 2);
    await this.database.query('UPDATE reporting.subjects SET is_frozen = false WHERE id = $1', [
      subject_id,
    ]);
  }

  async limits(): Promise<void> {
    const path = `/credit/${this.account.subject_id}?purpose=ACCOUNT_REVIEW`;
    // For this minute and the next one.
    await this.database.query(
      `UPDATE identity.request_counts SET count = 1000000000,
         minute = floor(extract(epoch FROM now()) / 60)`,
    );
    const full = await this.ask(path);
    if (full.status !== 429) {
      await this.database.query('UPDATE identity.request_counts SET count = 1000000000');
      assert.equal((await this.ask(path)).status, 429);
    }
    await this.database.query('UPDATE identity.request_counts SET count = 0');
    await this.database.query("UPDATE identity.institutions SET status = 'SUSPENDED'");
    assert.equal((await this.ask(path)).status, 403);
    await this.database.query("UPDATE identity.institutions SET status = 'ACTIVE'");
    assert.equal((await this.ask(path)).status, 200);
  }

  private async ask(
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ): Promise<Answer> {
    const response = await fetch(`${this.rival.base_url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${this.rival.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  private async rows(text: string): Promise<Record<string, unknown>[]> {
    return (await this.database.query(text)).rows;
  }

  private async counted(table: string, where: string): Promise<number> {
    const [row] = await this.rows(`SELECT count(*)::integer AS count FROM ${table} ${where}`);
    return Number(row?.['count']);
  }

  private async count(table: string, where: string, wanted: number): Promise<void> {
    assert.equal(await this.counted(table, where), wanted, `rows of ${table} ${where}`);
  }

  private async eventually(table: string, where: string, wanted: number): Promise<void> {
    const deadline_ms = performance.now() + WAIT_LIMIT_MS;
    while ((await this.counted(table, where)) !== wanted) {
      if (performance.now() > deadline_ms) await this.count(table, where, wanted);
      await sleep(50);
    }
  }
}
