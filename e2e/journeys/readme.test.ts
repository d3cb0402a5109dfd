import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type System, startSystem } from '@credit/local/spawned-system';

const run = promisify(execFile);

/** Read one after the other in one shell: each goes on from where the one before ended. */
const DOCUMENTS = [
  'README.md',
  'docs/guides/reporting.md',
  'docs/guides/profiles.md',
  'docs/guides/errors.md',
  'docs/guides/authentication.md',
  'docs/guides/disputes.md',
];

let system: System;

beforeAll(async () => {
  system = await startSystem();
}, 150_000);
afterAll(() => system?.stop(), 60_000);

/** The fenced `sh` blocks of a document, in order, as one script. */
function shellOf(document: string): string {
  return [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]).join('\n');
}

it("runs the README's walk and the guides as they are written", async () => {
  const script = DOCUMENTS.map((name) =>
    shellOf(readFileSync(path.join(system.root, name), 'utf8')),
  ).join('\n');
  expect(script).toContain('DEFAULT_REPORTED');
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: system.root,
    env: { ...process.env, BASE: system.base_url, DATA_DIR: system.data_directory },
  });
  expect(stdout).toContain('"PH01"');
  expect(stdout).toContain('"worst_current_status":"DEFAULTED"');
  expect(stdout).toContain('"Svc-Signature":"v1=');
  expect(stdout).toContain('"effect":"SUPERSEDED"');
  expect(stdout).toContain('"status":"RESOLVED_CORRECTED"');
}, 120_000);
