// Runs in jest's own process: begins the system that test files share when the first of them asks, and
// stops it after the last.

import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type System, startSystem } from '@credit/local/spawned-system';

/** Names the folder by which files ask and are answered. */
export const SHARED_SYSTEM_FOLDER = 'CREDIT_SHARED_SYSTEM';

/** What is answered, in `lent.json`. */
export type Lent =
  | { readonly data_directory: string; readonly port: number }
  | { readonly failed: string };

/** Many files come from one address, at most two at once, and look soon after what they asked for. */
const SETTINGS = {
  RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '200',
  RATE_LIMIT_PERSON_PER_MINUTE: '10000',
  REPORT_POLL_MS: '200',
};

const LOOK_MS = 100;

let folder: string | undefined;
let looking: NodeJS.Timeout | undefined;
let begun: Promise<System> | undefined;

/** Before the first test file. */
export default async function setUp(): Promise<void> {
  const made = await mkdtemp(path.join(tmpdir(), 'credit-shared-'));
  folder = made;
  process.env[SHARED_SYSTEM_FOLDER] = made;
  // For every system of the run: tests end processes, not the machine.
  process.env.POSTGRES_FSYNC = 'off';
  looking = setInterval(() => {
    if (!existsSync(path.join(made, 'wanted'))) return;
    clearInterval(looking);
    begun = startSystem(SETTINGS);
    void begun.then(
      ({ data_directory, port }) => answer(made, { data_directory, port }),
      (error) => answer(made, { failed: String(error) }),
    );
  }, LOOK_MS);
  looking.unref();
}

/** After the last. */
export async function tearDown(): Promise<void> {
  clearInterval(looking);
  const system = await begun?.catch(() => undefined);
  await system?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

/** Whole at once, for many look. */
async function answer(to: string, lent: Lent): Promise<void> {
  const file = path.join(to, 'lent.json');
  await writeFile(`${file}.new`, JSON.stringify(lent));
  await rename(`${file}.new`, file);
}
