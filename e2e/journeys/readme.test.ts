import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort, type System, startSystem } from '@credit/local/spawned-system';
import { readManifest } from '@credit/portal';

const run = promisify(execFile);

const ROOT = path.resolve(__dirname, '../..');
const QUICK_START = 'docs/guides/quick-start.md';

/** Whatever a block has started in the background ends with its document. */
const PREAMBLE = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT";

let system: System;
let state_file: string;

beforeAll(async () => {
  system = await startSystem();
  state_file = path.join(system.data_directory, 'state.sh');
}, 150_000);
afterAll(() => system?.stop(), 60_000);

function read(document: string): string {
  return readFileSync(path.join(ROOT, document), 'utf8');
}

/** The fenced `sh` blocks of a document, in order, as one script. */
function shellOf(document: string): string {
  return [...read(document).matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, text]) => text)
    .join('\n');
}

async function runShell(script: string, environment: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', `${PREAMBLE}\n${script}`], {
    cwd: ROOT,
    timeout: 60_000,
    env: {
      ...process.env,
      BASE: system.base_url,
      DATA_DIR: system.data_directory,
      ...environment,
    },
  });
  return stdout;
}

/** What a document leaves in its shell, for those that go on from it. */
function saveState(document: string): string {
  const names = [...shellOf(document).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  return `{ declare -p ${[...new Set(names)].join(' ')}; declare -f; } > '${state_file}'`;
}

it("runs the README's commands as they are written", async () => {
  expect(await runShell(shellOf('README.md'))).toContain('"status":"OPERATIONAL"');
}, 60_000);

it('leads from nothing to a verified webhook, by the quick start alone', async () => {
  const port = await freePort();
  const script = `${shellOf(QUICK_START)}\n${saveState(QUICK_START)}`;
  const printed = await runShell(script, { HOOK_PORT: `${port}` });
  expect(printed).toContain('"environment":"test"');
  expect(printed).toContain('"THIN_FILE"');
  expect(printed).toContain('The forgery was refused');
  expect(printed).toMatch(/^verified: credit\.default\.reported about subject [0-9a-f-]{36}$/m);
  expect(printed).toContain('"status":"DELIVERED"');
  expect(printed).toContain('"PH01"');
  expect(printed).toContain('"worst_current_status":"DEFAULTED"');
}, 90_000);

const guides = readManifest(path.join(ROOT, 'docs'))
  .flatMap(({ pages }) => pages.map(({ file }) => `docs/${file}`))
  .filter((file) => file.startsWith('docs/guides/') && file !== QUICK_START)
  .filter((file) => shellOf(file) !== '');

it.each(guides)(
  '%s goes on from the quick start, and its commands work as written',
  async (guide) => {
    await runShell(`source '${state_file}'\n${shellOf(guide)}`);
    // A guide leaves the next one a key that works.
    expect(await runShell(`source '${state_file}'\ncall $BASE/auth/me -H "$AUTH"`)).toContain(
      '"api_key"',
    );
  },
  60_000,
);
