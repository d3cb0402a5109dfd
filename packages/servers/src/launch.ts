import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** What a server's own log lines are given to; a pino logger fits. */
export interface ServerLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A started child and the one promise that tells when it is gone. */
export interface Launched {
  process: ChildProcess;
  pid: number;
  exited: Promise<Exit>;
}

export interface LaunchOptions {
  command: string;
  args: string[];
  /** What the kernel sends the child if this process is killed outright (Linux). */
  parent_death_signal: 'INT' | 'TERM' | 'KILL';
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Gives a Node.js child an IPC channel, whose closing tells it that this process is gone. */
  ipc?: boolean;
  uid?: number;
  gid?: number;
  /** Put in front of everything, e.g. `unshare …`; it must exec, not fork. */
  wrapper?: string[];
  onLine(line: string): void;
}

let setpriv_works: boolean | undefined;

/**
 * util-linux's setpriv lets the kernel end the child when its parent dies, so that not even
 * `kill -9` leaves a server behind. Elsewhere the next start finds the old server by its pid file.
 */
function canFollowParent(): boolean {
  setpriv_works ??=
    process.platform === 'linux' && succeeds('setpriv', ['--pdeathsig', 'TERM', 'true']);
  return setpriv_works;
}

export function succeeds(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a server in a session of its own: Ctrl-C in a terminal goes to the whole foreground
 * group, and a database that shut down together with its clients would break the order of stopping.
 */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const follow = canFollowParent() ? ['setpriv', '--pdeathsig', options.parent_death_signal] : [];
  // setpriv comes last: the kernel forgets the signal when unshare changes the credentials.
  const [command = options.command, ...args] = [
    ...(options.wrapper ?? []),
    ...follow,
    options.command,
    ...options.args,
  ];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
    detached: true,
    env: options.env ?? process.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  for (const stream of [child.stdout, child.stderr]) readLines(stream, options.onLine);
  return { process: child, pid: child.pid as number, exited };
}

const MAX_LINE_LENGTH = 64 * 1024;

/** Calls back once per line; a line without an end is cut rather than kept for ever. */
export function readLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void) {
  if (!stream) return;
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
    for (const line of lines) onLine(line.trimEnd());
  });
  stream.on('end', () => {
    if (rest) onLine(rest.trimEnd());
    rest = '';
  });
}

/** Asks the process to end, waits `timeout_ms` at most, then kills it. */
export async function terminate(
  launched: Pick<Launched, 'pid' | 'exited'>,
  signal: NodeJS.Signals,
  timeout_ms: number,
): Promise<void> {
  sendSignal(launched.pid, signal);
  if (await within(timeout_ms, launched.exited)) return;
  sendSignal(launched.pid, 'SIGKILL');
  await within(5_000, launched.exited);
}

/** False when there is no such process (any more). */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export async function within(timeout_ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeout_ms);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether something can listen on this port of the loopback address right now. */
export function portIsFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

// Below the range that kernels hand out to outgoing connections (32768 on Linux, 49152
// elsewhere): one of those could otherwise take the port between this look and the bind.
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** A port nobody listens on; random, so that two starts at the same time rarely meet. */
export async function freePort(avoid: ReadonlySet<number> = new Set()): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    if (!avoid.has(port) && (await portIsFree(port))) return port;
  }
  throw new Error(`No free port was found between ${FIRST_PORT} and ${LAST_PORT}.`);
}

const FIRST_OF_ROWS = 20_000;
const ROWS = 10_000;
const MAX_ROWS_TRIED = 50;

/** The first of some ports in a row that are all free. */
export async function freePortRow(length: number): Promise<number> {
  for (let tried = 0; tried < MAX_ROWS_TRIED; tried += 1) {
    const first = FIRST_OF_ROWS + Math.floor(Math.random() * ROWS);
    const row = Array.from({ length }, (_, index) => portIsFree(first + index));
    if ((await Promise.all(row)).every(Boolean)) return first;
  }
  throw new Error(`No ${length} ports in a row are free.`);
}
