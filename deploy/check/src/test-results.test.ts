import {
  countsOf,
  countsWithSecond,
  type Results,
  toTryAgain,
} from '../../../tools/test-results.cjs';

type Status = 'passed' | 'failed' | 'pending';

/** What jest says of files by their tests; of one without any, that it could not be loaded. */
function resultsOf(files: Readonly<Record<string, readonly Status[]>>): Results {
  const all = Object.values(files).flat();
  const count = (wanted: Status) => all.filter((status) => status === wanted).length;
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numRuntimeErrorTestSuites: Object.values(files).filter((tests) => tests.length === 0).length,
    numPendingTests: count('pending'),
    numTodoTests: 0,
    testResults: Object.entries(files).map(([name, tests]) => ({
      name,
      status: tests.length === 0 || tests.includes('failed') ? 'failed' : 'passed',
      assertionResults: tests.map((status) => ({ status })),
    })),
  };
}

const JOURNEY = '/project/e2e/journeys/scores.test.ts';
const INTEGRATION = '/project/services/identity/test/audit.int.test.ts';
const UNIT = '/project/packages/platform/src/errors/errors.test.ts';

describe('a run of all tests', () => {
  it('counts a file that could not be loaded as a failure', () => {
    const results = resultsOf({ [UNIT]: [], [JOURNEY]: ['passed', 'failed', 'pending'] });
    expect(countsOf(results)).toEqual({ passed: 1, failed: 2, skipped: 1 });
  });

  it('counts files that were tried again as they came out then', () => {
    const first = resultsOf({
      [UNIT]: ['passed', 'passed'],
      [JOURNEY]: ['passed', 'failed', 'pending'],
      [INTEGRATION]: [],
    });
    const passing = resultsOf({
      [JOURNEY]: ['passed', 'passed', 'passed'],
      [INTEGRATION]: ['passed'],
    });
    expect(countsWithSecond(first, passing)).toEqual({ passed: 6, failed: 0, skipped: 0 });
    const failing = resultsOf({ [JOURNEY]: ['passed', 'passed', 'failed'], [INTEGRATION]: [] });
    expect(countsWithSecond(first, failing)).toEqual({ passed: 4, failed: 2, skipped: 0 });
  });

  it('tries files again that bring servers, and only where few failed', () => {
    expect(
      toTryAgain(resultsOf({ [JOURNEY]: ['failed'], [INTEGRATION]: [], [UNIT]: ['passed'] })),
    ).toEqual([JOURNEY, INTEGRATION]);
    expect(toTryAgain(resultsOf({ [JOURNEY]: ['passed'] }))).toEqual([]);
    const many = [1, 2, 3, 4, 5].map(
      (n) => [`/project/e2e/journeys/j${n}.test.ts`, ['failed']] as const,
    );
    expect(toTryAgain(resultsOf(Object.fromEntries(many)))).toEqual([]);
  });

  it('tries nothing again where one that failed is pure, or runs with faults or chance', () => {
    for (const final of [
      UNIT,
      '/project/e2e/faults/judge.test.ts',
      '/project/e2e/journeys/faults.test.ts',
      '/project/e2e/journeys/fuzz.test.ts',
      '/project/e2e/journeys/grpc-fuzz.test.ts',
    ]) {
      expect(toTryAgain(resultsOf({ [JOURNEY]: ['failed'], [final]: ['failed'] }))).toEqual([]);
    }
  });
});
