import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { AccountStatus, InquiryType, Purpose } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, newSubject, refusal, useHarness } from './harness';

const harness = useHarness();
afterEach(() => {
  harness.clock.offset_ms = 0;
});

const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });
const HOUR_MS = 3_600_000;

async function look(ctx: CallContext, subject_id: string, hours_ago: number, more: object = {}) {
  harness.clock.offset_ms = -hours_ago * HOUR_MS;
  const { inquiry } = await harness.reporting.recordInquiry(ctx, {
    inquiry_id: newId(),
    subject_id,
    purpose: Purpose.NEW_CREDIT_APPLICATION,
    ...more,
  });
  harness.clock.offset_ms = 0;
  if (inquiry === undefined) throw new Error('no inquiry');
  return inquiry;
}

const voidThem = (
  subject_id: string,
  of: readonly CallContext[],
  more: object = {},
  ctx = keyed(administrator),
) =>
  harness.reporting.voidInquiries(ctx, {
    dispute_id: randomUUID(),
    subject_id,
    institution_ids: of.map(({ institution_id }) => institution_id),
    inquiry_ids: [],
    ...more,
  });
const fileOf = async (subject_id: string) =>
  harness.reporting.getSubjectFile(institution(), { subject_id });
const told = async (subject_id: string) =>
  (await harness.outbox()).flatMap(({ payload }) =>
    payload?.$case === 'inquiry_recorded' && payload.value.subject_id === subject_id
      ? [payload.value.inquiry]
      : [],
  );

describe('inquiries that nobody had authorised', () => {
  test('are voided by institution, the hard ones of 90 days, and told again', async () => {
    const lender = institution();
    const other = institution();
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    const old = await look(lender, subject_id, 91 * 24);
    const hard = await look(lender, subject_id, 80 * 24);
    const soft = await look(lender, subject_id, 70 * 24, { inquiry_type: InquiryType.SOFT });
    const theirs = await look(other, subject_id, 60 * 24);
    expect(await voidThem(subject_id, [lender])).toEqual({ inquiry_ids: [hard.id] });
    const file = await fileOf(subject_id);
    const voided = (id: string) =>
      file.inquiries.find(({ inquiry_id }) => inquiry_id === id)?.voided_at;
    expect(voided(hard.id)).toBeDefined();
    expect([old, soft, theirs].map(({ id }) => voided(id))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(file.subject_version).toBe(5);
    expect((await told(subject_id)).at(-1)).toMatchObject({
      inquiry_id: hard.id,
      subject_version: 5,
      voided_at: voided(hard.id),
    });
    const logged = (await harness.outbox()).flatMap(({ payload }) =>
      payload?.$case === 'audit_recorded' && payload.value.action === 'inquiries.voided'
        ? [payload.value]
        : [],
    );
    expect(logged.at(-1)).toMatchObject({
      institution_id: lender.institution_id,
      target_id: subject_id,
    });
  });

  test('are voided once for a dispute, under any key and however late', async () => {
    const lender = institution();
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    const first = await look(lender, subject_id, 50);
    const request = { dispute_id: randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => voidThem(subject_id, [lender], request)));
    for (const answer of answers) expect(answer).toEqual({ inquiry_ids: [first.id] });
    // One that came after the outcome is of no account to it.
    const second = await look(lender, subject_id, 0);
    expect(await voidThem(subject_id, [lender], request)).toEqual({ inquiry_ids: [first.id] });
    const file = await fileOf(subject_id);
    expect(file.inquiries.at(-1)).toMatchObject({ inquiry_id: second.id, duplicate: false });
    expect(file.inquiries.at(-1)?.voided_at).toBeUndefined();
    expect(file.subject_version).toBe(3);
  });

  test('hinder no later one: what only repeated them counts', async () => {
    const lender = institution();
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    const first = await look(lender, subject_id, 60);
    const repeated = await look(lender, subject_id, 40);
    const again = await look(lender, subject_id, 38);
    const next = await look(lender, subject_id, 30);
    expect([repeated, again, next].map((one) => one.duplicate_of)).toEqual([
      first.id,
      first.id,
      undefined,
    ]);
    await voidThem(subject_id, [lender], { inquiry_ids: [first.id] });
    const file = await fileOf(subject_id);
    expect(file.inquiries.map(({ inquiry_id, duplicate }) => [inquiry_id, duplicate])).toEqual([
      [first.id, false],
      [repeated.id, false],
      [again.id, true],
      [next.id, true],
    ]);
    // Each change is a version of its own, told once and in order.
    const versions = (await told(subject_id)).map((inquiry) => inquiry?.subject_version);
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(file.subject_version).toBe(8);
  });

  test('were there at a time when nobody had voided them', async () => {
    const lender = institution();
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    const first = await look(lender, subject_id, 50);
    await look(lender, subject_id, 45);
    const before = new Date().toISOString();
    await voidThem(subject_id, [lender], { inquiry_ids: [first.id] });
    const { inquiries } = await harness.reporting.getSubjectFileAt(lender, {
      subject_id,
      as_of: before,
      known_at: before,
    });
    expect(inquiries.map(({ duplicate, voided_at }) => [duplicate, voided_at])).toEqual([
      [false, undefined],
      [true, undefined],
    ]);
  });

  test('give no right to hear of defaults', async () => {
    const lender = institution();
    const thief = institution();
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    await look(thief, subject_id, 1);
    await voidThem(subject_id, [thief]);
    await newAccount(harness.reporting, lender, { subject_id, status: AccountStatus.DEFAULTED });
    const notices = await harness.noticesTold(subject_id);
    expect(notices.map(({ value }) => value.receiver_institution_ids)).toEqual([
      [lender.institution_id],
    ]);
  });

  test('are the network’s business, named rightly', async () => {
    const lender = institution();
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    expect(await refusal(voidThem(subject_id, [lender], {}, keyed(lender)))).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
    });
    expect(
      await refusal(voidThem(subject_id, [lender], { inquiry_ids: [randomUUID()] })),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['inquiry_ids[0]'] });
    expect(await refusal(voidThem(subject_id, []))).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refusal(voidThem(randomUUID(), [lender]))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('the accounts that a dispute covers are the institutions’ own, with their openings', async () => {
  const lender = institution();
  const other = institution();
  const account = await newAccount(harness.reporting, lender);
  const { subject_id } = account;
  const theirs = await newAccount(harness.reporting, other, { subject_id });
  const list = async (of: readonly CallContext[], ctx = administrator) =>
    (
      await harness.reporting.listContestedAccounts(ctx, {
        subject_id,
        institution_ids: of.map(({ institution_id }) => institution_id),
      })
    ).accounts;
  const [opening] = await harness.eventsOf(lender, account.id);
  expect(await list([lender])).toEqual([
    {
      account_id: account.id,
      institution_id: lender.institution_id,
      opening_event_id: opening?.id,
    },
  ]);
  expect((await list([])).map(({ account_id }) => account_id)).toEqual([account.id, theirs.id]);
  expect(await list([institution()])).toEqual([]);
  expect(await refusal(list([lender], lender))).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
});

test('what a dispute may be about are the latest inquiries of those named, or everybody’s; nobody else asks', async () => {
  const [lender, other] = [institution(), institution()];
  const { id: subject_id } = await newSubject(harness.reporting, lender);
  const { id: elsewhere } = await newSubject(harness.reporting, lender);
  await look(lender, elsewhere, 1);
  const first = await look(lender, subject_id, 3);
  const theirs = await look(other, subject_id, 2);
  const last = await look(lender, subject_id, 1, { inquiry_type: InquiryType.SOFT });
  const list = async (institution_ids: string[], ctx: CallContext = administrator) =>
    harness.reporting.listContestedInquiries(ctx, { subject_id, institution_ids });
  const idsOf = ({ inquiries }: Awaited<ReturnType<typeof list>>) => inquiries.map(({ id }) => id);
  expect(idsOf(await list([]))).toEqual([last.id, theirs.id, first.id]);
  expect(idsOf(await list([lender.institution_id]))).toEqual([last.id, first.id]);
  await voidThem(subject_id, [lender]);
  const [, voided] = (await list([lender.institution_id])).inquiries;
  expect(voided).toMatchObject({ id: first.id, voided_at: expect.any(String) });
  expect((await list([])).has_more).toBe(false);
  expect(await refusal(list([], lender))).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  const many = Array.from({ length: 101 }, () => newId());
  expect(await refusal(list(many))).toMatchObject({ paths: ['institution_ids'] });
});

test('of more inquiries than can be named the latest are shown, and that there are more', async () => {
  const lender = institution();
  const { id: subject_id } = await newSubject(harness.reporting, lender);
  for (let index = 0; index < 101; index += 1) await look(lender, subject_id, 0);
  const listed = await harness.reporting.listContestedInquiries(administrator, {
    subject_id,
    institution_ids: [],
  });
  expect([listed.inquiries.length, listed.has_more]).toEqual([100, true]);
});
