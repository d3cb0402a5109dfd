import { randomUUID } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import type { NewEvent } from '@credit/proto/reporting/v1/reporting';
import { type Account, AccountStatus, EventType } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, onDay, payment, refusal, useHarness } from './harness';

const harness = useHarness();

const of = (
  account: Pick<Account, 'id'>,
  event_type: EventType,
  day: number,
  overrides: Partial<NewEvent> = {},
): NewEvent => payment(account, day, { event_type, amount_minor: undefined, ...overrides });

async function bookOf(ctx: CallContext, account: Account) {
  return {
    account: await harness.accountNow(ctx, account.id),
    events: await harness.eventsOf(ctx, account.id),
  };
}

/** What two accounts must share that were told the same. */
function essence({ account, events }: Awaited<ReturnType<typeof bookOf>>) {
  const { id, subject_id, external_account_id, created_at, updated_at, ...shared } = account;
  const sequences = new Map(events.map((event) => [event.id, event.sequence]));
  return {
    shared,
    events: events.map((event) => ({
      sequence: event.sequence,
      event_type: event.event_type,
      occurred_at: event.occurred_at,
      balance_after_minor: event.balance_after_minor,
      effect: event.effect,
      resulting_status: event.resulting_status,
      superseded_by: sequences.get(event.superseded_by_event_id ?? ''),
    })),
  };
}

describe('a batch', () => {
  test('equals its events one by one', async () => {
    const lender = institution();
    const [batched, single, neighbour] = [
      await newAccount(harness.reporting, lender),
      await newAccount(harness.reporting, lender),
      await newAccount(harness.reporting, lender),
    ];
    // Late ones first, a backdated one among them, a correction of what stands on record.
    const wrong = new Map<string, string>();
    for (const account of [batched, single]) {
      const { event } = await harness.reporting.reportEvent(keyed(lender), {
        event: of(account, EventType.PAYMENT_LATE, 12),
      });
      wrong.set(account.id, event?.id ?? '');
    }
    const story = (account: Account) => [
      of(account, EventType.BALANCE_UPDATED, 30, { balance_after_minor: 80_000n }),
      of(account, EventType.DELINQUENCY_STARTED, 45),
      of(account, EventType.DEFAULT_REPORTED, 100),
      of(account, EventType.BALANCE_UPDATED, 20, { balance_after_minor: 85_000n }),
      of(account, EventType.CORRECTION, 110, {
        supersedes_event_id: wrong.get(account.id),
        correction_reason: 'was paid in time',
      }),
      of(account, EventType.DEFAULT_CURED, 120),
      of(account, EventType.PAYMENT_MADE, 60, { amount_minor: 5n }),
    ];
    const answers = await harness.reportAll(lender, story(batched));
    const one_by_one = [];
    // What happened first takes effect first; the answers come in the order of the request.
    const order = [3, 0, 1, 6, 2, 4, 5];
    const told = story(single);
    for (const event of order.map((index) => told[index])) {
      const answer = await harness.reporting.reportEvent(keyed(lender), { event });
      one_by_one.push(answer.event);
    }
    const ordered = order.map((index) => answers[index]);
    expect(ordered.map((event) => [event?.sequence, event?.resulting_status])).toEqual(
      one_by_one.map((event) => [event?.sequence, event?.resulting_status]),
    );
    expect(essence(await bookOf(lender, batched))).toEqual(essence(await bookOf(lender, single)));
    expect((await bookOf(lender, neighbour)).account.version).toBe(1);
  });

  test('of several accounts answers in request order and tells each account once', async () => {
    const lender = institution();
    const accounts = await Promise.all(
      Array.from({ length: 3 }, () => newAccount(harness.reporting, lender)),
    );
    const events = Array.from({ length: 12 }, (_unused, index) => {
      const account = accounts[index % 3];
      if (account === undefined) throw new Error('no account');
      return payment(account, index + 1, { source_reference: `entry ${index}` });
    });
    const caller = keyed(lender);
    const { events: answers } = await harness.reporting.reportEvents(caller, { events });
    expect(answers.map((event) => event.source_reference)).toEqual(
      events.map((event) => event.source_reference),
    );
    const told = (await harness.outbox()).filter(
      (message) => message.request_id === lender.request_id,
    );
    const batch = told.slice(-4);
    expect(batch.map(({ payload }) => payload?.$case)).toEqual([
      'account_changed',
      'account_changed',
      'account_changed',
      'audit_recorded',
    ]);
    expect(batch[0]?.payload).toMatchObject({
      value: {
        account: { account_id: accounts[0]?.id, version: 5, subject_version: 2 },
        credit_event_id: answers[9]?.id,
      },
    });
    expect(batch[3]?.payload).toMatchObject({
      value: {
        action: 'events.reported',
        changes_json: JSON.stringify({
          events: 12,
          accounts: 3,
          account_ids: batch
            .slice(0, 3)
            .map(({ payload }) =>
              payload?.$case === 'account_changed' ? payload.value.account?.account_id : undefined,
            ),
        }),
      },
    });
  });

  test('that fails leaves nothing and its key free; the error names the item', async () => {
    const lender = institution();
    const [one, other] = [
      await newAccount(harness.reporting, lender),
      await newAccount(harness.reporting, lender),
    ];
    const outbox = await harness.outbox();
    const key = randomUUID();
    const good = [payment(one, 1), payment(other, 1)];
    const post = (events: NewEvent[]) =>
      harness.reporting.reportEvents(keyed(lender, key), { events });

    const impossible = await refusal(post([...good, of(one, EventType.DEFAULT_CURED, 2)]));
    expect(impossible.code).toBe('INVALID_STATE_TRANSITION');
    expect(impossible.message).toMatch(/^events\[2\]: /);
    expect(await refusal(post([...good, payment({ id: randomUUID() }, 2)]))).toMatchObject({
      code: 'NOT_FOUND',
      message: 'events[2]: The account does not exist.',
    });
    expect(
      await refusal(
        post([
          payment(one, 1, { amount_minor: undefined }),
          ...good,
          of(one, EventType.BALANCE_UPDATED, 2),
        ]),
      ),
    ).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['events[0].amount', 'events[3].balance_after'],
    });
    expect(await refusal(post([...good, payment(one, -5)]))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['events[2].occurred_at'],
    });
    expect(await harness.outbox()).toEqual(outbox);
    expect((await bookOf(lender, one)).account.version).toBe(1);
    expect(await post(good)).toMatchObject({ events: [{ sequence: 2 }, { sequence: 2 }] });
  });

  test('must hold 1 to 500 events', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    expect(await refusal(harness.reportAll(lender, []))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    // The count comes before any look at the items.
    const many = Array.from({ length: 501 }, () => payment({ id: 'x' }, 1));
    expect(await refusal(harness.reportAll(lender, many))).toMatchObject({
      code: 'REQUEST_TOO_LARGE',
    });
    const most = Array.from({ length: 500 }, (_unused, index) =>
      payment(account, (index * 7) % 500),
    );
    const events = await harness.reportAll(lender, most);
    const byTime = events.toSorted(
      (a, b) => Date.parse(a.occurred_at ?? '') - Date.parse(b.occurred_at ?? ''),
    );
    expect(byTime.map((event) => event.sequence)).toEqual(most.map((_event, index) => index + 2));
    expect((await bookOf(lender, account)).account).toMatchObject({ version: 501 });
  });

  test('may repeat a source reference; other content under it is 409', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const event = payment(account, 3, { source_reference: 'entry 1' });
    const events = await harness.reportAll(lender, [event, payment(account, 4), event]);
    expect(events[2]).toEqual(events[0]);
    expect((await bookOf(lender, account)).account.version).toBe(3);
    const changed = { ...event, source_reference: 'entry 2' };
    expect(
      await refusal(harness.reportAll(lender, [changed, { ...changed, amount_minor: 9n }])),
    ).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  });

  test('tells each default in it, and none when it fails', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const defaulted = of(account, EventType.DEFAULT_REPORTED, 10);
    const cured = of(account, EventType.DEFAULT_CURED, 20);
    const again = of(account, EventType.DEFAULT_REPORTED, 30);
    await refusal(harness.reportAll(lender, [defaulted, cured, again, again]));
    expect(await harness.noticesTold(account.subject_id)).toEqual([]);
    const events = await harness.reportAll(lender, [defaulted, cured, again]);
    expect(
      (await harness.noticesTold(account.subject_id)).map(({ value }) => value.credit_event_id),
    ).toEqual([events[0]?.id, events[2]?.id]);
  });

  test('replays its answer', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const key = randomUUID();
    const events = [payment(account, 1), payment(account, 2)];
    const first = await harness.reporting.reportEvents(keyed(lender, key), { events });
    const caller = keyed(lender, key);
    expect(await harness.reporting.reportEvents(caller, { events })).toEqual(first);
    expect(caller.reply_metadata.get('idempotent-replayed')).toBe('true');
    expect((await bookOf(lender, account)).account.version).toBe(3);
  });

  test('and single posts for the same accounts take turns', async () => {
    const lender = institution();
    const accounts = await Promise.all(
      Array.from({ length: 4 }, () => newAccount(harness.reporting, lender)),
    );
    const batches = Array.from({ length: 6 }, (_unused, batch) =>
      accounts
        .flatMap((account) => [1, 2, 3].map((day) => payment(account, batch * 10 + day)))
        // Some the other way round, so that locks would cross if they were taken in that order.
        .sort(
          (a, b) =>
            (batch % 2 === 0 ? 1 : -1) * a.credit_account_id.localeCompare(b.credit_account_id),
        ),
    );
    await Promise.all([
      ...batches.map((events) => harness.reportAll(lender, events)),
      ...accounts.flatMap((account) =>
        [1, 2, 3, 4].map((day) =>
          harness.reporting.reportEvent(keyed(lender), { event: payment(account, 70 + day) }),
        ),
      ),
    ]);
    for (const account of accounts) {
      const { account: after, events } = await bookOf(lender, account);
      expect(after.version).toBe(1 + 6 * 3 + 4);
      expect(events.map((event) => event.sequence)).toEqual(
        Array.from({ length: 23 }, (_unused, index) => 23 - index),
      );
    }
  });
});

test('dates of a batch are kept to the millisecond', async () => {
  const lender = institution();
  const account = await newAccount(harness.reporting, lender);
  const occurred_at = onDay(3).replace('000Z', '123Z');
  const [event] = await harness.reportAll(lender, [payment(account, 3, { occurred_at })]);
  expect(event?.occurred_at).toBe(occurred_at);
  const { events, account: after } = await bookOf(lender, account);
  expect(events[0]).toEqual(event);
  expect(after.status).toBe(AccountStatus.CURRENT);
});
