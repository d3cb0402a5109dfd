import { randomUUID } from 'node:crypto';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  useHarness,
} from './harness';

const harness = useHarness();

/** One request to each of the four reporting endpoints, under one key. */
async function reportEverywhere(key: string) {
  const lender = institution();
  const subject = await newSubject(harness.reporting, lender);
  const account = await newAccount(harness.reporting, lender);
  const ctx = () => keyed(lender, key);
  const post = {
    CreateAccount: () => harness.reporting.createAccount(ctx(), { account: accountOf(subject.id) }),
    CreateAccounts: () =>
      harness.reporting.createAccounts(ctx(), { accounts: [accountOf(subject.id)] }),
    ReportEvent: () => harness.reporting.reportEvent(ctx(), { event: payment(account, 1) }),
    ReportEvents: () => harness.reporting.reportEvents(ctx(), { events: [payment(account, 2)] }),
  };
  for (const request of Object.values(post)) await request();
  return { lender, account, subject };
}

test('answers are kept for a day, those of batches for a week', async () => {
  const key = randomUUID();
  const { lender } = await reportEverywhere(key);
  const kept = await harness.rows<{ endpoint: string; hours: number }>(
    'live',
    `SELECT endpoint, (extract(epoch FROM expires_at - created_at) / 3600)::float8 AS hours
     FROM idempotency_records WHERE institution_id = $1 AND key = $2 ORDER BY endpoint`,
    [lender.institution_id, key],
  );
  expect(kept).toEqual([
    { endpoint: 'CreateAccount', hours: 24 },
    { endpoint: 'CreateAccounts', hours: 7 * 24 },
    { endpoint: 'ReportEvent', hours: 24 },
    { endpoint: 'ReportEvents', hours: 7 * 24 },
  ]);
});

test('an expired key is free for another request, swept or not', async () => {
  const key = randomUUID();
  const { lender, account } = await reportEverywhere(key);
  const again = (day: number) =>
    harness.reporting.reportEvent(keyed(lender, key), { event: payment(account, day) });
  await expect(again(3)).rejects.toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  await harness.rows(
    'live',
    "UPDATE idempotency_records SET expires_at = now() - interval '1 second' WHERE key = $1",
    [key],
  );
  const { event } = await again(3);
  expect(event?.sequence).toBe(4);
  // Under its new answer the key is as good as any: it replays, and refuses what is changed.
  expect((await again(3)).event).toEqual(event);
  await expect(again(4)).rejects.toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  expect(await harness.eventsOf(lender, account.id)).toHaveLength(4);
});

test('of two batches with one key the other waits for the first and replays it', async () => {
  const lender = institution();
  const account = await newAccount(harness.reporting, lender);
  const key = randomUUID();
  const events = Array.from({ length: 100 }, (_unused, index) => payment(account, index + 1));
  const replica = await harness.replica();
  const callers = Array.from({ length: 20 }, () => keyed(lender, key));
  const answers = await Promise.all(
    callers.map((caller, index) =>
      (index % 2 === 0 ? harness : replica).reporting.reportEvents(caller, { events }),
    ),
  );
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  const replayed = callers.filter(
    ({ reply_metadata }) => reply_metadata.get('idempotent-replayed') === 'true',
  );
  expect(replayed).toHaveLength(19);
  expect((await harness.accountNow(lender, account.id)).version).toBe(101);
  await replica.stop();
});
