import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from './operator-error';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity';

/** Of a data directory: where the PostgreSQL is that is started here. */
export const POSTGRES_FOLDER = 'postgres';

/** The folder exists afterwards, for its owner only, and can be written to. */
export function prepareDataDirectory(data_directory: string): void {
  try {
    makeFolder(data_directory);
    accessSync(data_directory, constants.R_OK | constants.W_OK | constants.X_OK);
    const probe = join(data_directory, `.write-probe-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? `${error}`;
    throw new OperatorError(
      `The data folder ${data_directory} cannot be written to (${code}); choose another with DATA_DIR.`,
    );
  }
}

/**
 * Level by level: Node's own recursive mkdir never comes back where a file system refuses new
 * folders with ENOENT, as /proc does.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  const parent = dirname(folder);
  if (!existsSync(parent)) makeFolder(parent);
  // Refuses a file of that name, or a parent that is a file.
  mkdirSync(folder, { mode: 0o700 });
}

const LOCK_FILE = 'supervisor.lock';

/**
 * One supervisor per data folder. The lock of one that was killed does not count. Returns the
 * function that releases it.
 */
export function lockDataDirectory(data_directory: string): () => void {
  const file = join(data_directory, LOCK_FILE);
  // Linked into place with its content: nobody ever reads a lock half written.
  const prepared = `${file}.${process.pid}`;
  writeJson(prepared, identifyProcess(process.pid));
  try {
    takeLock(data_directory, file, prepared);
  } finally {
    rmSync(prepared, { force: true });
  }
  return () => rmSync(file, { force: true });
}

function takeLock(data_directory: string, file: string, prepared: string): void {
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      linkSync(prepared, file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readJson<ProcessIdentity>(file);
    if (holder && isAlive(holder)) {
      throw new OperatorError(
        `The system is already running on ${data_directory} (process ${holder.pid}); stop it first, or choose another folder with DATA_DIR.`,
      );
    }
    // Moved aside rather than removed: of two that find a stale lock, one gets it, and neither
    // can remove the lock the other has made meanwhile.
    const aside = `${prepared}.stale`;
    try {
      renameSync(file, aside);
    } catch {
      continue;
    }
    const moved = readJson<ProcessIdentity>(aside);
    if (moved && isAlive(moved)) renameSync(aside, file);
    else rmSync(aside, { force: true });
  }
  throw new OperatorError(`The lock ${file} could not be taken; is another start under way?`);
}

export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Whole or not at all, and for the owner only: it holds secrets or the way to them. */
export function writeJson(file: string, value: unknown): void {
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}
