import { newId } from '@credit/platform/runtime';
import type { FileStatement } from '@credit/proto/reporting/v1/types';
import { daysAgo } from './support/reporting';
import { call, startScoring, type TestScoring } from './support/scoring';

let scoring: TestScoring;
beforeAll(async () => {
  scoring = await startScoring();
}, 60_000);
afterAll(() => scoring.stop());

const live = () => scoring.reporting.live;

function statement(
  account: { account_id: string; institution_id: string },
  overrides: Partial<FileStatement> = {},
): FileStatement {
  return {
    record_kind: 'ACCOUNT',
    record_id: account.account_id,
    account_id: account.account_id,
    institution_id: account.institution_id,
    text: 'The bank was closed.',
    set_at: daysAgo(3),
    ...overrides,
  };
}

const ALERT = {
  id: newId(),
  kind: 'FRAUD' as const,
  placed_at: daysAgo(2),
  ends_at: daysAgo(-363),
};

async function personWithTwoAccounts() {
  const subject_id = live().subject();
  const [own, other] = [
    { account_id: newId(), institution_id: newId() },
    { account_id: newId(), institution_id: newId() },
  ];
  await scoring.take(live().account(subject_id, own), live().account(subject_id, other));
  return { subject_id, own, other };
}

const read = (subject_id: string, institution_id = newId()) =>
  scoring.stub.getProfile(
    { ...call(), institution_id },
    { subject_id, inquiry_id: newId(), purpose: 'ACCOUNT_REVIEW' },
  );

test('a profile shows what the person has put on the file, and its score is the same', async () => {
  const { subject_id, own, other } = await personWithTwoAccounts();
  const before = await read(subject_id, own.institution_id);
  expect(before).toMatchObject({ alerts: [], statements: [] });
  live().words.set(subject_id, {
    alerts: [ALERT],
    statements: [
      statement(own),
      statement(other, { record_kind: 'EVENT', record_id: newId(), occurred_at: daysAgo(30) }),
    ],
  });
  // Cached or not, the file is read in one go.
  for (let round = 0; round < 2; round += 1) {
    const after = await read(subject_id, own.institution_id);
    expect(after.alerts).toEqual([
      {
        kind: 'FRAUD',
        placed_at: ALERT.placed_at,
        ends_at: ALERT.ends_at,
        instruction: expect.stringContaining('verify the identity'),
      },
    ]);
    // Whose record it is, only its institution is told.
    expect(after.statements).toEqual([
      {
        record_kind: 'ACCOUNT',
        record_id: own.account_id,
        text: expect.any(String),
        set_at: daysAgo(3),
      },
      { record_kind: 'EVENT', record_id: undefined, text: expect.any(String), set_at: daysAgo(3) },
    ]);
    expect(after.credit).toEqual(before.credit);
    expect(after.risk).toEqual(before.risk);
  }
});

test('what is said of a record that is told no more is not shown', async () => {
  const { subject_id, own, other } = await personWithTwoAccounts();
  const old_default = { started_at: daysAgo(3_000), past_due_since: daysAgo(3_000) };
  await scoring.take(
    live().account(subject_id, { ...own, voided: true }),
    live().account(subject_id, {
      ...other,
      episodes: [{ ...old_default, ended_at: daysAgo(2_700) }],
    }),
  );
  const event = (days: number) =>
    statement(other, { record_kind: 'EVENT', record_id: newId(), occurred_at: daysAgo(days) });
  live().words.set(subject_id, {
    alerts: [],
    statements: [
      statement(own),
      statement({ account_id: newId(), institution_id: newId() }),
      event(2_900),
      { ...event(100), text: 'This one is.' },
      { ...statement(other), text: 'And this.' },
    ],
  });
  const { statements } = await read(subject_id);
  expect(statements.map(({ text }) => text)).toEqual(['This one is.', 'And this.']);
});

test('a refused look shows nothing, whichever way it goes', async () => {
  const { subject_id, own } = await personWithTwoAccounts();
  const [snapshot] = await scoring.snapshots(subject_id);
  live().frozen.add(subject_id);
  const ctx = { ...call(), institution_id: own.institution_id };
  const purpose = 'NEW_CREDIT_APPLICATION' as const;
  const look = { purpose, inquiry_id: newId() };
  const { stub } = scoring;
  for (const answer of [
    stub.getProfile(ctx, { subject_id, inquiry_id: newId(), purpose }),
    stub.listSnapshots(ctx, { subject_id, limit: 0, look }),
    stub.diffSnapshots(ctx, { subject_id, snapshot_id: snapshot?.id ?? '', look }),
    stub.createReport(ctx, {
      report_id: newId(),
      subject_id,
      report_type: 'FULL',
      format: 'JSON',
      purpose,
    }),
  ]) {
    await expect(answer).rejects.toMatchObject({ reason: 'FILE_FROZEN' });
  }
  const { reports } = await stub.listReports(ctx, { limit: 0 });
  expect(reports).toEqual([]);
});
