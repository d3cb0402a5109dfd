import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { join, resolve } from 'node:path';
import { type Exit, freePort, launch, type ServerLogger, terminate, within } from './launch';
import { environmentOf } from './packaged-binary';
import { valkeyServerBinary } from './valkey-binary';

export interface ValkeyServerOptions {
  /** Holds its configuration, which has the password; made when missing. */
  data_directory: string;
  /** 0 (the default) takes a free one. */
  port?: number;
  /** What clients say; a new one unless given. */
  password?: string;
  logger?: ServerLogger;
  /** Where an unpacked server is looked for and kept; the default is the user's cache. */
  cache_directory?: string;
  ready_timeout_ms?: number;
}

export interface ValkeyServer {
  url: string;
  port: number;
  password: string;
  pid: number;
  exited: Promise<Exit>;
  /** What it held is gone. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const STOP_TIMEOUT_MS = 10_000;
/** A busy machine takes long; a server that will not start ends, and that is seen at once. */
const READY_TIMEOUT_MS = 5 * 60_000;
const GREETING_TIMEOUT_MS = 1_000;

/** A real server that holds everything in memory, on the loopback address only. */
export async function startValkeyServer(options: ValkeyServerOptions): Promise<ValkeyServer> {
  const data_directory = resolve(options.data_directory);
  await mkdir(data_directory, { recursive: true, mode: 0o700 });
  const command = await valkeyServerBinary(options.cache_directory);
  const password = options.password ?? randomBytes(24).toString('base64url');
  const config_file = join(data_directory, 'valkey.conf');
  const deadline_ms = Date.now() + (options.ready_timeout_ms ?? READY_TIMEOUT_MS);
  for (;;) {
    const port = options.port || (await freePort());
    await writeFile(config_file, configuration(port, password, data_directory), { mode: 0o600 });
    const recent: string[] = [];
    const launched = await launch({
      command,
      args: [config_file],
      env: environmentOf(command),
      parent_death_signal: 'TERM',
      onLine: (line) => {
        recent.push(line);
        if (recent.length > 20) recent.shift();
        if (line !== '') options.logger?.info(line);
      },
    });
    if (await becomesReady(port, launched.exited, deadline_ms)) {
      return {
        url: `redis://:${password}@${HOST}:${port}`,
        port,
        password,
        pid: launched.pid,
        exited: launched.exited,
        stop: () => terminate(launched, 'SIGTERM', STOP_TIMEOUT_MS),
      };
    }
    await terminate(launched, 'SIGTERM', STOP_TIMEOUT_MS);
    const port_was_taken = recent.some((line) => line.includes('Address already in use'));
    if (options.port || !port_was_taken || Date.now() >= deadline_ms) {
      const last = recent.at(-1) ?? 'it said nothing';
      throw new Error(`redis-server did not start on ${data_directory}: ${last}`);
    }
  }
}

function configuration(port: number, password: string, data_directory: string): string {
  return `bind ${HOST}
port ${port}
requirepass ${password}
dir ${JSON.stringify(data_directory)}
save ""
appendonly no
maxmemory-policy noeviction
`;
}

async function becomesReady(
  port: number,
  exited: Promise<Exit>,
  deadline_ms: number,
): Promise<boolean> {
  while (Date.now() < deadline_ms) {
    if (await answers(port)) return true;
    if (await within(25, exited)) return false;
  }
  return false;
}

/** Whoever is not let in is answered too. */
function answers(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connectSocket({ port, host: HOST });
    const end = (ready: boolean) => {
      socket.destroy();
      settle(ready);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(GREETING_TIMEOUT_MS, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => settle(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (chunk: string) => end(/^(-NOAUTH|\+PONG)/.test(chunk)));
  });
}
