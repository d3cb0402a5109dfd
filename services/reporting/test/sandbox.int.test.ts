import { randomUUID } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { type CreatePersonaRequest, Persona } from '@credit/proto/reporting/v1/reporting';
import { AccountStatus, EventType, Purpose } from '@credit/proto/reporting/v1/types';
import { PERSONAS_A_DAY } from '../src/commands/create-persona';
import { FURNISHERS, PERSONA_NAMES } from '../src/domain/personas';
import { institution, keyed, refusal, useHarness } from './harness';

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
