import { NIL_UUID } from '@credit/platform/values';
import { type CreditEvent, EventType } from '@credit/proto/reporting/v1/types';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  onDay,
  payment,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();

const lender = institution();

/** Every row of every table that a report could touch. */
async function everything() {
  const tables = await harness.rows<{ name: string }>(
    'live',
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition ORDER BY relname`,
  );
  expect(tables.length).toBeGreaterThan(10);
  return Promise.all(
    tables.map(async ({ name }) => [
      name,
      await harness.rows('live', `SELECT * FROM ${name} AS known ORDER BY known::text`),
    ]),
  );
}

test('shows accounts that would be, and writes nothing', async () => {
  const subject = await newSubject(harness.reporting, lender);
  await newAccount(harness.reporting, lender, { external_account_id: 'taken' });
  const before = await everything();
  const account = accountOf(subject.id);
  const ctx = keyed(lender);
  const single = await harness.reporting.createAccount(ctx, { account, dry_run: true });
  expect(single.account).toMatchObject({ ...account, id: NIL_UUID, version: 1 });
  expect(ctx.reply_metadata.get('dry-run')).toBe('true');
  const batch = { accounts: [account, accountOf(subject.id)], dry_run: true };
  const { accounts } = await harness.reporting.createAccounts(keyed(lender), batch);
  expect(accounts.map(({ id }) => id)).toEqual([NIL_UUID, NIL_UUID]);
  const taken = accountOf(subject.id, { external_account_id: 'taken' });
  expect(
    await refusal(harness.reporting.createAccount(lender, { account: taken, dry_run: true })),
  ).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  expect(await everything()).toEqual(before);
  // The key is still free, for whatever it is used then.
  const { account: real } = await harness.reporting.createAccount(
    { ...ctx, reply_metadata: new Map() },
    { account },
  );
  expect(real?.id).not.toBe(NIL_UUID);
});

test('shows events that would be, one upon the other, and writes nothing', async () => {
  const account = await newAccount(harness.reporting, lender);
  const { event: first } = await harness.reporting.reportEvent(keyed(lender), {
    event: payment(account, 1, { source_reference: 'known' }),
  });
  const before = await everything();
  const late = {
    credit_account_id: account.id,
    event_type: EventType.PAYMENT_LATE,
    occurred_at: onDay(40),
  };
  const current = { ...late, event_type: EventType.ACCOUNT_CURRENT, occurred_at: onDay(50) };
  const { events } = await harness.reporting.reportEvents(keyed(lender), {
    events: [late, current, payment(account, 1, { source_reference: 'known' })],
    dry_run: true,
  });
  expect(events.map(({ id, sequence }) => [id, sequence])).toEqual([
    [NIL_UUID, 3],
    [NIL_UUID, 4],
    [first?.id, 2],
  ]);
  expect(events[0]?.resulting_status).toBe('PAST_DUE');
  const ctx = keyed(lender);
  const { event: single } = await harness.reporting.reportEvent(ctx, {
    event: late,
    dry_run: true,
  });
  expect(single).toMatchObject({ ...late, id: NIL_UUID, sequence: 3 });
  expect(ctx.reply_metadata.get('dry-run')).toBe('true');
  const impossible = { ...late, event_type: EventType.DELINQUENCY_CURED };
  expect(
    await refusal(harness.reporting.reportEvent(lender, { event: impossible, dry_run: true })),
  ).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  expect(await everything()).toEqual(before);
  // The key is still free, and what it is used for then meets nothing of the rehearsals.
  const { event: real } = await harness.reporting.reportEvent(
    { ...ctx, reply_metadata: new Map() },
    { event: current },
  );
  expect(real).toMatchObject({ sequence: 3, resulting_status: 'CURRENT' });
});

/** A loan that was late, and kept up again. */
async function lateLoan() {
  const account = await newAccount(harness.reporting, lender);
  const report = async (event: object): Promise<CreditEvent> => {
    const answer = await harness.reporting.reportEvent(keyed(lender), {
      event: {
        ...payment(account, 1),
        amount_minor: undefined,
        balance_after_minor: undefined,
        ...event,
      },
    });
    if (answer.event === undefined) throw new Error('An event is missing.');
    return answer.event;
  };
  const late = await report({ event_type: EventType.DELINQUENCY_STARTED, occurred_at: onDay(10) });
  const cured = await report({ event_type: EventType.DELINQUENCY_CURED, occurred_at: onDay(40) });
  return { account, late, cured };
}

test('a preview says what a correction would make of the account and of its other events', async () => {
  const { account, late, cured } = await lateLoan();
  const before = await everything();
  const event = {
    credit_account_id: account.id,
    event_type: EventType.CORRECTION,
    occurred_at: onDay(50),
    supersedes_event_id: late.id,
    correction_reason: 'It was paid in time.',
    balance_after_minor: 77_700n,
  };
  const ctx = keyed(lender);
  const preview = await harness.reporting.previewEvent(ctx, { event });
  expect(preview.event).toMatchObject({ id: NIL_UUID, sequence: 4, effect: 'EFFECTIVE' });
  expect(preview.before).toMatchObject({ id: account.id, version: 3 });
  expect(preview.after).toMatchObject({
    id: account.id,
    version: 4,
    current_balance_minor: 77_700n,
  });
  expect(preview.after?.first_delinquency_at).toBeUndefined();
  expect(
    preview.changed_events.map(({ id, effect, superseded_by_event_id }) => ({
      id,
      effect,
      superseded_by_event_id,
    })),
  ).toEqual([
    { id: cured.id, effect: 'IGNORED', superseded_by_event_id: undefined },
    { id: late.id, effect: 'SUPERSEDED', superseded_by_event_id: NIL_UUID },
  ]);
  expect(preview.changed_events_left_off).toBe(0);
  expect(ctx.reply_metadata.has('dry-run')).toBe(false);
  expect(await everything()).toEqual(before);
  // It is what then happens.
  await harness.reporting.reportEvent(keyed(lender), { event });
  const { account: real } = await harness.reporting.getAccount(lender, { account_id: account.id });
  expect({ ...real, updated_at: undefined }).toEqual({ ...preview.after, updated_at: undefined });
});

test('a preview is refused as the event would be', async () => {
  const { account, late } = await lateLoan();
  const event = {
    credit_account_id: account.id,
    event_type: EventType.DEFAULT_CURED,
    occurred_at: onDay(50),
  };
  const tried = (changed: object, as = lender) =>
    refusal(harness.reporting.previewEvent(as, { event: { ...event, ...changed } }));
  expect(await tried({})).toMatchObject({
    code: 'INVALID_STATE_TRANSITION',
    reason: 'TRANSITION_NOT_ALLOWED',
  });
  expect(await tried({ credit_account_id: 'x' })).toMatchObject({ paths: ['credit_account_id'] });
  const correction = { event_type: EventType.CORRECTION, supersedes_event_id: late.id };
  expect(await tried(correction)).toMatchObject({ paths: ['correction_reason'] });
  // Somebody else's account is none.
  expect(await tried({}, institution())).toMatchObject({ code: 'NOT_FOUND' });
});

test('events say how the account stood after each, where that is asked for', async () => {
  const { account, late, cured } = await lateLoan();
  const backdated = await harness.reporting.reportEvent(keyed(lender), {
    event: payment(account, 20, { balance_after_minor: 50_000n }),
  });
  await harness.reporting.reportEvent(keyed(lender), {
    event: {
      credit_account_id: account.id,
      event_type: EventType.CORRECTION,
      occurred_at: onDay(41),
      supersedes_event_id: cured.id,
      correction_reason: 'It was not cured.',
    },
  });
  const list = async (with_standing?: boolean) =>
    (
      await harness.reporting.listAccountEvents(lender, {
        account_id: account.id,
        limit: 25,
        ...(with_standing === undefined ? {} : { with_standing }),
      })
    ).events;
  expect((await list()).map(({ standing }) => standing)).toEqual(Array(5).fill(undefined));
  const said = new Map((await list(true)).map(({ id, standing }) => [id, standing]));
  expect(said.get(late.id)).toMatchObject({
    status: 'DELINQUENT',
    days_past_due: 30,
    bucket: 'DPD_30',
  });
  expect(said.get(backdated.event?.id ?? '')).toMatchObject({
    balance_minor: 50_000n,
    status: 'DELINQUENT',
  });
  expect(said.get(cured.id)).toBeUndefined();
  const page = await harness.reporting.listAccountEvents(lender, {
    account_id: account.id,
    limit: 1,
    with_standing: true,
  });
  expect(page.events[0]?.standing).toMatchObject({ balance_minor: 50_000n, status: 'DELINQUENT' });
});
