import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './kustomize';

const rows = readFileSync(join(ROOT, 'docs/LAW.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()))
  .slice(2);

/** `path`: how the name of a test in it begins; several with semicolons between. */
const HELD_BY = /^`(?<file>[^`]+)`: (?<name>.+)$/;

const held = rows.flatMap((cells) => {
  const [asked = '', tests = ''] = [cells[0], cells.at(-1)];
  return tests.split('; ').map((text) => [asked, text] as const);
});

test('the table of laws has rows of five cells', () => {
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((cells) => cells.length !== 5 || cells.includes(''))).toEqual([]);
});

test.each(held)('%s: %s', (_, text) => {
  const { file, name } = HELD_BY.exec(text)?.groups ?? {};
  const path = join(ROOT, `${file}.test.ts`);
  expect(existsSync(path)).toBe(true);
  const names = [
    ...readFileSync(path, 'utf8').matchAll(/\b(?:test|it)(?:\.each)?\(\s*'([^'\n]+)'/g),
  ];
  expect(
    names.map(([, title]) => title).filter((title) => title?.startsWith(name ?? '?')),
  ).toHaveLength(1);
});
