import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { ReportStatus } from '@credit/proto/scoring/v1/scoring';
import { type Scan, watchPlans } from '@credit/testing';
import { startScoring, type TestScoring } from './support/scoring';

// What is hot costs the same however many subjects there are: a subject's rows are found by an index
// that begins with it. docs/SCALING.md says what that bears.

let scoring: TestScoring;
let take: () => Scan[];

beforeAll(async () => {
  scoring = await startScoring();
  ({ take } = await watchPlans(scoring.database.db, 'live'));
});
afterAll(() => scoring.stop());

const OF_SUBJECTS = /^(subject_heads|account_projections|inquiry_projections|score_snapshots)$/;

/** Every row of a subject is found by an index whose condition names it. */
function expectPruned(scans: readonly Scan[]): void {
  const of_subjects = scans.filter(({ relation }) => OF_SUBJECTS.test(relation));
  expect(of_subjects.length).toBeGreaterThan(0);
  for (const { statement, relation, index_condition } of of_subjects) {
    const place = `${relation} in ${statement}`;
    expect([place, index_condition]).toEqual([place, expect.stringContaining('subject_id')]);
  }
}

test('what is hot of one subject is found by an index that begins with it', async () => {
  const { live: reporting } = scoring.reporting;
  const subject_id = reporting.subject();
  const opened = reporting.account(subject_id);
  await scoring.take(opened);
  take();

  const account_id =
    opened.payload?.$case === 'account_changed' ? opened.payload.value.account?.account_id : '';
  await scoring.take(reporting.account(subject_id, { account_id }));
  expectPruned(take());

  await scoring.profile(subject_id);
  await scoring.snapshots(subject_id);
  expectPruned(take());
});

test('reports of an institution in a status are found by an index of both', async () => {
  const { stub } = scoring;
  const ctx = { ...systemContext('live'), institution_id: newId() };
  const scanOf = async (status: ReportStatus | undefined) => {
    take();
    await stub.listReports(ctx, { limit: 0, status });
    return take().filter(({ relation }) => relation === 'reports');
  };
  const by_status = [{ index_condition: expect.stringMatching(/institution_id.*status/) }];
  expect(await scanOf(ReportStatus.PENDING)).toMatchObject(by_status);
  expect(await scanOf(ReportStatus.FAILED)).toMatchObject(by_status);
  expect(await scanOf(ReportStatus.EXPIRED)).toMatchObject(by_status);
  const [ready] = await scanOf(ReportStatus.READY);
  expect(ready).toMatchObject({
    node_type: 'Index Scan',
    index_name: 'reports_of_institution_with_document',
  });
});
