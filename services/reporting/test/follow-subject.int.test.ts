import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { Purpose } from '@credit/proto/reporting/v1/types';
import {
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();
afterEach(() => {
  harness.clock.offset_ms = 0;
});

const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });
const DAY_MS = 86_400_000;

const follow = (ctx: CallContext, subject_id: string) =>
  harness.reporting.followSubject(ctx, { subject_id });

const audited = async (institution_id: string) =>
  (await harness.outbox()).flatMap(({ payload }) =>
    payload?.$case === 'audit_recorded' && payload.value.institution_id === institution_id
      ? [[payload.value.action, payload.value.target_id]]
      : [],
  );

describe('the scores of a subject', () => {
  test('are followed by who reports on it and by who looked of late, and that is audited', async () => {
    const furnisher = institution();
    const looker = institution();
    const subject = await newSubject(harness.reporting, institution());
    for (const stranger of [furnisher, looker]) {
      expect(await refusal(follow(stranger, subject.id))).toMatchObject({
        code: 'VALIDATION_ERROR',
        paths: ['purpose'],
      });
    }
    expect(await audited(looker.institution_id)).toEqual([]);
    await newAccount(harness.reporting, furnisher, { subject_id: subject.id });
    await follow(furnisher, subject.id);
    await harness.reporting.recordInquiry(looker, {
      inquiry_id: newId(),
      subject_id: subject.id,
      purpose: Purpose.PREQUALIFICATION,
    });
    await follow(looker, subject.id);
    expect(await audited(looker.institution_id)).toEqual([
      ['inquiry.recorded', subject.id],
      ['score_history.read', subject.id],
    ]);
    harness.clock.offset_ms = 30 * DAY_MS - 60_000;
    await follow(looker, subject.id);
    harness.clock.offset_ms = 30 * DAY_MS + 60_000;
    expect(await refusal(follow(looker, subject.id))).toMatchObject({ code: 'VALIDATION_ERROR' });
    await follow(furnisher, subject.id);
  });

  test('are not followed on the strength of a look that nobody had authorised', async () => {
    const looker = institution();
    const subject = await newSubject(harness.reporting, institution());
    const inquiry_id = newId();
    const purpose = Purpose.NEW_CREDIT_APPLICATION;
    await harness.reporting.recordInquiry(looker, { inquiry_id, subject_id: subject.id, purpose });
    await follow(looker, subject.id);
    await harness.reporting.voidInquiries(keyed(administrator), {
      dispute_id: newId(),
      subject_id: subject.id,
      institution_ids: [looker.institution_id],
      inquiry_ids: [inquiry_id],
    });
    expect(await refusal(follow(looker, subject.id))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('are not followed on the strength of a look that the subject asked for', async () => {
    const looker = institution();
    const { id: subject_id } = await newSubject(harness.reporting, institution());
    await harness.asked(subject_id, looker);
    const purpose = Purpose.SUBJECT_REQUEST;
    await harness.reporting.recordInquiry(looker, { inquiry_id: newId(), subject_id, purpose });
    expect(await refusal(follow(looker, subject_id))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('are not those of a subject that does not exist, of a test, or of another one', async () => {
    const lender = institution();
    expect(await refusal(follow(lender, randomUUID()))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(follow(lender, 'nonsense'))).toMatchObject({ code: 'VALIDATION_ERROR' });
    const [one, another] = [
      await newSubject(harness.reporting, lender),
      await newSubject(harness.reporting, lender),
    ];
    await newAccount(harness.reporting, lender, { subject_id: one.id });
    expect(await refusal(follow(lender, another.id))).toMatchObject({ code: 'VALIDATION_ERROR' });
    const in_test: CallContext = { ...lender, environment: 'test' };
    expect(await refusal(follow(in_test, one.id))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('own records are those of one institution and of one subject', async () => {
  const lender = institution();
  const other = institution();
  const subject = await newSubject(harness.reporting, lender);
  const elsewhere = await newSubject(harness.reporting, lender);
  const eventOf = async (ctx: CallContext, subject_id: string): Promise<string> => {
    const account = await newAccount(harness.reporting, ctx, { subject_id });
    const event = payment(account, 20);
    const answer = await harness.reporting.reportEvent(keyed(ctx), { event });
    return answer.event?.id ?? '';
  };
  const inquiryOf = async (ctx: CallContext): Promise<string> => {
    const inquiry_id = newId();
    const purpose = Purpose.PREQUALIFICATION;
    await harness.reporting.recordInquiry(ctx, { inquiry_id, subject_id: subject.id, purpose });
    return inquiry_id;
  };
  const own = [await eventOf(lender, subject.id), await inquiryOf(lender)];
  const foreign = [
    await eventOf(other, subject.id),
    await inquiryOf(other),
    await eventOf(lender, elsewhere.id),
    newId(),
  ];
  const wanted = { subject_id: subject.id, record_ids: [...foreign, ...own] };
  const { record_ids } = await harness.reporting.listOwnRecords(lender, wanted);
  expect(new Set(record_ids)).toEqual(new Set(own));
  const many = { ...wanted, record_ids: Array.from({ length: 201 }, () => newId()) };
  expect(await refusal(harness.reporting.listOwnRecords(lender, many))).toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});
