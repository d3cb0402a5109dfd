import { EventType } from '@credit/proto/reporting/v1/types';
import { NIL_UUID } from '../src/commands/rehearsal';
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
