// No pattern takes more than linear time: a step of `npm run check`. One that backtracks over what
// a stranger sends stops a process with a single request, and no reader sees it.
//
// What is shipped has to be proven linear. Tests and tools read nothing but this repository: theirs
// are only refused when they are exponential.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

const NOT_SHIPPED =
  /\.test\.ts$|^services\/[a-z]+\/test\/|^(?:e2e|bench|tools|deploy\/check|packages\/testing)\//;
const SHIPPED_TIMEOUT_MS = 120_000;
const OTHER_TIMEOUT_MS = 1_000;
const AT_ONCE = 4;
const FUZZ_TRIES = 3;

// The build for this machine when there is one, else the one in JavaScript, which takes longer.
const systems = { darwin: 'macos', win32: 'windows' };
try {
  const system = systems[process.platform] ?? process.platform;
  require.resolve(`recheck-${system}-${process.arch}/package.json`);
  process.env.RECHECK_BACKEND = 'native';
} catch {
  process.env.RECHECK_BACKEND = 'pure';
}
const { check } = require('recheck');

/** The syntax tree's nodes, outermost first. */
function* nodesOf(value) {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.type === 'string') yield value;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

function sourceFiles() {
  const names = ['*.ts', '*.mjs', '*.cjs', '*.js'];
  const args = ['ls-files', '-co', '--exclude-standard', ...names];
  const { stdout, status } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error('git cannot list the files of this repository');
  return stdout
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/gen/') && existsSync(path.join(root, file)));
}

const faults = [];
const patterns = new Map();
for (const file of sourceFiles()) {
  const is_shipped = !NOT_SHIPPED.test(file);
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const node of nodesOf(
    parseSync(text, { syntax: 'typescript', decorators: true, target: 'es2024' }),
  )) {
    if (node.type === 'RegExpLiteral') {
      const literal = `/${node.pattern}/${node.flags}`;
      const known = patterns.get(literal) ?? { pattern: node.pattern, flags: node.flags, file };
      patterns.set(literal, {
        ...known,
        file: is_shipped ? file : known.file,
        is_shipped: is_shipped || known.is_shipped,
      });
    }
    const builds = node.type === 'NewExpression' || node.type === 'CallExpression';
    if (is_shipped && builds && node.callee?.value === 'RegExp') {
      faults.push(`${file}: a pattern that is put together when it runs cannot be checked`);
    }
  }
}

/** Where no proof can be had strings are tried at random; one that a slow pattern has is found each time. */
async function checkShipped(pattern, flags) {
  let found;
  for (let tries = 0; tries < FUZZ_TRIES; tries += 1) {
    found = await check(pattern, flags, { timeout: SHIPPED_TIMEOUT_MS });
    if (found.status !== 'vulnerable' || found.checker !== 'fuzz') break;
  }
  return found;
}

async function look([literal, { pattern, flags, file, is_shipped }]) {
  const { status, complexity } = is_shipped
    ? await checkShipped(pattern, flags)
    : await check(pattern, flags, { timeout: OTHER_TIMEOUT_MS, checker: 'automaton' });
  const is_fine = is_shipped ? status === 'safe' : complexity?.type !== 'exponential';
  if (!is_fine) faults.push(`${file}: ${literal} is ${complexity?.summary ?? status}`);
}

const waiting = [...patterns];
const work = async () => {
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await look(next);
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
for (const fault of faults.sort()) console.error(fault);
if (faults.length > 0)
  console.error('Patterns have to take linear time; see tools/check-patterns.mjs.');
// The checker's process would keep this one.
process.exit(faults.length > 0 ? 1 : 0);
