// `npm test`: installs and builds when needed, checks what can be checked without running, runs
// the tests, and ends with one line of counts. `npm test -- path` runs those tests only.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, ensureInstalled, node, root, run, runScript } from './lib.mjs';
import { countsOf, countsWithSecond, toTryAgain } from './test-results.cjs';

const args = process.argv.slice(2);
const is_whole = args.length === 0;
ensureInstalled();

const faults = [];
let counts = { passed: 0, failed: 0, skipped: 0 };

if (!build()) {
  faults.push('The project does not compile.');
} else {
  // A part of the tests is wanted quickly, by somebody in the middle of something.
  if (is_whole && run(node(), ['tools/check.mjs']).status !== 0) {
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
    const first = await jest(path.join(folder, 'first.json'), args);
    counts = countsOf(first.results);
    if (first.results.numTotalTests === 0) faults.push('No tests were found.');
    let passed = first.code === 0;
    const again = is_whole && !passed ? toTryAgain(first.results) : [];
    if (again.length > 0) passed = await tryAgain(path.join(folder, 'second.json'), first, again);
    if (!passed) faults.push('Tests failed; see above.');
  } catch (error) {
    faults.push(`The tests did not run to their end: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What failed beside other files runs once more, alone; docs/adr/0053 says why and which. */
async function tryAgain(file, first, again) {
  const names = again.map((name) => path.relative(root, name));
  console.log(`Failed beside others, tried again alone: ${names.join(', ')}`);
  const second = await jest(file, ['--runInBand', '--runTestsByPath', ...again]);
  counts = countsWithSecond(first.results, second.results);
  if (second.code !== 0) return false;
  console.log(`FLAKY, passed alone only: ${names.join(', ')}`);
  return true;
}

async function jest(file, more) {
  const code = await runScript('node_modules/jest/bin/jest.js', [
    '--json',
    `--outputFile=${file}`,
    // A failed test may leave a server behind; that must not keep the run from ending.
    '--forceExit',
    ...more,
  ]);
  return { code, results: JSON.parse(readFileSync(file, 'utf8')) };
}
