import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Json, type Member } from '@credit/local/demo/client';
import { type Receiver, startReceiver } from '@credit/local/demo/receiver';
import { type System, startSystem } from '@credit/local/spawned-system';
import { company } from '../support/company';
import { eventually } from '../support/eventually';
import { holdRows, runSql } from '../support/postgres';

const SETTINGS = {
  RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '1000',
  // A process that was killed is succeeded soon.
  DISPUTES_LEASE_MS: '1000',
  DISPUTES_POLL_MS: '200',
};
const DAY_MS = 86_400_000;

let system: System;
let receiver: Receiver;
let anonymous: Client;
let administrator: Client;
let lender: Member;
let neighbour: Member;

beforeAll(async () => {
  system = await startSystem(SETTINGS);
  receiver = await startReceiver(system.data_directory);
  ({
    anonymous,
    administrator,
    members: { lender, neighbour },
  } = await company(system, {
    lender: 'Contested Lender',
    neighbour: 'Neighbour of the Contested',
  }));
  await lender.key.create('/webhooks', {
    url: `${receiver.url}/contested`,
    events: ['credit.default.reported', 'credit.default.voided'],
  });
}, 240_000);

afterAll(async () => {
  await receiver?.stop();
  await system?.stop();
}, 60_000);

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** An individual with a loan at each of the two, so that there is a score without either. */
async function borrower(): Promise<{ subject: Json; account: Json }> {
  const subject = await lender.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `player-${randomUUID().slice(0, 13)}`,
  });
  const open = ({ key }: Member) =>
    key.create(
      '/accounts',
      {
        subject_id: subject.id,
        external_account_id: `loan-${randomUUID()}`,
        account_type: 'TERM_LOAN',
        original_principal: 1000,
        opened_at: daysAgo(700),
      },
      `open-${randomUUID()}`,
    );
  await open(neighbour);
  return { subject, account: await open(lender) };
}

const report = (account: Json, event_type: string, days: number, fields: Json = {}) =>
  lender.key.create(
    `/accounts/${account.id}/events`,
    { event_type, occurred_at: daysAgo(days), ...fields },
    `event-${randomUUID()}`,
  );

const profile = (subject: Json, member = lender): Promise<Json> =>
  member.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
const scoreOf = async (subject: Json) => (await profile(subject)).credit.score;

const contest = (fields: Json): Promise<Json> =>
  anonymous.create('/public/disputes', {
    opened_by: 'stonecutter',
    reason: 'INCORRECT_STATUS',
    description: 'There was no default: the loan was paid in time.',
    ...fields,
  });

const decide = (dispute: Json, body: Json, as = administrator): Promise<Json> =>
  as.expect(200, 'PATCH', `/admin/disputes/${dispute.id}`, { body });

const eventsOf = (account: Json): Promise<Json[]> =>
  lender.key
    .get<Json[]>(`/accounts/${account.id}/events?limit=100`)
    .then((events) => events.toReversed());
const typesOf = async (account: Json) => (await eventsOf(account)).map((one) => one.event_type);

/** The institution's feed about a subject, by name, oldest first. */
async function feedOf(subject: Json, member = lender): Promise<Json[]> {
  const events = await member.key.get<Json[]>('/events?limit=100');
  return events.filter(({ data }: Json) => data.subject_id === subject.id);
}

const notices = (subject: Json) =>
  receiver.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.subject_id === subject.id)
    .map(({ type }) => type);

describe('a default that never was', () => {
  let subject: Json;
  let account: Json;
  let wrong: Json;
  let dispute: Json;
  let before: Json;
  let defaulted: Json;

  beforeAll(async () => {
    ({ account, subject } = await borrower());
    before = await profile(subject);
    wrong = await report(account, 'DEFAULT_REPORTED', 20);
    defaulted = await profile(subject);
    await eventually(
      async () => notices(subject),
      (types) => types.length === 1,
    );
    dispute = await contest({ credit_event_id: wrong.id });
  }, 60_000);

  it('is contested by anyone, which changes no score', async () => {
    expect(dispute).toMatchObject({
      status: 'OPEN',
      credit_event_id: wrong.id,
      subject_id: null,
      overdue: false,
      access_token: expect.stringMatching(/^svc_dt_/),
    });
    expect(Date.parse(dispute.due_at) - Date.parse(dispute.opened_at)).toBe(30 * DAY_MS);
    expect(defaulted.credit.score).toBeLessThan(before.credit.score);
    const contested = await profile(subject);
    expect(contested.credit.score).toBe(defaulted.credit.score);
    expect(contested.risk).toMatchObject({ active_defaults: 1, disputed_account_count: 0 });
    expect(await typesOf(account)).toEqual(['ACCOUNT_OPENED', 'DEFAULT_REPORTED']);
  });

  it('is shown to its furnisher, and to no other institution', async () => {
    const { access_token: _, ...shown } = dispute;
    expect(await lender.key.get('/disputes')).toEqual([shown]);
    expect(await lender.owner.get('/disputes?overdue=false&status=OPEN')).toEqual([shown]);
    expect(await neighbour.key.get('/disputes')).toEqual([]);
    const filter = `reported_institution_id=${lender.institution_id}&overdue=false`;
    // The desk sees what it is grouped with; to others that would tell of them.
    const at_the_desk = { ...shown, group_id: dispute.id, group_size: 1 };
    expect(await administrator.get(`/disputes?${filter}`)).toEqual([at_the_desk]);
    expect(await administrator.get(`/disputes?${filter}&status=REJECTED`)).toEqual([]);
  });

  it('is left out of the score while it is under review', async () => {
    const body = { status: 'UNDER_REVIEW' };
    expect(await decide(dispute, body)).toMatchObject({ ...body, resolved_at: null });
    const reviewed = await profile(subject);
    expect(reviewed.risk).toMatchObject({ active_defaults: 0, disputed_account_count: 1 });
    expect(reviewed.credit.score).toBeGreaterThan(defaulted.credit.score);
    const shown = await lender.key.get<Json[]>(`/accounts?subject_id=${subject.id}`);
    expect(shown[0]?.status).toBe('DISPUTED');
  });

  it('is corrected, and the score is what it was', async () => {
    const body = { status: 'RESOLVED_CORRECTED', resolution: 'The ledger shows every payment.' };
    const corrected = await decide(dispute, body);
    const [opened, original, flag, correction, end] = await eventsOf(account);
    expect(corrected).toMatchObject({
      ...body,
      correction_event_id: correction?.id,
      correction_pending: false,
      resolved_at: expect.stringMatching(/Z$/),
    });
    expect([opened, original, flag, correction, end].map((one) => one?.event_type)).toEqual([
      'ACCOUNT_OPENED',
      'DEFAULT_REPORTED',
      'DISPUTE_OPENED',
      'CORRECTION',
      'DISPUTE_RESOLVED',
    ]);
    expect(original).toMatchObject({
      effect: 'SUPERSEDED',
      superseded_by_event_id: correction?.id,
    });
    expect(correction).toMatchObject({
      supersedes_event_id: wrong.id,
      correction_reason: body.resolution,
      source_reference: `dispute:${dispute.id}`,
    });
    const mended = await profile(subject);
    expect(mended.credit.score).toBe(before.credit.score);
    // That the dispute is over comes to the record by a message of its own.
    const { open_dispute_count: _, ...risk } = mended.risk;
    expect(before.risk).toMatchObject({ ...risk, open_dispute_count: 0 });
    await eventually(
      () => profile(subject),
      (later) => later.risk.open_dispute_count === 0,
    );
    for (const status of ['UNDER_REVIEW', 'REJECTED', 'RESOLVED_CORRECTED']) {
      const again = await administrator.request('PATCH', `/admin/disputes/${dispute.id}`, {
        body: { status, resolution: 'Once more.' },
      });
      expect(again.status).toBe(409);
    }
  });

  it('is followed by its opener, with the token alone', async () => {
    const path = `/public/disputes/${dispute.id}`;
    const seen = await anonymous.as(dispute.access_token).get(path);
    expect(seen).toMatchObject({ id: dispute.id, status: 'RESOLVED_CORRECTED' });
    expect(seen).not.toHaveProperty('access_token');
    const unknown = `/public/disputes/${randomUUID()}`;
    const wrong_token = `svc_dt_${'A'.repeat(43)}`;
    const nothing = await anonymous.request('GET', path);
    expect([nothing.status, nothing.body.error.reason]).toEqual([401, 'NO_CREDENTIAL']);
    const refusals = await Promise.all([
      anonymous.as(wrong_token).request('GET', path),
      anonymous.as(wrong_token).request('GET', unknown),
      anonymous.as(dispute.access_token).request('GET', unknown),
      administrator.request('GET', path),
      lender.key.request('GET', path),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 401));
    expect(new Set(refusals.map(({ body }) => body.error.message)).size).toBe(1);
  });

  it('stays in the report beside what corrects it', async () => {
    const { id } = await neighbour.key.create('/reports', {
      subject_id: subject.id,
      report_type: 'FULL',
      format: 'JSON',
      purpose: 'ACCOUNT_REVIEW',
    });
    const { content } = await eventually(
      () => neighbour.key.get(`/reports/${id}`),
      ({ status }) => status !== 'PENDING',
    );
    const recorded = (type: string) =>
      content.events.find(({ event_type }: Json) => event_type === type);
    const correction = recorded('CORRECTION');
    expect(recorded('DEFAULT_REPORTED')).toMatchObject({
      event_id: wrong.id,
      effect: 'SUPERSEDED',
      superseded_by_event_id: correction.event_id,
    });
    expect(correction).toMatchObject({ supersedes_event_id: wrong.id });
    expect(content.disputes).toEqual([
      expect.objectContaining({
        opened_at: expect.stringMatching(/Z$/),
        resolved_at: expect.stringMatching(/Z$/),
      }),
    ]);
    expect(content.credit.score).toBe(before.credit.score);
  });

  it('counts against its furnisher’s reporting health, and is in the logs', async () => {
    const metricOf = async (member: Member) => {
      const { metrics } = await member.key.get('/institutions/me/reporting-health');
      return metrics.find(({ name }: Json) => name === 'DISPUTES').numerator;
    };
    await eventually(
      () => metricOf(lender),
      (numerator) => numerator === 1,
    );
    expect(await metricOf(neighbour)).toBe(0);
    const [corrected] = await eventually(
      async () =>
        (await lender.owner.get<Json[]>('/audit?limit=100')).filter(
          ({ action, actor }) => actor.type === 'user' && action.startsWith('event'),
        ),
      ({ length }) => length > 0,
    );
    expect(corrected?.target).toMatchObject({ type: 'account', id: account.id });
    // Who opened it stays out of the furnisher's log.
    const logged = await eventually(
      async () =>
        (await administrator.get<Json[]>('/admin/audit?limit=100')).filter(
          ({ target }) => target.id === dispute.id,
        ),
      ({ length }) => length >= 3,
    );
    expect(logged.map(({ action, actor }) => `${actor.type} ${action}`).reverse()).toEqual([
      'anonymous dispute.opened',
      'user dispute.reviewed',
      'user dispute.resolved',
    ]);
    expect(logged[0]?.changes).toMatchObject({
      status: { from: 'UNDER_REVIEW', to: 'RESOLVED_CORRECTED' },
    });
  });

  it('is in the furnisher’s feed, and causes no webhook', async () => {
    const names = ['credit.default.reported', 'dispute.opened', 'dispute.resolved'];
    const ends = ['credit.default.voided', 'credit.record.corrected'];
    const feed = await eventually(
      () => feedOf(subject),
      ({ length }) => length >= names.length + ends.length,
    );
    // What became of the default and of the record comes by ways of its own, and may overtake.
    const others = feed.filter(({ type }) => !ends.includes(type));
    expect(others.map(({ type }) => type)).toEqual(names);
    for (const end of ends) {
      expect(feed.filter(({ type }) => type === end)).toMatchObject([
        { data: { credit_event_id: wrong.id, account_id: account.id } },
      ]);
    }
    const [, opened, resolved] = others;
    const record = {
      dispute_id: dispute.id,
      subject_id: subject.id,
      account_id: account.id,
      credit_event_id: wrong.id,
      reason: 'INCORRECT_STATUS',
    };
    expect(opened?.data).toEqual({
      ...record,
      opened_at: dispute.opened_at,
      due_at: dispute.due_at,
    });
    expect(resolved?.data).toMatchObject({
      ...record,
      status: 'RESOLVED_CORRECTED',
      correction_pending: false,
    });
    expect(
      (await feedOf(subject, neighbour)).filter(({ type }) => type.startsWith('dispute.')),
    ).toEqual([]);
    await eventually(
      async () => notices(subject),
      ({ length }) => length >= 2,
    );
    expect(notices(subject)).toEqual(['credit.default.reported', 'credit.default.voided']);
    const refused = await lender.key.request('POST', '/webhooks', {
      body: { url: `${receiver.url}/disputes`, events: ['dispute.opened'] },
    });
    expect(refused.status).toBe(422);
  });
});

describe('a dispute that is lost', () => {
  it.each(['RESOLVED_UPHELD', 'REJECTED'])(
    '%s leaves score and record as they were',
    async (status) => {
      const { account, subject } = await borrower();
      const late = await report(account, 'PAYMENT_LATE', 40);
      const before = await profile(subject);
      const record = await eventsOf(account);
      const dispute = await contest({ credit_event_id: late.id, reason: 'PAYMENT_REPORTED_LATE' });
      await decide(dispute, { status: 'UNDER_REVIEW' });
      expect(await scoreOf(subject)).not.toBe(before.credit.score);
      const ended = await decide(dispute, { status, resolution: 'The ledger is right.' });
      expect(ended).toMatchObject({ status, correction_event_id: null, correction_pending: false });
      expect(await scoreOf(subject)).toBe(before.credit.score);
      // How many disputes are open of an event is counted a moment later.
      const kept = await eventually(
        async () => (await eventsOf(account)).slice(0, record.length),
        (events) => events.every(({ open_dispute_count }) => open_dispute_count === 0),
      );
      expect(kept).toEqual(record);
      expect(await typesOf(account)).toEqual([
        'ACCOUNT_OPENED',
        'PAYMENT_LATE',
        'DISPUTE_OPENED',
        'DISPUTE_RESOLVED',
      ]);
      const feed = await eventually(
        () => feedOf(subject),
        ({ length }) => length >= 2,
      );
      expect(feed.map(({ type }) => type)).toEqual(['dispute.opened', 'dispute.resolved']);
      expect(feed[1]?.data).toMatchObject({ status, correction_event_id: null });
      expect(notices(subject)).toEqual([]);
    },
  );
});

it('tells subscribers of a default that only a correction brings to light', async () => {
  const { account, subject } = await borrower();
  const late = await report(account, 'PAYMENT_LATE', 40);
  const dispute = await contest({ credit_event_id: late.id });
  const incomplete = await administrator.request('PATCH', `/admin/disputes/${dispute.id}`, {
    body: {
      status: 'RESOLVED_CORRECTED',
      resolution: 'It was a payment.',
      correction: { corrected_event_type: 'PAYMENT_MADE' },
    },
  });
  expect(incomplete.status).toBe(422);
  expect(incomplete.body.error.details).toEqual([
    { path: 'correction.amount', message: expect.anything() },
  ]);
  await decide(dispute, {
    status: 'RESOLVED_CORRECTED',
    resolution: 'The borrower had defaulted already.',
    correction: { corrected_event_type: 'DEFAULT_REPORTED', default_severity: 'MINOR' },
  });
  await eventually(
    async () => notices(subject),
    (types) => types.length > 0,
  );
  expect((await profile(subject)).risk.active_defaults).toBe(1);
  expect(notices(subject)).toEqual(['credit.default.reported']);
});

describe('a dispute that names no event', () => {
  it('suspends the lender’s accounts of the subject until its outcome', async () => {
    const { account, subject } = await borrower();
    await report(account, 'DEFAULT_REPORTED', 100);
    const before = await profile(subject);
    const dispute = await contest({
      subject_id: subject.id,
      reported_institution_id: lender.institution_id,
      reason: 'FRAUD',
    });
    const elsewhere = await administrator.request('PATCH', `/admin/disputes/${dispute.id}`, {
      body: { status: 'UNDER_REVIEW', account_ids: [randomUUID()] },
    });
    expect([elsewhere.status, elsewhere.body.error.details[0].path]).toEqual([
      422,
      'account_ids[0]',
    ]);
    await decide(dispute, { status: 'UNDER_REVIEW' });
    const reviewed = await profile(subject);
    expect(reviewed.risk).toMatchObject({ active_defaults: 0, disputed_account_count: 1 });
    expect(reviewed.credit.score).toBeGreaterThan(before.credit.score);
    await decide(dispute, { status: 'RESOLVED_UPHELD', resolution: 'The contract is signed.' });
    expect((await profile(subject)).credit.score).toBe(before.credit.score);
  });

  it('voids an unauthorised inquiry', async () => {
    const { subject } = await borrower();
    const look = await neighbour.key.create('/inquiries', {
      subject_id: subject.id,
      purpose: 'NEW_CREDIT_APPLICATION',
    });
    const dispute = await contest({
      subject_id: subject.id,
      reported_institution_id: neighbour.institution_id,
      reason: 'UNAUTHORISED_INQUIRY',
    });
    const corrected = await decide(dispute, {
      status: 'RESOLVED_CORRECTED',
      resolution: 'There was no application.',
    });
    expect(corrected).toMatchObject({
      voided_inquiry_ids: [look.id],
      correction_pending: false,
    });
  });
});

describe('an outcome', () => {
  const refusedFrom = async (path: string, body: Json) => {
    const { status } = await lender.key.request('POST', path, {
      body,
      headers: { 'idempotency-key': `again-${randomUUID()}` },
    });
    return status;
  };

  it('takes somebody else’s account off the file for good', async () => {
    const { account, subject } = await borrower();
    await report(account, 'DEFAULT_REPORTED', 100);
    const [opening] = await eventsOf(account);
    const dispute = await contest({ credit_event_id: opening?.id, reason: 'NOT_MY_ACCOUNT' });
    await decide(dispute, { status: 'UNDER_REVIEW' });
    const outcome = { status: 'RESOLVED_CORRECTED', resolution: 'The borrower is another.' };
    expect(await decide(dispute, outcome)).toMatchObject({ ...outcome, correction_pending: false });
    const mended = await profile(subject, neighbour);
    expect(mended.risk).toMatchObject({ active_defaults: 0, disputed_account_count: 0 });
    const same = {
      subject_id: subject.id,
      account_type: account.account_type,
      original_principal: account.original_principal,
      opened_at: account.opened_at,
    };
    expect(
      await refusedFrom('/accounts', { ...same, external_account_id: `new-${randomUUID()}` }),
    ).toBe(409);
  });

  it('on a default lasts, whatever its furnisher sends', async () => {
    const { account, subject } = await borrower();
    const wrong = await report(account, 'DEFAULT_REPORTED', 100);
    const dispute = await contest({ credit_event_id: wrong.id });
    const outcome = { status: 'RESOLVED_CORRECTED', resolution: 'It was paid.' };
    const { correction_event_id } = await decide(dispute, outcome);
    const events = `/accounts/${account.id}/events`;
    const attempts = [
      {
        event_type: 'CORRECTION',
        occurred_at: daysAgo(0),
        supersedes_event_id: correction_event_id,
        correction_reason: 'It was not.',
      },
      { event_type: 'DEFAULT_REPORTED', occurred_at: daysAgo(100) },
      { event_type: 'ACCOUNT_WRITTEN_OFF', occurred_at: daysAgo(99) },
    ];
    for (const attempt of attempts) expect(await refusedFrom(events, attempt)).toBe(409);
    expect((await profile(subject)).risk.active_defaults).toBe(0);
  });
});

describe('of two who dispute one record', () => {
  it('a stranger’s rubbish decides nothing for the borrower, and reads nothing', async () => {
    const { account } = await borrower();
    const late = await report(account, 'PAYMENT_LATE', 40);
    const rubbish = await contest({ credit_event_id: late.id, opened_by: 'nobody' });
    const own = await contest({ credit_event_id: late.id, opened_by: 'ada@example.org' });
    await decide(rubbish, { status: 'REJECTED', resolution: 'Nobody can be identified.' });
    const read = (dispute: Json) =>
      anonymous.as(dispute.access_token).get<Json>(`/public/disputes/${dispute.id}`);
    expect(await read(own)).toMatchObject({ status: 'OPEN', resolution: null, group_id: null });
    const another = await contest({ credit_event_id: late.id, opened_by: 'somebody else' });
    const outcome = { status: 'RESOLVED_UPHELD', resolution: 'Ada paid two days late.' };
    await decide(own, { ...outcome, apply_to_group: true });
    expect(await read(own)).toMatchObject(outcome);
    expect(await read(another)).toMatchObject({ status: 'RESOLVED_UPHELD', resolution: null });
    expect(await read(rubbish)).toMatchObject({ status: 'REJECTED' });
    const spreading = await contest({ credit_event_id: late.id });
    const refused = await administrator.request('PATCH', `/admin/disputes/${spreading.id}`, {
      body: { status: 'REJECTED', resolution: 'All of them.', apply_to_group: true },
    });
    expect(refused.status).toBe(422);
  });
});

it('answers an intake about nothing like one about something', async () => {
  const { account } = await borrower();
  const late = await report(account, 'PAYMENT_LATE', 40);
  const answers = await Promise.all(
    [late.id, randomUUID(), late.id].map((credit_event_id) =>
      anonymous.request('POST', '/public/disputes', {
        body: {
          credit_event_id,
          opened_by: 'anyone',
          reason: 'OTHER',
          description: 'I contest this record as a whole.',
          evidence_links: ['http://files.example/1', 'https://files.example/2'],
        },
      }),
    ),
  );
  const shapes = answers.map(({ body, status }) => ({ status, fields: Object.keys(body) }));
  expect(shapes).toEqual(shapes.map(() => ({ status: 201, fields: shapes[0]?.fields })));
  for (const { body } of answers) expect(body).toMatchObject({ status: 'OPEN', overdue: false });
  const refused = await anonymous.request('POST', '/public/disputes', {
    body: {
      opened_by: 'anyone',
      reason: 'BECAUSE',
      description: 'too short',
      evidence_links: ['ftp://files.example', ...Array.from({ length: 10 }, () => 'https://a.b')],
    },
  });
  expect(refused.status).toBe(422);
  expect(refused.body.error.details.map(({ path }: Json) => path).sort()).toEqual(
    expect.arrayContaining(['description', 'evidence_links', 'reason']),
  );
});

describe.each(['disputes', 'reporting'])('when %s is killed', (name) => {
  /** The latest process of the service. */
  const kill = () => {
    const victim = system.runRecord().processes.findLast((one) => one.name === name);
    if (victim === undefined) throw new Error(`${name} does not run.`);
    process.kill(victim.pid, 'SIGKILL');
  };

  /** Kills it while reporting has the step in hand: its rows are held, so that it cannot finish. */
  async function decideWhileKilling(
    dispute: Json,
    account: Json,
    body: Json,
    step: string,
  ): Promise<void> {
    const release = await holdRows(
      system,
      'SELECT FROM reporting_live.subject_heads WHERE subject_id = $1 FOR UPDATE',
      [account.subject_id],
    );
    const path = `/admin/disputes/${dispute.id}`;
    const first = administrator.request('PATCH', path, { body });
    const interrupted = first.then(
      ({ status }) => status >= 500,
      () => true,
    );
    await eventually(
      () =>
        runSql<{ step: string }>(
          system,
          `SELECT step FROM disputes_live.dispute_moves WHERE dispute_id = $1 AND state = 'PENDING'`,
          [dispute.id],
        ),
      ([pending]) => pending?.step === step,
    );
    await sleep(50);
    kill();
    await release();
    // Reporting may be back before the one that asked it has given up.
    if (name === 'disputes') expect(await interrupted).toBe(true);
    await interrupted;
    const patient = new Client(system.base_url, administrator.token, { patience_ms: 30_000 });
    const { status } = await patient.request('PATCH', path, { body });
    // 409: it was completed before it was repeated.
    expect([200, 409]).toContain(status);
  }

  it('amid a decision, it is completed once', async () => {
    const { account, subject } = await borrower();
    const late = await report(account, 'PAYMENT_LATE', 40);
    const dispute = await contest({ credit_event_id: late.id });
    await decideWhileKilling(dispute, account, { status: 'UNDER_REVIEW' }, 'SETTLE');
    const follow = () => anonymous.as(dispute.access_token).get(`/public/disputes/${dispute.id}`);
    expect((await follow()).status).toBe('UNDER_REVIEW');
    const outcome = { status: 'RESOLVED_CORRECTED', resolution: 'It was paid in time.' };
    await decideWhileKilling(dispute, account, outcome, 'CORRECT');
    expect(await follow()).toMatchObject(outcome);
    const key = new Client(system.base_url, lender.key.token, { patience_ms: 20_000 });
    const events = await key.get<Json[]>(`/accounts/${account.id}/events`);
    expect(events.map(({ event_type }) => event_type).toReversed()).toEqual([
      'ACCOUNT_OPENED',
      'PAYMENT_LATE',
      'DISPUTE_OPENED',
      'CORRECTION',
      'DISPUTE_RESOLVED',
    ]);
    const feed = await eventually(
      () => feedOf(subject),
      ({ length }) => length >= 3,
    );
    expect(feed.map(({ type }) => type).sort()).toEqual([
      'credit.record.corrected',
      'dispute.opened',
      'dispute.resolved',
    ]);
  }, 120_000);
});
