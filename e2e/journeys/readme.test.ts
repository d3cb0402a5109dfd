import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort, type System, startSystem } from '@credit/local/spawned-system';
import { readManifest } from '@credit/portal';

const run = promisify(execFile);

const ROOT = path.resolve(__dirname, '../..');
const RUN = 'docs/guides/run-a-network.md';
const JOIN = 'docs/guides/quick-start.md';

/** Whatever a block has started in the background ends with its document. */
const PREAMBLE = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT";

let system: System;
/** What the two quick starts leave in their shells. */
let run_state: string;
let join_state: string;

beforeAll(async () => {
  system = await startSystem();
  run_state = path.join(system.data_directory, 'run.sh');
  join_state = path.join(system.data_directory, 'join.sh');
}, 240_000);
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
    env: { ...process.env, BASE: system.base_url, ...environment },
  });
  return stdout;
}

/** What a document leaves in its shell, for those that go on from it. */
function saveState(document: string, state_file: string): string {
  const names = [...shellOf(document).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  return `{ declare -p ${[...new Set(names)].join(' ')}; declare -f; } > '${state_file}'`;
}

it("runs the README's commands as they are written", async () => {
  expect(await runShell(shellOf('README.md'))).toContain('"status":"OPERATIONAL"');
}, 60_000);

it('leads an operator from nothing to a member’s invitation', async () => {
  const script = `${shellOf(RUN)}\n${saveState(RUN, run_state)}`;
  const printed = await runShell(script, { DATA_DIR: system.data_directory });
  expect(printed).toContain('SVC_SUPERADMIN');
  expect(printed).toContain('ACTIVE');
}, 60_000);

it('leads a lender from the invitation to a verified webhook, without the network’s own files', async () => {
  const given = await runShell(`source '${run_state}'\necho "$EMAIL $INVITATION"`);
  const [EMAIL = '', INVITATION = ''] = given.trim().split(' ');
  const script = `${shellOf(JOIN)}\n${saveState(JOIN, join_state)}`;
  expect(script).not.toMatch(/DATA_DIR|ADMIN|superadmin/);
  const HOOK_PORT = `${await freePort()}`;
  const printed = await runShell(script, { EMAIL, INVITATION, HOOK_PORT });
  expect(printed).toContain('"environment":"test"');
  expect(printed).toContain('"THIN_FILE"');
  expect(printed).toContain('The forgery was refused');
  expect(printed).toMatch(/^verified: svc\.test$/m);
  expect(printed).toMatch(/^verified: credit\.default\.reported$/m);
  expect(printed).toMatch(/ credit\.default\.reported [0-9a-f-]{36} -> 204 /);
  expect(printed).toContain('"type":"credit.default.reported"');
  expect(printed).toContain('"PH01"');
  expect(printed).toContain('"worst_current_status":"DEFAULTED"');
}, 90_000);

const guides = readManifest(path.join(ROOT, 'docs'))
  .flatMap(({ pages }) => pages.map(({ file }) => `docs/${file}`))
  .filter((file) => file.startsWith('docs/guides/') && ![RUN, JOIN].includes(file))
  .filter((file) => shellOf(file) !== '');

it.each(guides)(
  '%s goes on from the quick starts, and its commands work as written',
  async (guide) => {
    const states = `source '${run_state}'\nsource '${join_state}'`;
    const HOOK_PORT = `${await freePort()}`;
    const printed = await runShell(`${states}\nHOOK_PORT=${HOOK_PORT}\n${shellOf(guide)}`);
    if (guide.endsWith('local-webhooks.md')) {
      expect(printed).toContain('The forgery was refused');
      expect(printed).toMatch(/^verified: credit\.default\.reported about subject [0-9a-f-]{36}$/m);
      expect(printed).toContain('"status":"DELIVERED"');
    }
    // A guide leaves the next one a key that works.
    expect(await runShell(`${states}\ncall $BASE/auth/me -H "$AUTH"`)).toContain('"api_key"');
  },
  60_000,
);
