import { randomUUID } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import type { Account, CreditEvent } from '@credit/proto/reporting/v1/types';
import { AccountStatus, EventEffect, EventType } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, onDay, payment, refusal, useHarness } from './harness';

const harness = useHarness();

const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });
const lender = institution();

const records = async (account: Account): Promise<CreditEvent[]> =>
  (
    await harness.reporting.listAccountEvents(lender, { account_id: account.id, limit: 100 })
  ).events.toReversed();
const typesOf = async (account: Account) =>
  (await records(account)).map(({ event_type }) => event_type);
const statusOf = async (account: Account) =>
  (await harness.reporting.getAccount(lender, { account_id: account.id })).account?.status;
async function late(account: Account): Promise<CreditEvent> {
  const { event } = await harness.reporting.reportEvent(keyed(lender), {
    event: payment(account, 40, { event_type: EventType.PAYMENT_LATE, amount_minor: undefined }),
  });
  if (event === undefined) throw new Error('no event');
  return event;
}
const review = (account: Account, under_review: boolean, change_id: string = randomUUID()) =>
  harness.reporting.setNetworkReview(keyed(administrator), {
    account_id: account.id,
    under_review,
    change_id,
  });
const mend = (event: CreditEvent, more: object = {}, ctx = keyed(administrator)) =>
  harness.reporting.correctForDispute(ctx, {
    dispute_id: randomUUID(),
    credit_event_id: event.id,
    filed_since: event.reported_at,
    correction_reason: 'the bank confirms the transfer',
    ...more,
  });

describe('a review by the network', () => {
  test('covers the status until it ends, once for a change however often it is asked', async () => {
    const account = await newAccount(harness.reporting, lender);
    await late(account);
    const change_id = randomUUID();
    const answers = await Promise.all([1, 2, 3, 4].map(() => review(account, true, change_id)));
    expect(new Set(answers.map((one) => one.credit_event_id)).size).toBe(1);
    expect(await statusOf(account)).toBe(AccountStatus.DISPUTED);
    // Stands so already: another change has nothing to do.
    expect(await review(account, true)).toEqual({});
    await review(account, false);
    expect(await statusOf(account)).toBe(AccountStatus.PAST_DUE);
    // A message that was long on its way does not begin it anew.
    expect(await review(account, true, change_id)).toEqual(answers[0]);
    expect(await typesOf(account)).toEqual([
      EventType.ACCOUNT_OPENED,
      EventType.PAYMENT_LATE,
      EventType.DISPUTE_OPENED,
      EventType.DISPUTE_RESOLVED,
    ]);
  });

  test('is nothing that the furnisher can end, and leaves its own flag alone', async () => {
    const account = await newAccount(harness.reporting, lender);
    const flag = (event_type: EventType) =>
      harness.reporting.reportEvent(keyed(lender), {
        event: payment(account, 41, { event_type, amount_minor: undefined }),
      });
    await flag(EventType.DISPUTE_OPENED);
    await review(account, true);
    expect(
      await refusal(
        harness.reporting.reportEvent(keyed(lender), {
          event: {
            credit_account_id: account.id,
            event_type: EventType.DISPUTE_RESOLVED,
            occurred_at: new Date().toISOString(),
          },
        }),
      ),
    ).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    await review(account, false);
    expect(await statusOf(account)).toBe(AccountStatus.DISPUTED);
  });

  test('is the network’s alone, and of accounts that exist', async () => {
    const account = await newAccount(harness.reporting, lender);
    const request = { account_id: account.id, under_review: true, change_id: randomUUID() };
    expect(await refusal(harness.reporting.setNetworkReview(keyed(lender), request))).toMatchObject(
      { code: 'INSUFFICIENT_SCOPE' },
    );
    const unknown = { ...request, account_id: randomUUID() };
    expect(
      await refusal(harness.reporting.setNetworkReview(keyed(administrator), unknown)),
    ).toMatchObject({ code: 'NOT_FOUND' });
    expect(await statusOf(account)).toBe(AccountStatus.CURRENT);
  });
});

describe('a correction for a dispute', () => {
  test('voids the event, both stay on record, and it is in the log of the institution', async () => {
    const account = await newAccount(harness.reporting, lender);
    const event = await late(account);
    const dispute_id = randomUUID();
    const { correction_event_id, linked } = await mend(event, { dispute_id });
    expect(linked).toBe(false);
    expect(await statusOf(account)).toBe(AccountStatus.CURRENT);
    const [, original, correction] = await records(account);
    expect(original).toMatchObject({ id: event.id, superseded_by_event_id: correction?.id });
    expect(correction).toMatchObject({
      id: correction_event_id,
      event_type: EventType.CORRECTION,
      source_reference: `dispute:${dispute_id}`,
      supersedes_event_id: event.id,
      correction_reason: 'the bank confirms the transfer',
    });
    const logged = (await harness.outbox()).flatMap(({ payload }) =>
      payload?.$case === 'audit_recorded' && payload.value.target_id === account.id
        ? [payload.value]
        : [],
    );
    expect(logged.at(-1)).toMatchObject({
      institution_id: lender.institution_id,
      actor_type: 'user',
      actor_id: administrator.actor.id,
    });
  });

  test('is filed once for a dispute, under the same key or another', async () => {
    const account = await newAccount(harness.reporting, lender);
    const event = await late(account);
    const dispute_id = randomUUID();
    const ctx = keyed(administrator);
    const answers = await Promise.all([
      mend(event, { dispute_id }, ctx),
      mend(event, { dispute_id }, keyed(administrator, ctx.idempotency_key)),
      mend(event, { dispute_id }),
    ]);
    expect(new Set(answers.map((one) => one.correction_event_id)).size).toBe(1);
    expect(await records(account)).toHaveLength(3);
  });

  test('puts other facts in the event’s place', async () => {
    const account = await newAccount(harness.reporting, lender);
    const event = await late(account);
    const replacement = {
      corrected_event_type: EventType.PAYMENT_MADE,
      amount_minor: 1_000n,
      balance_after_minor: 99_000n,
    };
    await mend(event, { replacement });
    const { account: mended } = await harness.reporting.getAccount(lender, {
      account_id: account.id,
    });
    expect(mended).toMatchObject({
      status: AccountStatus.CURRENT,
      current_balance_minor: 99_000n,
    });
    const other = await late(await newAccount(harness.reporting, lender));
    expect(
      await refusal(mend(other, { replacement: { corrected_event_type: EventType.PAYMENT_MADE } })),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['amount'] });
  });

  test('is the one that the furnisher filed since, unless other facts are given', async () => {
    const account = await newAccount(harness.reporting, lender);
    const event = await late(account);
    const { event: filed } = await harness.reporting.reportEvent(keyed(lender), {
      event: {
        credit_account_id: account.id,
        event_type: EventType.CORRECTION,
        occurred_at: onDay(50),
        supersedes_event_id: event.id,
        correction_reason: 'entered wrongly',
      },
    });
    expect(await mend(event)).toMatchObject({ correction_event_id: filed?.id, linked: true });
    const replacement = {
      corrected_event_type: EventType.PAYMENT_MADE,
      amount_minor: 1n,
    };
    // One filed before the dispute is no answer to it: the outcome acts on what stands now.
    const filed_since = new Date(Date.now() + 60_000).toISOString();
    const own = await mend(event, { filed_since });
    expect(own).toMatchObject({ linked: false });
    const put = await mend(event, { replacement });
    expect(put).toMatchObject({ linked: false });
    const [, original, first, second, third] = await records(account);
    expect([original, first, second].map((one) => one?.superseded_by_event_id)).toEqual([
      filed?.id,
      own.correction_event_id,
      put.correction_event_id,
    ]);
    expect(third).toMatchObject({ id: put.correction_event_id, effect: EventEffect.EFFECTIVE });
  });

  test('mends no flag, and what is not on record is unknown', async () => {
    const account = await newAccount(harness.reporting, lender);
    const [opening] = await records(account);
    if (opening === undefined) throw new Error('no opening');
    const flag = await harness.report(lender, {
      credit_account_id: account.id,
      event_type: EventType.DISPUTE_OPENED,
      occurred_at: onDay(3),
    });
    expect(await mend(flag)).toEqual({ linked: false, account_voided: false });
    expect(await refusal(mend({ ...opening, id: randomUUID() }))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await records(account)).toHaveLength(2);
  });
});

test('contested ids are located, whoever reported them; unknown ones are nobody’s', async () => {
  const account = await newAccount(harness.reporting, lender);
  const event = await late(account);
  const other = institution();
  await newAccount(harness.reporting, other, { subject_id: account.subject_id });
  const { records: located } = await harness.reporting.locateRecords(administrator, {
    references: [
      { reference: { $case: 'subject_id', value: account.subject_id } },
      { reference: { $case: 'credit_event_id', value: randomUUID() } },
      // An id is the same in capitals.
      { reference: { $case: 'credit_event_id', value: event.id.toUpperCase() } },
    ],
  });
  expect(located).toEqual([
    {
      subject_id: account.subject_id,
      institution_ids: [lender.institution_id, other.institution_id].sort(),
    },
    { institution_ids: [] },
    {
      subject_id: account.subject_id,
      account_id: account.id,
      institution_ids: [lender.institution_id],
      event_type: 'PAYMENT_LATE',
    },
  ]);
  expect(await refusal(harness.reporting.locateRecords(lender, { references: [] }))).toMatchObject({
    code: 'INSUFFICIENT_SCOPE',
  });
});
