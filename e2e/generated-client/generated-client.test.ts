import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');
const MODULES = path.join(ROOT, 'e2e/node_modules');
const PROGRAMS = ['lender.ts', 'mistaken.ts'];
/** Seconds on an idle machine; a busy one takes its time. */
const TIMEOUT_MS = 180_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'generated-client-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, args: string[]) {
  return spawnSync(process.execPath, [path.join(MODULES, script), ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
}

/** The compiler's complaints, as `file:line`. */
function complaintsOf(output: string): string[] {
  return [...output.matchAll(/^(\S+\.ts)\((\d+),\d+\): error/gm)].map(
    ([, file, line]) => `${file}:${line}`,
  );
}

it(
  'compiles a program that is right and refuses one that is not, with types that others generate',
  () => {
    const document = path.join(ROOT, 'docs/openapi.json');
    const generated = run('openapi-typescript/bin/cli.js', [document, '--output', 'api.d.ts']);
    expect(generated).toMatchObject({ status: 0 });
    for (const name of PROGRAMS) copyFileSync(path.join(__dirname, name), path.join(folder, name));
    const { stdout } = run('typescript/bin/tsc', [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'es2022',
      '--moduleResolution',
      'bundler',
      '--lib',
      'es2022,dom',
      ...PROGRAMS,
    ]);
    const lines = readFileSync(path.join(__dirname, 'mistaken.ts'), 'utf8').split('\n');
    const first = lines.findIndex((line) => line.startsWith('export const mistakes')) + 2;
    const last = lines.lastIndexOf('];');
    // Complaints about one line are one mistake; lender.ts has none.
    expect([...new Set(complaintsOf(stdout))]).toEqual(
      Array.from({ length: last - first + 1 }, (_, index) => `mistaken.ts:${first + index}`),
    );
  },
  TIMEOUT_MS,
);
