import { EventType } from '@credit/proto/reporting/v1/types';
import { verifyRecordCommand } from '../src/operator/verify-record-command';
import { accountOf, institution, keyed, newSubject, payment, useHarness } from './harness';

const harness = useHarness();

const lender = institution();

async function verify() {
  const lines: string[] = [];
  const right = await verifyRecordCommand(harness, [], (line) => lines.push(line));
  return { right, lines };
}

test('the event log alone gives what is stored, and says where it does not', async () => {
  const subject = await newSubject(harness.reporting, lender);
  const opened = [];
  for (const size of [100, 100, 11]) {
    const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
      accounts: Array.from({ length: size }, () => accountOf(subject.id)),
    });
    opened.push(...accounts);
  }
  const [account, ...others] = opened;
  if (account === undefined) throw new Error('no account');
  const events = [account, ...others].flatMap((known) => [
    payment(known, 30, { balance_after_minor: 90_000n }),
    payment(known, 10, { balance_after_minor: 95_000n }),
  ]);
  const { events: recorded } = await harness.reporting.reportEvents(keyed(lender), { events });
  await harness.reporting.reportEvent(keyed(lender), {
    event: {
      credit_account_id: account.id,
      event_type: EventType.CORRECTION,
      occurred_at: payment(account, 40).occurred_at,
      supersedes_event_id: recorded[0]?.id,
      correction_reason: 'bounced',
    },
  });
  expect(await verify()).toEqual({
    right: true,
    lines: [
      'live: 211 accounts, 634 events, 0 mismatches',
      'live: 0 event logs with 0 events, 0 signed heads, 0 events of more than a day ago in none, 0 faults',
      'test: 0 accounts, 0 events, 0 mismatches',
      'test: 0 event logs with 0 events, 0 signed heads, 0 events of more than a day ago in none, 0 faults',
    ],
  });
  await harness.rows('live', 'UPDATE accounts SET balance_minor = 1 WHERE id = $1', [account.id]);
  await harness.rows('live', "UPDATE accounts SET status = 'PAID' WHERE id = $1", [others[5]?.id]);
  const { right, lines } = await verify();
  expect(right).toBe(false);
  expect(lines).toHaveLength(6);
  expect(lines[0]).toBe('live: 211 accounts, 634 events, 2 mismatches');
  expect(lines).toEqual(
    expect.arrayContaining([`  ${account.id}: balance`, `  ${others[5]?.id}: status`]),
  );
});
