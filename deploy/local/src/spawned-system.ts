import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { READY_WORDS } from './run-system';
import { RUN_FILE, type RunRecord } from './supervisor';
import { layCluster } from './template-cluster';

const ROOT = path.resolve(__dirname, '../../..');
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 40_000;

/** The whole system, as `npm start` runs it, on a port and in a folder of its own. */
export interface System {
  readonly base_url: string;
  readonly port: number;
  readonly data_directory: string;
  readonly root: string;
  readonly superadmin: { email: string; password: string };
  /** What runs now, as the supervisor keeps it beside the data. */
  runRecord(): RunRecord;
  /** Runs a service's subcommand beside it, as the npm scripts do. */
  runCommand(service: string, ...args: string[]): Promise<Ended>;
  /** Runs a script of `deploy/local` beside it, with an environment of its own too. */
  runScript(
    script: 'run-command' | 'rotate/main',
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<Ended>;
  /** Everything that the supervisor and the services have printed. */
  output(): string;
  stop(): Promise<void>;
}

/** A command that has ended, and all that it printed. */
export interface Ended {
  readonly exit_code: number;
  readonly output: string;
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
}

/** An empty folder for a system's data. */
export const newDataDirectory = () => mkdtemp(path.join(tmpdir(), 'credit-e2e-'));

/** Starts the built system and waits until all of it serves, replicas too. Its data goes when it stops. */
export async function startSystem(
  environment: Record<string, string> = {},
  kept_directory?: string,
): Promise<System> {
  const data_directory = kept_directory ?? (await newDataDirectory());
  if (kept_directory === undefined && environment.DATABASE_URL === undefined) {
    await layCluster(data_directory);
  }
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(ROOT, 'deploy/local/dist/main.js')], {
    cwd: ROOT,
    // Most journeys have nobody who signs in with it.
    env: {
      ...process.env,
      IDENTITY_PROVIDER: 'none',
      ...environment,
      PORT: `${port}`,
      DATA_DIR: data_directory,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  try {
    await waitUntilReady(child, () => output.includes(READY_WORDS));
  } catch (error) {
    await stop(child);
    throw new Error(`The system did not start: ${error}\n${output}`);
  }
  return {
    ...systemAt(data_directory, port),
    output: () => output,
    async stop() {
      await stop(child);
      await rm(data_directory, { recursive: true, force: true });
    },
  };
}

/** A system that somebody else has started on a port of this machine, and will stop. */
export function systemAt(data_directory: string, port: number): Omit<System, 'output' | 'stop'> {
  const runScript: System['runScript'] = (script, args, environment = {}) =>
    run([path.join(ROOT, `deploy/local/dist/${script}.js`), ...args], {
      ...environment,
      PORT: `${port}`,
      DATA_DIR: data_directory,
    });
  return {
    base_url: `http://127.0.0.1:${port}/api/v1`,
    port,
    data_directory,
    root: ROOT,
    superadmin: JSON.parse(readFileSync(path.join(data_directory, 'superadmin.json'), 'utf8')),
    runRecord: () => JSON.parse(readFileSync(path.join(data_directory, RUN_FILE), 'utf8')),
    runCommand: (...args) => runScript('run-command', args),
    runScript,
  };
}

/** Runs a script to its end; what it printed comes as one text, whether it succeeded or not. */
async function run(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [exit_code] = await once(child, 'close');
  return { exit_code: typeof exit_code === 'number' ? exit_code : 1, output };
}

async function waitUntilReady(child: ChildProcess, isReady: () => boolean): Promise<void> {
  const until_ms = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < until_ms) {
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`);
    if (isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it was not ready in time');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}
