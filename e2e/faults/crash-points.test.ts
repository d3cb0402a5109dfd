import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CRASH_POINTS } from './crash-points';

const ROOT = path.resolve(__dirname, '../..');

/** As often as each stands in the code. */
function pointsInCode(): string[] {
  const files = globSync(['packages/*/src/**/*.ts', 'services/*/src/**/*.ts'], { cwd: ROOT });
  return files
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)])
    .map(([, name]) => name ?? '');
}

test('every place where a process may die has a name of its own, and the harness has it', () => {
  expect(pointsInCode().sort()).toEqual([...CRASH_POINTS]);
});

test('the document of reliability says of each what the process was between', () => {
  const text = readFileSync(path.join(ROOT, 'docs/RELIABILITY.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z]+\.[a-z_]+)` +\|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual([...CRASH_POINTS]);
});
