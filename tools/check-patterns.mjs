// No pattern in the sources takes longer than its input is long: a stranger's text of a megabyte must
// not cost minutes. Every regular expression is taken out of the syntax tree and given to recheck,
// which finds an attack or shows that there is none.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';

// In this process: the other backends are faster to start a thousand times, not once.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** For one pattern. What is not decided by then is too intricate to trust. */
const TIMEOUT_MS = 20_000;

const listed = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '*.ts', '*.mjs', '*.js', '*.cjs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
const files = listed
  .split('\n')
  // Tests and tools read what their authors wrote.
  .filter((file) => /^(packages|services)\//.test(file))
  .filter((file) => !/\.test\.ts$|\/test\/|^packages\/testing\//.test(file));

/** By pattern and flags: where it stands. */
const patterns = new Map();

function note(pattern, flags, file) {
  const key = `/${pattern}/${flags}`;
  if (!patterns.has(key)) patterns.set(key, { pattern, flags, files: new Set() });
  patterns.get(key).files.add(file);
}

/** A text that is known without running anything; undefined otherwise. */
function textOf(node) {
  if (node?.type === 'StringLiteral') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0].cooked;
  }
  return undefined;
}

const made = [];

function walk(node, file) {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, file);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'RegExpLiteral') note(node.pattern, node.flags, file);
  if (node.type === 'NewExpression' && node.callee?.value === 'RegExp') {
    const [pattern, flags] = (node.arguments ?? []).map(({ expression }) => textOf(expression));
    if (pattern === undefined) made.push(file);
    else note(pattern, flags ?? '', file);
  }
  for (const value of Object.values(node)) walk(value, file);
}

for (const file of files) {
  const text = readFileSync(path.join(root, file), 'utf8');
  walk(parseSync(text, { syntax: 'typescript', target: 'es2024' }), file);
}

const faults = [];
for (const { pattern, flags, files: places } of patterns.values()) {
  const { status, complexity, attack } = checkSync(pattern, flags, { timeout: TIMEOUT_MS });
  if (status === 'safe') continue;
  const kind = complexity?.summary ?? 'of unknown cost';
  const by = attack?.pattern === undefined ? '' : `, for example on ${attack.pattern}`;
  faults.push(`${[...places].join(', ')}: /${pattern}/${flags} is ${kind}${by}`);
}
for (const file of made) {
  faults.push(`${file}: a pattern is made while running; nobody can tell what it costs.`);
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`${patterns.size} patterns in ${files.length} files take linear time.`);
