// What jest's JSON results say, apart from the runs themselves, so that it can be tested.

/** More of them fail for a reason of their own, not for a busy moment of the machine. */
const MAX_TRIED_AGAIN = 4;
/** Begin systems or servers, and wait for them: those can fail for want of a processor. */
const BRINGS_SERVERS = /\.int\.test\.ts$|\/e2e\/journeys\/[^/]+\.test\.ts$/;
/** What runs with faults or chance has found something when it fails: such a failure is final. */
const IS_FINDING = /\/(?:faults|fuzz|grpc-fuzz)\.test\.ts$/;

function countsOf(results) {
  return {
    passed: results.numPassedTests,
    // A file that could not even be loaded has no tests to count, and is a failure.
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

/** The files that failed, when all of them may be tried again alone; else none. */
function toTryAgain(results) {
  const failed = results.testResults.filter(({ status }) => status === 'failed');
  const files = failed.map(({ name }) => name);
  const may = (file) => BRINGS_SERVERS.test(file) && !IS_FINDING.test(file);
  return files.length <= MAX_TRIED_AGAIN && files.every(may) ? files : [];
}

/** The counts of a run of which some files were tried again: those files count as they did then. */
function countsWithSecond(first, second) {
  const again = new Set(second.testResults.map(({ name }) => name));
  const counts = countsOf(first);
  for (const file of first.testResults.filter(({ name }) => again.has(name))) {
    const { assertionResults: tests } = file;
    const having = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
    counts.passed -= having('passed');
    counts.failed -= having('failed');
    counts.skipped -= having('pending', 'todo', 'skipped', 'disabled');
    if (tests.length === 0) counts.failed -= 1;
  }
  const more = countsOf(second);
  for (const name of Object.keys(counts)) counts[name] += more[name];
  return counts;
}

module.exports = { countsOf, countsWithSecond, toTryAgain };
