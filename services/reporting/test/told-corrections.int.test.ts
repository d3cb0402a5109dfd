// Who looked at a file is told of what it may have seen and was wrong.

import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import type { NewEvent } from '@credit/proto/reporting/v1/reporting';
import type { EventType, Purpose } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, onDay, personOf, refusal, useHarness } from './harness';

const harness = useHarness();
afterEach(() => {
  harness.clock.offset_ms = 0;
});

const DAY_MS = 86_400_000;
const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });

const look = (
  { institution_id }: CallContext,
  subject_id: string,
  purpose: Purpose = 'NEW_CREDIT_APPLICATION',
  inquiry_id = newId(),
) =>
  harness.reporting.recordInquiry(institution(institution_id), { inquiry_id, subject_id, purpose });

async function told(subject_id: string) {
  return (await harness.outbox()).flatMap(({ payload }) =>
    payload?.$case === 'record_corrected' && payload.value.subject_id === subject_id
      ? [payload.value]
      : [],
  );
}

const correctionsOf = async (subject_id: string) =>
  (await harness.reporting.getPersonFile(personOf(subject_id), {})).corrections;

const idsOf = (...of: readonly CallContext[]) => of.map((one) => one.institution_id ?? '').sort();

const event = (account_id: string, event_type: EventType, more: object = {}): NewEvent => ({
  credit_account_id: account_id,
  event_type,
  occurred_at: onDay(100),
  ...more,
});

const correction = (account_id: string, supersedes_event_id: string, more: object = {}) =>
  event(account_id, 'CORRECTION', {
    supersedes_event_id,
    correction_reason: 'entered wrongly',
    ...more,
  });

const mend = (credit_event_id: string, dispute_id: string = randomUUID(), more: object = {}) =>
  harness.reporting.correctForDispute(keyed(administrator), {
    dispute_id,
    credit_event_id,
    filed_since: onDay(0),
    correction_reason: 'the bank confirms it',
    ...more,
  });

describe('a correction of what spoke against the person', () => {
  test('is told to its furnisher and to who looked in six months, each once', async () => {
    const [lender, hard, soft, late, refused, unauthorised, stranger] = Array.from(
      { length: 7 },
      () => institution(),
    ) as [
      CallContext,
      CallContext,
      CallContext,
      CallContext,
      CallContext,
      CallContext,
      CallContext,
    ];
    const { id, subject_id } = await newAccount(harness.reporting, lender);
    const wrong = await harness.report(lender, event(id, 'PAYMENT_LATE', { amount_minor: 500n }));
    harness.clock.offset_ms = -184 * DAY_MS;
    await look(late, subject_id);
    harness.clock.offset_ms = -182 * DAY_MS;
    await look(hard, subject_id);
    harness.clock.offset_ms = 0;
    await look(hard, subject_id);
    await look(soft, subject_id, 'PREQUALIFICATION');
    const inquiry_id = newId();
    await look(unauthorised, subject_id, 'NEW_CREDIT_APPLICATION', inquiry_id);
    await harness.reporting.voidInquiries(keyed(administrator), {
      dispute_id: newId(),
      subject_id,
      institution_ids: idsOf(unauthorised),
      inquiry_ids: [inquiry_id],
    });
    await harness.reporting.placeFreeze(personOf(subject_id), {});
    await refusal(look(refused, subject_id));
    await look(stranger, (await newAccount(harness.reporting, lender)).subject_id);

    const mended = await harness.report(lender, correction(id, wrong.id));
    const receivers = idsOf(lender, hard, soft);
    expect(await told(subject_id)).toEqual([
      expect.objectContaining({
        kind: 'RECORD',
        credit_event_id: wrong.id,
        correction_event_id: mended.id,
        event_type: 'PAYMENT_LATE',
        change: 'REMOVED',
        status: 'CURRENT',
        occurred_at: wrong.occurred_at,
        reported_at: mended.reported_at,
        receiver_institution_ids: receivers,
        reporting_institution_id: lender.institution_id,
      }),
    ]);
    expect(await correctionsOf(subject_id)).toEqual([
      {
        correction_event_id: mended.id,
        credit_event_id: wrong.id,
        account_id: id,
        event_type: 'PAYMENT_LATE',
        change: 'REMOVED',
        told: receivers.map((institution_id) => ({ institution_id, at: mended.reported_at })),
      },
    ]);
  });

  test('is told once to who heard of the default itself, and by one event of each correction', async () => {
    const [lender, applicant, looker] = [institution(), institution(), institution()];
    const { id, subject_id } = await newAccount(harness.reporting, lender);
    // Has an application before it, and so hears of the default.
    await look(applicant, subject_id);
    const wrong = await harness.report(lender, event(id, 'DEFAULT_REPORTED'));
    await look(looker, subject_id, 'PREQUALIFICATION');
    const milder = await harness.report(
      lender,
      correction(id, wrong.id, {
        corrected_event_type: 'DEFAULT_REPORTED',
        default_severity: 'MINOR',
      }),
    );
    const heard = (await told(subject_id)).map(({ kind, receiver_institution_ids }) => [
      kind,
      [...receiver_institution_ids].sort(),
    ]);
    expect(heard).toEqual([
      ['DEFAULT', idsOf(lender, applicant)],
      ['RECORD', idsOf(looker)],
    ]);
    expect(await correctionsOf(subject_id)).toMatchObject([
      {
        change: 'REPLACED',
        told: idsOf(lender, applicant, looker).map((institution_id) => ({ institution_id })),
      },
    ]);
    // The correction of the correction is another one, and is told as well: what was first is back.
    await harness.report(lender, correction(id, milder.id));
    expect((await told(subject_id)).slice(2)).toMatchObject([
      { kind: 'DEFAULT', default_severity: 'MODERATE' },
      { change: 'REPLACED', receiver_institution_ids: idsOf(looker) },
    ]);
  });

  test('and nobody is told of one that spoke against nobody, until a dispute accepts it', async () => {
    const [lender, looker] = [institution(), institution()];
    const { id, subject_id } = await newAccount(harness.reporting, lender);
    await look(looker, subject_id);
    const paid = await harness.report(lender, event(id, 'PAYMENT_MADE', { amount_minor: 500n }));
    const filed = await harness.report(lender, correction(id, paid.id));
    expect(await told(subject_id)).toEqual([]);
    const dispute_id = randomUUID();
    const outcome = await mend(paid.id, dispute_id);
    expect(outcome).toMatchObject({ linked: true, correction_event_id: filed.id });
    await mend(paid.id, dispute_id);
    await mend(paid.id);
    expect(await told(subject_id)).toMatchObject([
      { correction_event_id: filed.id, receiver_institution_ids: idsOf(lender, looker) },
    ]);
    expect(await correctionsOf(subject_id)).toHaveLength(1);
  });

  test('is told of an account that an outcome takes off the file', async () => {
    const [lender, looker] = [institution(), institution()];
    const { id, subject_id } = await newAccount(harness.reporting, lender);
    await look(looker, subject_id);
    const [opening] = await harness.eventsOf(lender, id);
    await mend(opening?.id ?? '');
    expect(await told(subject_id)).toMatchObject([
      {
        event_type: 'ACCOUNT_OPENED',
        change: 'ACCOUNT_REMOVED',
        receiver_institution_ids: idsOf(lender, looker),
      },
    ]);
  });

  test('leaves neighbours alone: nobody is told of a refused one, nor of another’s file', async () => {
    const [lender, looker] = [institution(), institution()];
    const { id, subject_id } = await newAccount(harness.reporting, lender);
    const other = await newAccount(harness.reporting, lender);
    await look(looker, subject_id);
    const wrong = await harness.report(lender, event(id, 'PAYMENT_LATE', { amount_minor: 500n }));
    await harness.report(looker, correction(id, wrong.id)).catch(() => undefined);
    await harness.report(lender, correction(other.id, wrong.id)).catch(() => undefined);
    expect([await told(subject_id), await told(other.subject_id)]).toEqual([[], []]);
    expect(await correctionsOf(other.subject_id)).toEqual([]);
  });
});
