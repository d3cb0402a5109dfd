import { randomUUID } from 'node:crypto';
import { newId } from '@credit/platform/runtime';
import type { Purpose } from '@credit/proto/reporting/v1/types';
import {
  institution,
  newAccount,
  newSubject,
  onDay,
  payment,
  personOf,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();

const look = (ctx: ReturnType<typeof institution>, subject_id: string, purpose: Purpose) =>
  harness.reporting.recordInquiry(ctx, { inquiry_id: newId(), subject_id, purpose });

test('a file holds what everybody reports, what was corrected and what was taken off it', async () => {
  const lender = institution();
  const other = institution();
  const loan = await newAccount(harness.reporting, lender, { metadata_json: '{"branch":"north"}' });
  const { subject_id } = loan;
  const stray = await newAccount(harness.reporting, other, { subject_id });
  const paid = await harness.report(lender, payment(loan, 5, { balance_after_minor: 90_000n }));
  const correction = await harness.report(lender, {
    credit_account_id: loan.id,
    event_type: 'CORRECTION',
    occurred_at: onDay(6),
    supersedes_event_id: paid.id,
    correction_reason: 'It was of somebody else.',
  });
  const [opening] = await harness.eventsOf(other, stray.id);
  await harness.report(other, {
    credit_account_id: stray.id,
    event_type: 'CORRECTION',
    occurred_at: onDay(6),
    supersedes_event_id: String(opening?.id),
    correction_reason: 'Filed under the wrong person.',
  });

  const file = await harness.reporting.getPersonFile(personOf(subject_id), {});

  expect(file.subject).toMatchObject({ id: subject_id, type: 'INDIVIDUAL' });
  expect(file.accounts.map(({ account }) => account)).toMatchObject([
    {
      id: loan.id,
      institution_id: lender.institution_id,
      external_account_id: loan.external_account_id,
      voided: false,
      // Its furnisher's own notes.
      metadata_json: '',
    },
    { id: stray.id, institution_id: other.institution_id, voided: true },
  ]);
  const [first, second] = file.accounts;
  expect(first?.events).toMatchObject([
    {
      id: correction.id,
      supersedes_event_id: paid.id,
      correction_reason: 'It was of somebody else.',
    },
    { id: paid.id, effect: 'SUPERSEDED', superseded_by_event_id: correction.id },
    { event_type: 'ACCOUNT_OPENED' },
  ]);
  expect(first?.next_cursor).toBeUndefined();
  expect(second?.events).toHaveLength(2);
  expect(file).toMatchObject({ has_more_accounts: false, has_more_inquiries: false });
});

test('it shows who looked, hard and soft, and whom a freeze has refused', async () => {
  const lender = institution();
  const stranger = institution();
  const { subject_id } = await newAccount(harness.reporting, lender);
  const person = personOf(subject_id);
  await look(stranger, subject_id, 'NEW_CREDIT_APPLICATION');
  await look(lender, subject_id, 'ACCOUNT_REVIEW');
  await harness.reporting.placeFreeze(person, {});
  await refusal(look(stranger, subject_id, 'REFINANCING'));
  await harness.reporting.placeAlert(person, { kind: 'FRAUD' });

  const before = await harness.reporting.getPersonFile(person, {});
  expect(before.inquiries).toMatchObject([
    {
      purpose: 'REFINANCING',
      refusal: 'FILE_FROZEN',
      institution_id: stranger.institution_id,
    },
    { purpose: 'ACCOUNT_REVIEW', inquiry_type: 'SOFT', institution_id: lender.institution_id },
    { purpose: 'NEW_CREDIT_APPLICATION', inquiry_type: 'HARD', refusal: undefined },
  ]);
  expect(before.rights).toMatchObject({
    frozen_since: expect.any(String),
    alerts: [{ kind: 'FRAUD' }],
  });
  // Reading it is no look.
  expect((await harness.reporting.getPersonFile(person, {})).inquiries).toEqual(before.inquiries);
});

test('a look of more than two years ago is not shown', async () => {
  const { subject_id } = await newAccount(harness.reporting, institution());
  await look(institution(), subject_id, 'FRAUD_PREVENTION');
  const person = personOf(subject_id);
  expect((await harness.reporting.getPersonFile(person, {})).inquiries).toHaveLength(1);
  harness.clock.offset_ms = 732 * 86_400_000;
  try {
    expect((await harness.reporting.getPersonFile(person, {})).inquiries).toEqual([]);
  } finally {
    harness.clock.offset_ms = 0;
  }
});

test('of a long record the newest events come with the file, and the rest page by page', async () => {
  const lender = institution();
  const loan = await newAccount(harness.reporting, lender);
  const payments = Array.from({ length: 120 }, (_, day) => payment(loan, day + 1));
  await harness.reportAll(lender, payments);
  const person = personOf(loan.subject_id);

  const { accounts } = await harness.reporting.getPersonFile(person, {});
  const [account] = accounts;
  expect(account?.events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 100 }, (_, index) => 121 - index),
  );
  const seen = [...(account?.events ?? [])];
  let cursor = account?.next_cursor;
  while (cursor !== undefined) {
    const page = await harness.reporting.listPersonEvents(person, {
      account_id: loan.id,
      limit: 10,
      cursor,
    });
    expect(page.events.length).toBeLessThanOrEqual(10);
    seen.push(...page.events);
    cursor = page.next_cursor;
  }
  // They read as their furnisher reads them.
  expect(seen.slice(0, 100)).toEqual(await harness.eventsOf(lender, loan.id));
  expect(seen.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 121 }, (_, index) => 121 - index),
  );
});

test('more accounts share what a file holds', async () => {
  const lender = institution();
  const { id: subject_id } = await newSubject(harness.reporting, lender);
  const accounts = [];
  for (let number = 0; number < 25; number += 1) {
    accounts.push(await newAccount(harness.reporting, lender, { subject_id }));
  }
  const long = accounts[7] as (typeof accounts)[number];
  await harness.reportAll(
    lender,
    Array.from({ length: 100 }, (_, day) => payment(long, day + 1)),
  );
  const file = await harness.reporting.getPersonFile(personOf(subject_id), {});
  expect(file.accounts.map(({ account }) => account?.id)).toEqual(accounts.map(({ id }) => id));
  expect(file.accounts[7]?.events).toHaveLength(80);
  expect(file.accounts[7]?.next_cursor).toBeDefined();
  expect(file.accounts[8]?.events).toHaveLength(1);
});

describe('nothing of anybody else', () => {
  test('an account of another, and one that is not, are equally unknown', async () => {
    const lender = institution();
    const own = await newAccount(harness.reporting, lender);
    const person = personOf(own.subject_id);
    const foreign = [];
    for (let number = 0; number < 10; number += 1) {
      const account = await newAccount(harness.reporting, lender);
      const [event] = await harness.eventsOf(lender, account.id);
      foreign.push(account.id, account.subject_id, String(event?.id));
    }
    const wanted = [...foreign, own.subject_id, randomUUID(), newId()];
    const answers = await Promise.all(
      wanted.flatMap((account_id) => [
        refusal(harness.reporting.listPersonEvents(person, { account_id, limit: 0 })),
        refusal(harness.reporting.listPersonEvents(person, { account_id, limit: 100 })),
      ]),
    );
    expect(new Set(answers.map(({ code, message }) => `${code} ${message}`))).toEqual(
      new Set(['NOT_FOUND The account does not exist.']),
    );
    const { events } = await harness.reporting.listPersonEvents(person, {
      account_id: own.id,
      limit: 0,
    });
    expect(events.map(({ subject_id }) => subject_id)).toEqual([own.subject_id]);
  });

  test('who is no person is refused, and a person of live data has no file in test', async () => {
    const lender = institution();
    const { id, subject_id } = await newAccount(harness.reporting, lender);
    const kind = { code: 'INSUFFICIENT_SCOPE', reason: 'CREDENTIAL_KIND' };
    expect(await refusal(harness.reporting.getPersonFile(lender, {}))).toMatchObject(kind);
    expect(
      await refusal(harness.reporting.listPersonEvents(lender, { account_id: id, limit: 0 })),
    ).toMatchObject(kind);
    const in_test = personOf(subject_id, { environment: 'test' });
    expect(await refusal(harness.reporting.getPersonFile(in_test, {}))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('what is wrong with the request is said first', async () => {
    const { subject_id, id } = await newAccount(harness.reporting, institution());
    const person = personOf(subject_id);
    const faults = [
      { account_id: 'loan', limit: 0 },
      { account_id: randomUUID(), limit: 101 },
      { account_id: randomUUID(), limit: 0, cursor: 'x' },
    ];
    for (const fault of faults) {
      const refused = await refusal(harness.reporting.listPersonEvents(person, fault));
      expect([fault, refused.code]).toEqual([fault, 'VALIDATION_ERROR']);
    }
    // Behind the last one there is nothing, which is no fault.
    const { events } = await harness.reporting.listPersonEvents(person, {
      account_id: id,
      limit: 1,
    });
    expect(events).toHaveLength(1);
  });
});
