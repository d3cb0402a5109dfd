import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { InquiryType, Purpose } from '@credit/proto/reporting/v1/types';
import {
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  personOf,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();
afterEach(() => {
  harness.clock.offset_ms = 0;
});

const DAY_MS = 86_400_000;

interface Look {
  readonly subject_id: string;
  readonly inquiry_id?: string;
  readonly purpose?: Purpose;
  readonly inquiry_type?: InquiryType;
  readonly consent_reference?: string;
}

async function look(ctx: CallContext, wanted: Look) {
  const answer = await harness.reporting.recordInquiry(ctx, {
    inquiry_id: wanted.inquiry_id ?? newId(),
    subject_id: wanted.subject_id,
    purpose: wanted.purpose ?? Purpose.NEW_CREDIT_APPLICATION,
    inquiry_type: wanted.inquiry_type,
    consent_reference: wanted.consent_reference,
  });
  if (answer.inquiry === undefined) throw new Error('no inquiry');
  return { ...answer, inquiry: answer.inquiry };
}

const fileOf = (ctx: CallContext, subject_id: string) =>
  harness.reporting.getSubjectFile(ctx, { subject_id });

describe('an inquiry', () => {
  test('keeps the consent that it names, for its institution and the person alone', async () => {
    const [lender, other] = [institution(), institution()];
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    const consent_reference = 'Application 7/2026, page 3';
    const { inquiry } = await look(lender, { subject_id, consent_reference });
    expect(inquiry.consent_reference).toBe(consent_reference);
    const plain = await look(other, { subject_id });
    const kept = [
      [plain.inquiry.id, undefined],
      [inquiry.id, consent_reference],
    ];
    const shown = (inquiries: readonly { id: string; consent_reference?: string | undefined }[]) =>
      inquiries.map((one) => [one.id, one.consent_reference]);
    const own = await harness.reporting.listInquiries(lender, { limit: 0, subject_id });
    expect(shown(own.inquiries)).toEqual(kept.slice(1));
    const file = await harness.reporting.getPersonFile(personOf(subject_id), {});
    expect(shown(file.inquiries)).toEqual(kept);
    // Whoever decides about a dispute learns who looked, and no more.
    const network = systemContext('live', { actor: { type: 'user', id: newId() } });
    const contested = await harness.reporting.listContestedInquiries(network, {
      subject_id,
      institution_ids: [],
    });
    expect(contested.inquiries).toHaveLength(2);
    expect(
      JSON.stringify([contested, await harness.reporting.getSubjectFile(other, { subject_id })]),
    ).not.toContain(consent_reference);
    expect(JSON.stringify((await harness.outbox()).map(({ payload }) => payload))).not.toContain(
      consent_reference,
    );
    for (const wrong of ['', ' ', ' x', 'x\ny', 'x'.repeat(101), 'Grüße']) {
      expect(await refusal(look(lender, { subject_id, consent_reference: wrong }))).toMatchObject({
        code: 'VALIDATION_ERROR',
        paths: ['consent_reference'],
      });
    }
    const soft = { subject_id, consent_reference, purpose: Purpose.PREQUALIFICATION };
    expect(await refusal(look(lender, soft))).toMatchObject({ paths: ['consent_reference'] });
  });

  test('is counted by purpose and type for those who run the network', async () => {
    const [lender, other] = [institution(), institution()];
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    harness.clock.offset_ms = -60 * DAY_MS;
    await look(lender, { subject_id, inquiry_id: newId() });
    harness.clock.offset_ms = 0;
    await look(lender, { subject_id, consent_reference: 'C-1' });
    await look(lender, { subject_id });
    await look(lender, { subject_id, purpose: Purpose.FRAUD_PREVENTION });
    await look(other, { subject_id });
    await harness.reporting.placeFreeze(personOf(subject_id), {});
    await refusal(look(lender, { subject_id, consent_reference: 'C-2' }));
    const { purposes } = await harness.reporting.listInquiryPurposes(lender, {});
    expect(purposes).toEqual([
      {
        purpose: 'NEW_CREDIT_APPLICATION',
        inquiry_type: 'HARD',
        shown_30d: 2n,
        shown_12m: 3n,
        refused_30d: 1n,
        refused_12m: 1n,
        with_consent_12m: 1n,
      },
      {
        purpose: 'FRAUD_PREVENTION',
        inquiry_type: 'SOFT',
        shown_30d: 1n,
        shown_12m: 1n,
        refused_30d: 0n,
        refused_12m: 0n,
        with_consent_12m: 0n,
      },
    ]);
    harness.clock.offset_ms = 400 * DAY_MS;
    expect((await harness.reporting.listInquiryPurposes(lender, {})).purposes).toEqual([]);
  });

  test('at the request of its subject takes a proof that it asked, and one of whom it asked', async () => {
    const [lender, other] = [institution(), institution()];
    const { id: subject_id } = await newSubject(harness.reporting, lender);
    const { id: another } = await newSubject(harness.reporting, lender);
    const purpose = Purpose.SUBJECT_REQUEST;
    const refused = async (ctx: CallContext, id = subject_id) =>
      expect(await refusal(look(ctx, { subject_id: id, purpose }))).toMatchObject({
        code: 'INSUFFICIENT_SCOPE',
        reason: 'SUBJECT_DID_NOT_ASK',
      });
    await refused(lender);
    await harness.asked(subject_id, lender);
    const { inquiry } = await look(lender, { subject_id, purpose });
    await refused(other);
    await refused(lender, another);
    expect(
      await refusal(look({ ...lender, environment: 'test' }, { subject_id, purpose })),
    ).toMatchObject({ code: 'NOT_FOUND' });
    harness.clock.offset_ms = 30 * DAY_MS - 60_000;
    await look(lender, { subject_id, purpose });
    harness.clock.offset_ms = 30 * DAY_MS + 60_000;
    await refused(lender);
    // What was looked at stays so, however often the call is repeated.
    const again = await look(lender, { subject_id, purpose, inquiry_id: inquiry.id });
    expect(again.inquiry).toEqual(inquiry);
    // Asked anew it may look anew; what comes late of the first time takes nothing back.
    await harness.asked(subject_id, lender);
    harness.clock.offset_ms = 0;
    await harness.asked(subject_id, lender);
    harness.clock.offset_ms = 30 * DAY_MS + 60_000;
    await look(lender, { subject_id, purpose });
  });

  test('takes its type by its purpose', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const hard = await look(lender, { subject_id: subject.id });
    expect(hard).toMatchObject({
      inquiry: {
        subject_id: subject.id,
        institution_id: lender.institution_id,
        inquiry_type: InquiryType.HARD,
      },
      subject: { id: subject.id, display_name: subject.display_name },
    });
    const soft = await look(lender, {
      subject_id: subject.id,
      purpose: Purpose.PREQUALIFICATION,
    });
    expect(soft.inquiry.inquiry_type).toBe(InquiryType.SOFT);
    expect(
      await refusal(
        look(lender, {
          subject_id: subject.id,
          purpose: Purpose.PREQUALIFICATION,
          inquiry_type: InquiryType.HARD,
        }),
      ),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['inquiry_type'] });
    expect(
      await refusal(look(lender, { subject_id: subject.id, purpose: Purpose.UNSPECIFIED })),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['purpose'] });
  });

  test('about an unknown subject is 404', async () => {
    expect(await refusal(look(institution(), { subject_id: randomUUID() }))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('for a review or a collection needs an account of one’s own', async () => {
    const lender = institution();
    const stranger = institution();
    const account = await newAccount(harness.reporting, lender);
    for (const purpose of [Purpose.ACCOUNT_REVIEW, Purpose.COLLECTION]) {
      const wanted = { subject_id: account.subject_id, purpose };
      await look(lender, wanted);
      expect(await refusal(look(stranger, wanted))).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    }
  });

  test('repeated under its id is the same inquiry', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const wanted = { subject_id: subject.id, inquiry_id: newId() };
    const answers = await Promise.all(Array.from({ length: 5 }, () => look(lender, wanted)));
    const later = await look(lender, wanted);
    for (const answer of answers) expect(answer).toEqual(later);
    expect((await fileOf(lender, subject.id)).inquiries).toHaveLength(1);
    expect(await refusal(look(institution(), wanted))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
  });

  test('within 24 hours of an equal one is its duplicate', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const wanted = { subject_id: subject.id };
    harness.clock.offset_ms = -30 * 3_600_000;
    const first = await look(lender, wanted);
    harness.clock.offset_ms = -10 * 3_600_000;
    const second = await look(lender, wanted);
    // A soft one, another purpose and another institution are no repetition.
    const soft = await look(lender, { ...wanted, inquiry_type: InquiryType.SOFT });
    const other = await look(lender, { ...wanted, purpose: Purpose.REFINANCING });
    const neighbour = await look(institution(), wanted);
    harness.clock.offset_ms = 0;
    // What only repeats begins no window of its own.
    const third = await look(lender, wanted);
    expect(second.inquiry.duplicate_of).toBe(first.inquiry.id);
    for (const { inquiry } of [first, soft, other, neighbour, third]) {
      expect(inquiry.duplicate_of).toBeUndefined();
    }
  });

  test('of several at once counts once', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => look(lender, { subject_id: subject.id })),
    );
    const originals = answers.filter(({ inquiry }) => inquiry.duplicate_of === undefined);
    expect(originals).toHaveLength(1);
  });

  test('is told with the version it makes, which its own profile excludes', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    await harness.reporting.reportEvent(keyed(lender), { event: payment(account, 3) });
    const answer = await look(lender, { subject_id: account.subject_id });
    expect(answer.profile_version).toBe(2);
    const told = (await harness.outbox()).slice(-2).map(({ payload }) => payload);
    expect(told[0]).toMatchObject({
      $case: 'inquiry_recorded',
      value: {
        subject_id: account.subject_id,
        inquiry: { inquiry_id: answer.inquiry.id, duplicate: false, subject_version: 3 },
      },
    });
    expect(told[1]).toMatchObject({
      $case: 'audit_recorded',
      value: { action: 'inquiry.recorded', target_id: account.subject_id },
    });
  });
});

describe('the subject file', () => {
  test('holds all accounts and the inquiries of 24 months, up to its version', async () => {
    const lender = institution();
    const other = institution();
    const account = await newAccount(harness.reporting, lender);
    const { subject_id } = account;
    const theirs = await newAccount(harness.reporting, other, { subject_id });
    harness.clock.offset_ms = -800 * 86_400_000;
    await look(lender, { subject_id });
    harness.clock.offset_ms = -700 * 86_400_000;
    const old = await look(lender, { subject_id });
    harness.clock.offset_ms = 0;
    const { event } = await harness.reporting.reportEvent(keyed(lender), {
      event: payment(account, 40, { balance_after_minor: 7n }),
    });
    const file = await fileOf(lender, subject_id);
    expect(file.subject_version).toBe(5);
    expect(event?.id).toBeDefined();
    expect(file.last_event_id).toBe(event?.id);
    expect(file.accounts.map((known) => [known.account_id, known.subject_version])).toEqual([
      [account.id, 5],
      [theirs.id, 2],
    ]);
    expect(file.inquiries.map((known) => known.inquiry_id)).toEqual([old.inquiry.id]);
    const told = await harness.changesTold(() => true);
    // The same projection that the event carried.
    expect(file.accounts[0]).toEqual(told.at(-1));
    // A look is the last change now, and no event.
    await look(other, { subject_id });
    expect((await fileOf(lender, subject_id)).last_event_id).toBeUndefined();
  });

  test('of an unknown subject is 404', async () => {
    expect(await refusal(fileOf(institution(), randomUUID()))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('is never torn: its version speaks of exactly its accounts', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const writing = Promise.all(
      Array.from({ length: 30 }, (_unused, index) =>
        harness.reporting.reportEvent(keyed(lender), { event: payment(account, index + 1) }),
      ),
    );
    for (let read = 0; read < 20; read += 1) {
      const file = await fileOf(lender, account.subject_id);
      expect(file.accounts[0]?.subject_version).toBe(file.subject_version);
    }
    await writing;
  });
});

describe('a listing', () => {
  const idsOf = async (ctx: CallContext, wanted: Record<string, unknown> = {}) => {
    const { inquiries } = await harness.reporting.listInquiries(ctx, { limit: 0, ...wanted });
    return inquiries.map(({ id }) => id);
  };

  test('holds the own inquiries, newest first, page by page', async () => {
    const [lender, other] = [institution(), institution()];
    const subject = await newSubject(harness.reporting, lender);
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      ids.unshift((await look(lender, { subject_id: subject.id })).inquiry.id);
    }
    const others = await look(other, { subject_id: subject.id });
    expect(await idsOf(lender)).toEqual(ids);
    expect(await idsOf(other)).toEqual([others.inquiry.id]);
    const first = await harness.reporting.listInquiries(lender, { limit: 2 });
    const second = await harness.reporting.listInquiries(lender, {
      limit: 2,
      cursor: first.next_cursor,
    });
    expect([...first.inquiries, ...second.inquiries].map(({ id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeUndefined();
    // The second and third repeat the first.
    expect(first.inquiries.map(({ duplicate_of }) => duplicate_of)).toEqual([ids[2], ids[2]]);
  });

  test('is narrowed by subject and time', async () => {
    const lender = institution();
    const [one, two] = [
      await newSubject(harness.reporting, lender),
      await newSubject(harness.reporting, lender),
    ];
    const early = await look(lender, { subject_id: one.id });
    harness.clock.offset_ms = 60_000;
    const late = await look(lender, { subject_id: two.id });
    expect(await idsOf(lender, { subject_id: one.id })).toEqual([early.inquiry.id]);
    const { created_at } = late.inquiry;
    expect(await idsOf(lender, { from: created_at })).toEqual([late.inquiry.id]);
    expect(await idsOf(lender, { to: created_at })).toEqual([early.inquiry.id]);
    expect(await idsOf(lender, { subject_id: randomUUID() })).toEqual([]);
  });

  test('is narrowed by purpose, also within a subject and a time', async () => {
    const lender = institution();
    const [one, two] = [
      await newSubject(harness.reporting, lender),
      await newSubject(harness.reporting, lender),
    ];
    const quoted = await look(lender, { subject_id: one.id, purpose: 'PREQUALIFICATION' });
    const applied = await look(lender, { subject_id: one.id, purpose: 'NEW_CREDIT_APPLICATION' });
    const again = await look(lender, { subject_id: two.id, purpose: 'PREQUALIFICATION' });
    const purpose = 'PREQUALIFICATION';
    expect(await idsOf(lender, { purpose })).toEqual([again.inquiry.id, quoted.inquiry.id]);
    expect(await idsOf(lender, { purpose, subject_id: one.id })).toEqual([quoted.inquiry.id]);
    expect(await idsOf(lender, { purpose: 'NEW_CREDIT_APPLICATION' })).toEqual([
      applied.inquiry.id,
    ]);
    const to = quoted.inquiry.created_at;
    expect(await idsOf(lender, { purpose, to })).toEqual([]);
    expect(await idsOf(lender, { purpose: 'COLLECTION' })).toEqual([]);
  });

  test('is refused without an institution, and for what is no time or place in it', async () => {
    const lender = institution();
    const list = (ctx: CallContext, wanted: Record<string, unknown>) =>
      refusal(harness.reporting.listInquiries(ctx, { limit: 0, ...wanted }));
    expect(await list({ ...lender, institution_id: '' }, {})).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
    });
    const at = '2026-01-02T03:04:05.000Z';
    expect(await list(lender, { from: at, to: at })).toMatchObject({ paths: ['to'] });
    expect(await list(lender, { cursor: 'x' })).toMatchObject({ paths: ['cursor'] });
    expect(await list(lender, { subject_id: 'x' })).toMatchObject({ paths: ['subject_id'] });
    expect(await list(lender, { limit: 101 })).toMatchObject({ paths: ['limit'] });
  });
});

test('an inquiry is read by its institution, and by nobody else', async () => {
  const lender = institution();
  const subject = await newSubject(harness.reporting, lender);
  const { inquiry } = await look(lender, { subject_id: subject.id });
  const read = (ctx: CallContext, inquiry_id: string) =>
    harness.reporting.getInquiry(ctx, { inquiry_id });
  expect(await read(lender, inquiry.id)).toEqual({ inquiry });
  expect(await refusal(read(institution(), inquiry.id))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal(read(lender, newId()))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal(read(lender, 'x'))).toMatchObject({ paths: ['inquiry_id'] });
});
