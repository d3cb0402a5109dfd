import { systemContext } from '@credit/platform/context';
import { isAppError } from '@credit/platform/errors';
import { newId } from '@credit/platform/runtime';
import { CURRENT_MODEL } from '../src/domain/model';
import { daysAgo } from './support/reporting';
import { call, startScoring, type TestScoring } from './support/scoring';

let scoring: TestScoring;
beforeAll(async () => {
  scoring = await startScoring();
}, 60_000);
afterAll(() => scoring.stop());

const personOf = (subject_id: string) =>
  systemContext('live', { actor: { type: 'person', id: subject_id }, request_id: newId() });

test('a person’s own score is that of the profile, with its reasons and the model', async () => {
  const { live } = scoring.reporting;
  const subject_id = live.subject();
  await scoring.take(live.account(subject_id), live.account(subject_id), live.inquiry(subject_id));
  const profile = await scoring.profile(subject_id);
  const own = await scoring.stub.getPersonScore(personOf(subject_id), {});
  expect(own.credit?.score).toEqual(expect.any(Number));
  expect(own.credit).toEqual({ ...profile.credit, calculated_at: own.credit?.calculated_at });
  expect(own.credit?.model_version).toBe(CURRENT_MODEL.version);
  expect(own.reason_codes).toEqual(profile.reason_codes);
});

test('asking for it records no inquiry and writes no snapshot, however old the last one is', async () => {
  const { live } = scoring.reporting;
  const subject_id = live.subject();
  const late = { started_at: daysAgo(20), past_due_since: daysAgo(20) };
  await scoring.take(
    live.account(subject_id, { opened_at: daysAgo(2_000), payment_count: 24 }),
    live.account(subject_id, { opened_at: daysAgo(900), episodes: [late] }),
  );
  const before = await scoring.snapshots(subject_id);
  const inquired = live.inquired.length;
  const then_ms = scoring.clock.at_ms;
  scoring.clock.at_ms += 40 * 86_400_000;
  try {
    const aged = await scoring.stub.getPersonScore(personOf(subject_id), {});
    expect(aged.credit?.score).not.toBe(before[0]?.score);
    expect(live.inquired).toHaveLength(inquired);
    expect(await scoring.snapshots(subject_id)).toEqual(before);
    // A look of an institution would have written one.
    await scoring.profile(subject_id);
    expect((await scoring.snapshots(subject_id))[0]?.trigger?.type).toBe('AGEING');
  } finally {
    scoring.clock.at_ms = then_ms;
  }
});

test('what is on record counts at once, whatever the projection knows', async () => {
  const { live } = scoring.reporting;
  const subject_id = live.subject();
  // What it gives is never taken in.
  live.account(subject_id);
  const { credit } = await scoring.stub.getPersonScore(personOf(subject_id), {});
  expect(credit?.score).toEqual(expect.any(Number));
});

test('it is for the person alone', async () => {
  const refused = await scoring.stub.getPersonScore(call(), {}).catch((error: unknown) => error);
  expect(isAppError(refused) && refused).toMatchObject({
    code: 'INSUFFICIENT_SCOPE',
    reason: 'CREDENTIAL_KIND',
  });
});
