import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const VERSION_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 120_000;

const run = promisify(execFile);

/** A program that the distribution has a package of. */
export interface PackagedProgram {
  readonly name: string;
  readonly package_name: string;
  /** Packages with what that one needs and a machine need not have. */
  readonly further_packages?: readonly string[];
  /** Whether what `--version` prints is of a version that will do. */
  readonly accepts: (version: string) => boolean;
  /** What an operator reads when there is no way to get it. */
  readonly advice: string;
}

/**
 * Finds a program: on PATH; else one unpacked before; else the distribution's package, fetched
 * with apt-get and unpacked without installing it, which needs no root.
 */
export async function packagedBinary(
  program: PackagedProgram,
  cache_directory = userCache(),
): Promise<string> {
  const installed = await findOnPath(program);
  if (installed !== undefined) return installed;
  const cached = join(cache_directory, program.name);
  if (await works(program, cached)) return cached;
  await mkdir(cache_directory, { recursive: true });
  // Inside the cache, so that the last step is a rename: two starts at once do not disturb
  // each other.
  const scratch = await mkdtemp(join(cache_directory, 'unpack-'));
  try {
    const unpacked = await unpackPackages(program, scratch);
    // Whoever came first has put the same there.
    await rename(librariesOf(unpacked), librariesOf(cached)).catch(() => {});
    await rename(unpacked, cached);
    return cached;
  } catch (error) {
    throw new Error(program.advice, { cause: error });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** In which environment a program runs that {@link packagedBinary} found: libraries lie beside what it unpacked. */
export function environmentOf(file: string): NodeJS.ProcessEnv {
  return { ...process.env, LD_LIBRARY_PATH: librariesOf(file) };
}

function librariesOf(file: string): string {
  return `${file}.libraries`;
}

function userCache(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'credit-network');
}

/** Debian installs some where only root's PATH leads. */
async function findOnPath(program: PackagedProgram): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...folders, '/usr/local/sbin', '/usr/sbin']) {
    const file = join(folder, program.name);
    if (await works(program, file)) return file;
  }
  return undefined;
}

async function works({ accepts }: PackagedProgram, file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    const { stdout, stderr } = await run(file, ['--version'], {
      timeout: VERSION_TIMEOUT_MS,
      env: environmentOf(file),
    });
    return accepts(`${stdout}${stderr}`);
  } catch {
    return false;
  }
}

async function unpackPackages(program: PackagedProgram, scratch: string): Promise<string> {
  const { name, package_name, further_packages = [] } = program;
  const download = (options: string[]) =>
    run('apt-get', [...options, 'download', package_name, ...further_packages], {
      cwd: scratch,
      timeout: DOWNLOAD_TIMEOUT_MS,
    });
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
  const archives = (await readdir(scratch)).filter((entry) => entry.endsWith('.deb'));
  if (archives.length === 0) throw new Error('apt-get download left no package.');
  const contents = join(scratch, 'contents');
  for (const archive of archives) {
    await run('dpkg', ['-x', join(scratch, archive), contents], { timeout: DOWNLOAD_TIMEOUT_MS });
  }
  const copy = join(scratch, name);
  await gatherLibraries(join(contents, 'usr/lib'), librariesOf(copy));
  for (const folder of ['usr/sbin', 'usr/bin']) {
    const file = join(contents, folder, name);
    if (!(await isThere(file))) continue;
    // What the package has may be a link to a file of another one.
    await copyFile(file, copy);
    await chmod(copy, 0o755);
    if (await works(program, copy)) return copy;
  }
  throw new Error(`The package ${package_name} has no ${name} that will do here.`);
}

/** Those of the packages alone; the system has the others. */
async function gatherLibraries(from: string, into: string): Promise<void> {
  await mkdir(into);
  if (!(await isThere(from))) return;
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!/\.so(\.|$)/.test(entry.name)) continue;
    await copyFile(join(entry.parentPath, entry.name), join(into, entry.name));
  }
}

async function isThere(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

async function ownPackageLists(scratch: string): Promise<string[]> {
  const lists = join(scratch, 'lists');
  const cache = join(scratch, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  return ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`];
}
