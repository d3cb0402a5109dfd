// `npm test`: installs and builds when needed, checks what can be checked without running, runs
// the tests, and ends with one line of counts. `npm test -- path` runs those tests only.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, ensureInstalled, node, run, runScript } from './lib.mjs';

const args = process.argv.slice(2);
ensureInstalled();

const faults = [];
const counts = { passed: 0, failed: 0, skipped: 0 };

if (!build()) {
  faults.push('The project does not compile.');
} else {
  // A part of the tests is wanted quickly, by somebody in the middle of something.
  if (args.length === 0 && run(node(), ['tools/check.mjs']).status !== 0) {
    faults.push('A check failed; see above.');
  }
  await runTests();
}
for (const fault of faults) console.log(fault);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = faults.length > 0 ? 1 : 0;

async function runTests() {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-results-'));
  try {
    const file = path.join(folder, 'results.json');
    const jest = 'node_modules/jest/bin/jest.js';
    const code = await runScript(jest, [
      '--json',
      `--outputFile=${file}`,
      // A failed test may leave a server behind; that must not keep the run from ending.
      '--forceExit',
      ...args,
    ]);
    if (code !== 0) faults.push('Tests failed; see above.');
    count(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    faults.push(`The tests did not run to their end: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function count(results) {
  counts.passed = results.numPassedTests;
  // A file that could not even be loaded has no tests to count, and is a failure.
  counts.failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  counts.skipped = results.numPendingTests + results.numTodoTests;
  if (results.numTotalTests === 0) faults.push('No tests were found.');
}
