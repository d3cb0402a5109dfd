import { randomUUID } from 'node:crypto';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { PERSONA_NAMES } from '@credit/reporting/domain/personas';
import { cellsOf, guideRows, HEADER, type PersonaFigures } from '../support/personas';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

let system: SharedSystem;
let anonymous: Client;
let administrator: Client;
let lender: Member;

beforeAll(async () => {
  system = await sharedSystem();
  anonymous = new Client(system.base_url);
  const { email, password } = system.superadmin;
  administrator = await logIn(anonymous, email, password);
  lender = await enrol(anonymous, administrator, 'Sandbox Lender', 'test');
}, 240_000);

const make = (body: Json, key = `persona-${randomUUID()}`) =>
  lender.key.create('/sandbox/personas', body, key);

const profileOf = (subject_id: string, more = '') =>
  lender.key.get<Json>(`/credit/${subject_id}?purpose=PREQUALIFICATION${more}`);

/** What the feed tells of a subject, as soon as there are so many. */
async function toldOf(subject_id: string, kind: string, count: number): Promise<string[]> {
  for (let tries = 0; tries < 100; tries += 1) {
    const told = (await lender.key.get<Json[]>('/events?limit=100')).filter(
      ({ data, type }) => data.subject_id === subject_id && type.startsWith(kind),
    );
    if (told.length >= count) return told.map(({ type }) => type).sort();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The feed did not tell of it.');
}

function figuresOf({ credit, risk, history, reason_codes }: Json): PersonaFigures {
  return {
    score: credit.score,
    band: credit.band,
    risk: risk.level,
    caps: risk.caps_applied,
    reasons: reason_codes.map(({ code }: Json) => code),
    accounts: history.accounts_by_status,
    on_time: history.on_time_24m,
    late: history.late_24m,
    hard_inquiries: history.hard_inquiries_12m,
    totals: history.totals,
  };
}

test.each(PERSONA_NAMES)('the profile of %s is what the guide says', async (persona) => {
  const { subject } = await make({ persona });
  const profile = await profileOf(subject.id);
  const row = guideRows().get(persona) ?? [];
  const [least, most = least] = (row[HEADER.indexOf('Days past due')] ?? '').split(' to ');
  const days = { least: Number(least), most: Number(most) };
  expect(cellsOf(persona, figuresOf(profile), days)).toEqual(row);
  expect(profile.risk.max_days_past_due).toBeGreaterThanOrEqual(days.least);
  expect(profile.risk.max_days_past_due).toBeLessThanOrEqual(days.most);
  const { factors, score } = profile.credit;
  if (score !== null && profile.risk.caps_applied.length === 0) {
    const points = factors.reduce((sum: number, factor: Json) => sum + factor.points, 0);
    expect(score).toBe(300 + points);
  }
});

test('a persona has the scores of past days too', async () => {
  const { subject } = await make({ persona: 'CURED_DEFAULT' });
  const then = new Date(Date.now() - 950 * 86_400_000).toISOString();
  const now = new Date().toISOString();
  const past = await profileOf(subject.id, `&as_of=${then}&known_at=${now}`);
  expect(past.risk).toMatchObject({ active_defaults: 1, worst_current_status: 'DEFAULTED' });
  expect(await lender.key.get<Json[]>(`/credit/${subject.id}/history`)).not.toEqual([]);
});

test('a default during an application comes by the feed', async () => {
  const { subject } = await make({ persona: 'DEFAULT_DURING_APPLICATION' });
  expect(await toldOf(subject.id, 'credit.', 2)).toEqual([
    'credit.default.reported',
    'credit.delinquency.reported',
  ]);
});

test('a dispute is opened, listed as overdue and decided, and the feed tells of it', async () => {
  const { subject, own_account_ids } = await make({ persona: 'YOUR_ACCOUNT' });
  const [event] = await lender.key.get<Json[]>(`/accounts/${own_account_ids[0]}/events`);
  const { id } = await lender.key.create('/sandbox/disputes', {
    credit_event_id: event?.id,
    opened_days_ago: 31,
  });
  expect(await lender.key.get<Json[]>('/disputes?overdue=true')).toMatchObject([{ id }]);
  const decided = await lender.key.expect(200, 'PATCH', `/sandbox/disputes/${id}`, {
    body: { status: 'RESOLVED_UPHELD', resolution: 'It is as reported.' },
  });
  expect(decided).toMatchObject({ status: 'RESOLVED_UPHELD', overdue: false });
  expect(await toldOf(subject.id, 'dispute.', 2)).toEqual(['dispute.opened', 'dispute.resolved']);
});

test('furnishers of personas are nobody whom the network shows', async () => {
  const { subject } = await make({ persona: 'LONG_CLEAN' });
  const shown = JSON.stringify([
    await profileOf(subject.id),
    await anonymous.get('/public/member-institutions'),
    await administrator.get('/admin/institutions'),
  ]);
  expect(shown).not.toMatch(/0{8}-0000-7000-8000-/);
});

test('what is cleared has left profile and search, and stays readable', async () => {
  const { subject, own_account_ids } = await make({ persona: 'YOUR_ACCOUNT' });
  let done = false;
  while (!done) ({ done } = await lender.key.expect(200, 'DELETE', '/sandbox'));
  expect((await profileOf(subject.id)).reason_codes).toMatchObject([{ code: 'NF01' }]);
  expect(await lender.key.get<Json[]>(`/subjects?q=${subject.current_username}`)).toEqual([]);
  expect(await lender.key.get(`/accounts/${own_account_ids[0]}`)).toMatchObject({
    status: 'CANCELLED',
    voided: true,
  });
});

test('a live key is told why it may not', async () => {
  const { secret } = await lender.owner.create('/api-keys', {
    display_name: 'live',
    scopes: ['credit:report'],
    environment: 'live',
  });
  const answer = await anonymous.request('POST', '/sandbox/personas', {
    token: secret,
    body: { persona: 'THIN_FILE' },
    headers: { 'idempotency-key': `persona-${randomUUID()}` },
  });
  expect(answer.status).toBe(403);
  expect(answer.body.error).toMatchObject({ reason: 'TEST_KEYS_ONLY' });
});
