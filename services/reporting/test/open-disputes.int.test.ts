import { randomUUID } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { Purpose } from '@credit/proto/reporting/v1/types';
import { keepOpened, keepResolved } from '../src/store/known-disputes';
import { institution, newAccount, payment, useHarness } from './harness';

const harness = useHarness();
const lender = institution();
const on = () => harness.db.read(systemContext('live'));

test('open disputes are counted on the event, its account and its subject, until their outcome', async () => {
  const account = await newAccount(harness.reporting, lender);
  const other = await newAccount(harness.reporting, lender, { subject_id: account.subject_id });
  const event = await harness.report(lender, payment(account, 3));
  const about = (more: object) => ({
    dispute_id: randomUUID(),
    subject_id: account.subject_id,
    account_id: undefined,
    credit_event_id: undefined,
    institution_ids: [lender.institution_id],
    ...more,
  });
  const ofEvent = about({ account_id: account.id, credit_event_id: event.id });
  const ofSubject = about({});
  const elsewhere = about({ institution_ids: [randomUUID()] });
  const early = about({ account_id: account.id });
  // An outcome may come first; the message of a dispute may come twice.
  await keepResolved(on(), early, new Date().toISOString());
  for (const dispute of [ofEvent, ofSubject, elsewhere, early, ofEvent]) {
    await keepOpened(on(), dispute);
  }
  const counts = async () => ({
    event: (await harness.eventsOf(lender, account.id)).map((one) => one.open_dispute_count),
    account: (await harness.accountNow(lender, account.id)).open_dispute_count,
    other: (await harness.accountNow(lender, other.id)).open_dispute_count,
    subject: (
      await harness.reporting.recordInquiry(lender, {
        inquiry_id: newId(),
        subject_id: account.subject_id,
        purpose: Purpose.ACCOUNT_REVIEW,
      })
    ).open_dispute_count,
  });
  expect(await counts()).toEqual({ event: [1, 0], account: 2, other: 1, subject: 3 });
  await keepResolved(on(), ofEvent, new Date().toISOString());
  expect(await counts()).toEqual({ event: [0, 0], account: 1, other: 1, subject: 2 });
});
