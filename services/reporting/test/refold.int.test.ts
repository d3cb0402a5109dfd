// Rows as the first version left them, before and after they are folded anew.

import { randomUUID } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { AccountStatus, EventEffect, EventType } from '@credit/proto/reporting/v1/types';
import { refoldStates } from '../src/commands/refold-states';
import { verifyRecordCommand } from '../src/operator/verify-record-command';
import { institution, keyed, newAccount, onDay, payment, refusal, useHarness } from './harness';

const harness = useHarness();
const lender = institution();
const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });

/** Rewrites the rows as they were before states had a version. */
async function asBefore(account_id: string, state: object): Promise<void> {
  await harness.rows(
    'live',
    `UPDATE accounts SET settled = NULL, state = (
       ((state::jsonb - 'v' - 'status_since_ms' - 'furnisher_flag' - 'payment_count')
         || jsonb_build_object('furnisher_dispute', false)) || $2::jsonb)::json
     WHERE id = $1`,
    [account_id, JSON.stringify(state)],
  );
  await harness.rows('live', 'DELETE FROM state_refolds');
}

async function refoldAll(): Promise<void> {
  while (await refoldStates(harness.db, 'live', harness.clock)) {
    // There is more.
  }
}

async function verify() {
  const lines: string[] = [];
  return { right: await verifyRecordCommand(harness, [], (line) => lines.push(line)), lines };
}

test('states of earlier rules are folded out of their records, told, and done once', async () => {
  const account = await newAccount(harness.reporting, lender);
  const event = payment(account, 100, {
    event_type: EventType.DEFAULT_REPORTED,
    amount_minor: undefined,
  });
  const defaulted = await harness.report(lender, event);
  const now = await harness.accountNow(lender, account.id);
  expect(now.days_past_due).toBeGreaterThan(90);
  // The first version counted nothing before a late payment; here the episode is lost altogether.
  await asBefore(account.id, { episodes: [] });
  expect((await harness.accountNow(lender, account.id)).days_past_due).toBe(0);
  expect((await verify()).lines).toContain('  1 accounts wait to be folded anew');
  const told_before = (await harness.changesTold(({ account_id }) => account_id === account.id))
    .length;

  await Promise.all([refoldAll(), refoldAll()]);

  expect(await harness.accountNow(lender, account.id)).toEqual(now);
  expect(await verify()).toEqual({
    right: true,
    lines: expect.arrayContaining([expect.stringContaining(' 0 mismatches')]),
  });
  const told = await harness.changesTold(({ account_id }) => account_id === account.id);
  expect(told).toHaveLength(told_before + 1);
  const [before, after] = told.slice(-2);
  expect(after).toEqual({ ...before, subject_version: (before?.subject_version ?? 0) + 1 });
  // Done: nothing is told again.
  await refoldAll();
  expect(await harness.changesTold(({ account_id }) => account_id === account.id)).toHaveLength(
    told.length,
  );
  expect(defaulted.effect).toBe(EventEffect.EFFECTIVE);
});

test('an outcome of before lasts as well', async () => {
  const account = await newAccount(harness.reporting, lender);
  const event = await harness.report(lender, {
    credit_account_id: account.id,
    event_type: EventType.DEFAULT_REPORTED,
    occurred_at: onDay(100),
  });
  await harness.reporting.correctForDispute(keyed(administrator), {
    dispute_id: randomUUID(),
    credit_event_id: event.id,
    filed_since: event.reported_at,
    correction_reason: 'the bank confirms it',
  });
  await asBefore(account.id, {});
  await refoldAll();
  const again = harness.report(lender, {
    credit_account_id: account.id,
    event_type: EventType.DEFAULT_REPORTED,
    occurred_at: onDay(100),
  });
  expect((await refusal(again)).reason).toBe('REINSERTION');
});

test('an event that comes before its account was folded anew folds it by the way', async () => {
  const account = await newAccount(harness.reporting, lender);
  const late = await harness.report(
    lender,
    payment(account, 50, { event_type: EventType.PAYMENT_LATE, amount_minor: undefined }),
  );
  await asBefore(account.id, { episodes: [] });
  await harness.report(lender, payment(account, 60));
  expect(await harness.accountNow(lender, account.id)).toMatchObject({
    status: AccountStatus.PAST_DUE,
    first_delinquency_at: late.occurred_at,
  });
  await refoldAll();
  expect((await verify()).right).toBe(true);
});
