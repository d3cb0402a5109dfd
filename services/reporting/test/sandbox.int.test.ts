import { randomUUID } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { type CreatePersonaRequest, Persona } from '@credit/proto/reporting/v1/reporting';
import { AccountStatus, EventType, Purpose } from '@credit/proto/reporting/v1/types';
import { PERSONAS_A_DAY } from '../src/commands/create-persona';
import { FURNISHERS, PERSONA_NAMES } from '../src/domain/personas';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();
const DAY_MS = 86_400_000;

const lender = (institution_id: string = randomUUID()) =>
  institution(institution_id, { environment: 'test' });

async function make(ctx: CallContext, request: CreatePersonaRequest) {
  const made = await harness.reporting.createPersona(keyed(ctx), request);
  if (made.subject === undefined) throw new Error('no subject');
  return { ...made, subject_id: made.subject.id };
}

/** Entries of audit logs that the service has told, by the log's institution. */
async function entriesTold(institution_id: string) {
  return (await harness.outbox('test')).flatMap(({ payload }) =>
    payload?.$case === 'audit_recorded' && payload.value.institution_id === institution_id
      ? [payload.value]
      : [],
  );
}

test.each(PERSONA_NAMES)('%s is on record by the ordinary ways', async (name) => {
  const ctx = lender();
  const made = await make(ctx, { persona: Persona[name] });
  const { subject_id } = made;
  expect(made.subject?.display_name).toContain(name.toLowerCase().replaceAll('_', '-'));
  const file = await harness.reporting.getSubjectFile(ctx, { subject_id });
  expect(file.accounts).toHaveLength(made.account_count);
  expect(file.inquiries).toHaveLength(made.inquiry_count);
  const [{ count }] = (await harness.rows<{ count: number }>(
    'test',
    'SELECT count(*)::integer FROM credit_events WHERE subject_id = $1',
    [subject_id],
  )) as [{ count: number }];
  expect(count).toBe(made.event_count);
  const fictional: readonly string[] = Object.values(FURNISHERS);
  const own = file.accounts.filter(({ institution_id }) => !fictional.includes(institution_id));
  expect(own.map(({ account_id }) => account_id)).toEqual(made.own_account_ids);
  for (const account of own) expect(account.institution_id).toBe(ctx.institution_id);
  // Each change of the subject was told.
  const told = (await harness.outbox('test')).flatMap(({ payload }) =>
    (payload?.$case === 'account_changed' && payload.value.account?.subject_id === subject_id) ||
    (payload?.$case === 'inquiry_recorded' && payload.value.subject_id === subject_id)
      ? [payload]
      : [],
  );
  expect(told).toHaveLength(file.subject_version);
});

test('is logged once, for who made it, and in nobody else’s log', async () => {
  const ctx = lender();
  const { subject_id } = await make(ctx, { persona: Persona.ACTIVE_DEFAULT });
  expect(await entriesTold(ctx.institution_id)).toMatchObject([
    { action: 'persona.created', target_id: subject_id },
  ]);
  for (const id of Object.values(FURNISHERS)) expect(await entriesTold(id)).toEqual([]);
});

test('tells of a default those alone who have an application before them', async () => {
  const without = await make(lender(), { persona: Persona.ACTIVE_DEFAULT });
  const ctx = lender();
  const during = await make(ctx, { persona: Persona.DEFAULT_DURING_APPLICATION });
  const receivers = (await harness.outbox('test')).flatMap(({ payload }) =>
    payload?.$case === 'default_reported' ? [payload.value] : [],
  );
  const of = (subject_id: string) => receivers.find((told) => told.subject_id === subject_id);
  expect(of(without.subject_id)?.receiver_institution_ids).toEqual([
    FURNISHERS.BANK,
    FURNISHERS.CARDS,
  ]);
  expect(of(during.subject_id)?.receiver_institution_ids).toContain(ctx.institution_id);
});

test('inquiries stand at their own times in the past, with ids of them', async () => {
  const ctx = lender();
  const { subject_id } = await make(ctx, { persona: Persona.DEFAULT_DURING_APPLICATION });
  const { inquiries } = await harness.reporting.listInquiries(ctx, { limit: 10 });
  expect(inquiries).toMatchObject([{ subject_id, purpose: Purpose.NEW_CREDIT_APPLICATION }]);
  const at_ms = Date.parse(inquiries[0]?.created_at ?? '');
  expect(Date.now() - at_ms).toBeGreaterThan(2 * DAY_MS);
  const { inquiries: within } = await harness.reporting.listInquiries(ctx, {
    limit: 10,
    from: new Date(at_ms - 1_000).toISOString(),
    to: new Date(at_ms + 1_000).toISOString(),
  });
  expect(within).toHaveLength(1);
});

test('an own account can be reported about', async () => {
  const ctx = lender();
  const { own_account_ids } = await make(ctx, { persona: Persona.YOUR_ACCOUNT });
  const account_id = own_account_ids[0] ?? '';
  expect((await harness.accountNow(ctx, account_id)).status).toBe(AccountStatus.DELINQUENT);
  await harness.report(ctx, {
    credit_account_id: account_id,
    event_type: EventType.DELINQUENCY_CURED,
    occurred_at: new Date().toISOString(),
  });
  expect((await harness.accountNow(ctx, account_id)).status).toBe(AccountStatus.CURRENT);
});

test('the same key gives the same persona', async () => {
  const ctx = keyed(lender());
  const first = await harness.reporting.createPersona(ctx, { persona: Persona.THIN_FILE });
  const again = await harness.reporting.createPersona(ctx, { persona: Persona.THIN_FILE });
  expect(again).toEqual(first);
});

test('live data has no personas', async () => {
  const made = harness.reporting.createPersona(keyed(institution()), {
    persona: Persona.THIN_FILE,
  });
  expect(await refusal(made)).toMatchObject({
    code: 'INSUFFICIENT_SCOPE',
    reason: 'TEST_KEYS_ONLY',
  });
});

test.each([
  [{ persona: Persona.UNSPECIFIED }, ['persona']],
  [{ persona: Persona.THIN_FILE, days_past_due: 3 }, ['days_past_due']],
  [{ persona: Persona.RECENT_DELINQUENCY, days_past_due: 0 }, ['days_past_due']],
  [{ persona: Persona.RECENT_DELINQUENCY, days_past_due: 181 }, ['days_past_due']],
  [{ persona: Persona.CURED_DEFAULT, entry_age_days: 180 }, ['entry_age_days']],
  [{ persona: Persona.CURED_DEFAULT, days_past_due: 5 }, ['days_past_due']],
] as const)('names what is wrong with %j', async (request, paths) => {
  const refused = await refusal(harness.reporting.createPersona(keyed(lender()), request));
  expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', paths });
});

test('an institution makes so many a day, and more the next', async () => {
  const ctx = lender();
  const sandbox = [ctx.institution_id, PERSONAS_A_DAY - 1];
  await harness.rows(
    'test',
    `INSERT INTO sandboxes (institution_id, day, personas)
     VALUES ($1, now() AT TIME ZONE 'UTC', $2)`,
    sandbox,
  );
  await make(ctx, { persona: Persona.NO_FILE });
  const refused = refusal(make(ctx, { persona: Persona.NO_FILE }));
  expect(await refused).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    reason: 'PERSONAS_OF_THE_DAY',
  });
  await make(lender(), { persona: Persona.NO_FILE });
  await harness.rows('test', 'UPDATE sandboxes SET day = day - 1 WHERE institution_id = $1', [
    ctx.institution_id,
  ]);
  await make(ctx, { persona: Persona.NO_FILE });
});

describe('clearing', () => {
  async function clear(ctx: CallContext) {
    const sum = { accounts: 0, inquiries: 0, subjects: 0 };
    for (let calls = 0; calls < 50; calls += 1) {
      const { done, ...cleared } = await harness.reporting.clearSandbox(ctx, {});
      for (const key of ['accounts', 'inquiries', 'subjects'] as const) sum[key] += cleared[key];
      if (done) return sum;
    }
    throw new Error('Clearing does not end.');
  }

  const fileOf = (ctx: CallContext, subject_id: string) =>
    harness.reporting.getSubjectFile(ctx, { subject_id });

  const look = (ctx: CallContext, subject_id: string) =>
    harness.reporting.recordInquiry(keyed(ctx), {
      inquiry_id: newId(),
      subject_id,
      purpose: Purpose.NEW_CREDIT_APPLICATION,
    });

  test('takes all that the institution made off the file, and frees its names', async () => {
    const ctx = lender();
    const subject = await newSubject(harness.reporting, ctx);
    const account = await newAccount(harness.reporting, ctx, {
      subject_id: subject.id,
      external_account_id: 'mine',
    });
    await look(ctx, subject.id);
    const persona = await make(ctx, { persona: Persona.DEFAULT_DURING_APPLICATION });
    expect(await clear(ctx)).toEqual({ accounts: 1, inquiries: 2, subjects: 2 });
    for (const id of [subject.id, persona.subject_id]) {
      const file = await fileOf(ctx, id);
      expect(file.accounts.every(({ voided }) => voided)).toBe(true);
      expect(file.inquiries.every(({ voided_at }) => voided_at !== undefined)).toBe(true);
    }
    // Nothing is deleted, and all of it is free to be made again.
    expect((await harness.eventsOf(ctx, account.id)).map(({ event_type }) => event_type)).toEqual([
      EventType.CORRECTION,
      EventType.ACCOUNT_OPENED,
    ]);
    const { subjects } = await harness.reporting.searchSubjects(ctx, {
      q: subject.current_username ?? '',
      limit: 10,
    });
    expect(subjects).toEqual([]);
    const { subject: again } = await harness.reporting.createSubject(keyed(ctx), {
      type: subject.type,
      game_uuid: subject.game_uuid,
      current_username: subject.current_username,
    });
    expect(again?.id).not.toBe(subject.id);
    await newAccount(harness.reporting, ctx, {
      subject_id: again?.id ?? '',
      external_account_id: 'mine',
    });
  });

  test('does nothing when there is nothing to do', async () => {
    const ctx = lender();
    await make(ctx, { persona: Persona.YOUR_ACCOUNT });
    await clear(ctx);
    const before = await harness.outbox('test');
    expect(await clear(ctx)).toEqual({ accounts: 0, inquiries: 0, subjects: 0 });
    expect(await harness.outbox('test')).toHaveLength(before.length);
  });

  test('touches nothing of others, nor subjects that they use', async () => {
    const ctx = lender();
    const other = lender();
    const shared = await newSubject(harness.reporting, ctx);
    await newAccount(harness.reporting, ctx, { subject_id: shared.id });
    const theirs = await newAccount(harness.reporting, other, { subject_id: shared.id });
    const looked = await newSubject(harness.reporting, ctx);
    await look(other, looked.id);
    const persona = await make(other, { persona: Persona.THIN_FILE });
    expect(await clear(ctx)).toEqual({ accounts: 1, inquiries: 0, subjects: 0 });
    expect((await harness.accountNow(other, theirs.id)).voided).toBe(false);
    expect((await fileOf(other, looked.id)).inquiries[0]?.voided_at).toBeUndefined();
    expect((await fileOf(other, persona.subject_id)).accounts[0]?.voided).toBe(false);
    const { subject } = await harness.reporting.getSubjectByGameUuid(ctx, {
      game_uuid: shared.game_uuid ?? '',
    });
    expect(subject?.id).toBe(shared.id);
  });

  test('takes an account off whose opening was corrected, and costs no health', async () => {
    const ctx = lender();
    const account = await newAccount(harness.reporting, ctx, {});
    const [opening] = await harness.eventsOf(ctx, account.id);
    await harness.report(ctx, {
      credit_account_id: account.id,
      event_type: EventType.CORRECTION,
      occurred_at: new Date().toISOString(),
      supersedes_event_id: opening?.id,
      correction_reason: 'Another currency.',
      corrected_account: { currency: 'EUR' },
    });
    const health = await harness.reporting.getReportingHealth(ctx, {});
    await clear(ctx);
    expect((await harness.accountNow(ctx, account.id)).voided).toBe(true);
    const accuracy = ({ metrics }: typeof health) =>
      metrics.find(({ name }) => name === 'ACCURACY');
    expect(accuracy(await harness.reporting.getReportingHealth(ctx, {}))?.value).toEqual(
      accuracy(health)?.value,
    );
  });

  test('goes on where a call has ended', async () => {
    const ctx = lender();
    const subject = await newSubject(harness.reporting, ctx);
    for (let batch = 0; batch < 6; batch += 1) {
      await harness.reporting.createAccounts(keyed(ctx), {
        accounts: Array.from({ length: 100 }, () => accountOf(subject.id)),
      });
    }
    const first = await harness.reporting.clearSandbox(ctx, {});
    expect(first.done).toBe(false);
    expect(first.accounts).toBeLessThanOrEqual(500);
    expect((await clear(ctx)).accounts).toBe(600 - first.accounts);
  }, 60_000);

  test('two at a time clear each record once', async () => {
    const ctx = lender();
    for (let made = 0; made < 3; made += 1) await make(ctx, { persona: Persona.YOUR_ACCOUNT });
    const [a, b] = await Promise.all([clear(ctx), clear(ctx)]);
    expect(a.accounts + b.accounts).toBe(3);
    expect(a.subjects + b.subjects).toBe(3);
  });

  test('live data is not cleared', async () => {
    const ctx = institution();
    const account = await newAccount(harness.reporting, ctx);
    expect(await refusal(harness.reporting.clearSandbox(ctx, {}))).toMatchObject({
      reason: 'TEST_KEYS_ONLY',
    });
    expect((await harness.accountNow(ctx, account.id)).voided).toBe(false);
  });
});
