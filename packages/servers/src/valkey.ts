import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { join, resolve } from 'node:path';
import type { ServerLogger } from './launch';
import { launchReady, type ReadyServer } from './launch-ready';
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

/** What it held is gone when it is stopped. */
export interface ValkeyServer extends ReadyServer {
  readonly url: string;
  readonly password: string;
}

const HOST = '127.0.0.1';
const STOP_TIMEOUT_MS = 10_000;
const GREETING_TIMEOUT_MS = 1_000;

/** A real server that holds everything in memory, on the loopback address only. */
export async function startValkeyServer(options: ValkeyServerOptions): Promise<ValkeyServer> {
  const data_directory = resolve(options.data_directory);
  await mkdir(data_directory, { recursive: true, mode: 0o700 });
  const command = await valkeyServerBinary(options.cache_directory);
  const password = options.password ?? randomBytes(24).toString('base64url');
  const config_file = join(data_directory, 'valkey.conf');
  const server = await launchReady({
    port: options.port,
    ready_timeout_ms: options.ready_timeout_ms,
    stop: { signal: 'SIGTERM', timeout_ms: STOP_TIMEOUT_MS },
    prepare: async (port) => {
      await writeFile(config_file, configuration(port, password, data_directory), { mode: 0o600 });
      const env = environmentOf(command);
      return { command, args: [config_file], env, parent_death_signal: 'TERM' };
    },
    onLine: (line) => {
      if (line !== '') options.logger?.info(line);
    },
    isReady: (_launched, port) => answers(port),
    tellsTakenPort: (output) => output.includes('Address already in use'),
    failure: (recent) =>
      `redis-server did not start on ${data_directory}: ${recent.at(-1) ?? 'it said nothing'}`,
  });
  return { ...server, url: `redis://:${password}@${HOST}:${server.port}`, password };
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
