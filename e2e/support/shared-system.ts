import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemAt } from '@credit/local/spawned-system';
import { type Lent, SHARED_SYSTEM_FOLDER } from './lend-system';

const POLL_MS = 100;
/** Longer than a system may take to be ready. */
const MAX_WAIT_MS = 200_000;

/** What there is of it: it prints to nobody, and nobody stops it. */
export type SharedSystem = ReturnType<typeof systemAt>;

/**
 * A system that test files share, for those that ask for nothing of their own of it: it is begun when
 * the first of them asks, and ends with the whole run. Whoever uses it changes nothing that is everybody's,
 * counts nothing that others add to, and ends no process of it.
 */
export async function sharedSystem(): Promise<SharedSystem> {
  const folder = process.env[SHARED_SYSTEM_FOLDER];
  if (folder === undefined) throw new Error('Nobody lends systems: is this file a journey?');
  writeFileSync(path.join(folder, 'wanted'), '');
  const lent_file = path.join(folder, 'lent.json');
  for (let waited_ms = 0; waited_ms < MAX_WAIT_MS; waited_ms += POLL_MS) {
    if (existsSync(lent_file)) {
      const lent: Lent = JSON.parse(readFileSync(lent_file, 'utf8'));
      if ('failed' in lent) throw new Error(`The shared system did not start: ${lent.failed}`);
      return systemAt(lent.data_directory, lent.port);
    }
    await sleep(POLL_MS);
  }
  throw new Error('The shared system was not ready in time.');
}
