import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../..');
const PUBLISHED = path.join(ROOT, 'docs/openapi.json');
/** Seconds on an idle machine; a busy one takes its time. */
const TIMEOUT_MS = 180_000;

/** Both linters are ES modules, which run in a Node of their own. */
function lint(file: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(ROOT, 'tools/lint-openapi.mjs'), file],
    { encoding: 'utf8', timeout: TIMEOUT_MS },
  );
  return { status, lines: stdout.trim().split('\n'), stderr };
}

test(
  'the published document passes the strict rules of two linters, warnings among them',
  () => {
    expect(lint(PUBLISHED)).toEqual({ status: 0, lines: ['0 problems'], stderr: '' });
  },
  TIMEOUT_MS,
);

test(
  'both linters look at the document',
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'openapi-'));
    try {
      const file = path.join(folder, 'openapi.json');
      const paths = { '/a/{b}': { get: {}, put: {} }, '/{c}/d': { get: {}, post: {} } };
      writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'x' }, paths }));
      const { status, lines } = lint(file);
      expect(status).toBe(1);
      expect(lines).toContainEqual(expect.stringMatching(/^redocly struct #\/info: .*version/));
      expect(lines).toContainEqual(expect.stringMatching(/^spectral info-contact /));
      // One request may mean both, by one of their methods.
      const ambiguous = lines.filter((line) => line.startsWith('redocly no-ambiguous-paths'));
      expect(ambiguous).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
