import { createHmac } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { join, resolve } from 'node:path';
import { serverAuthorization } from '@credit/platform/bus';
import { keptPassword } from './kept-password';
import { type Exit, type ServerLogger, sendSignal } from './launch';
import { launchReady, pause } from './launch-ready';
import { natsServerBinary } from './nats-binary';

export interface NatsServerOptions {
  /** Holds the JetStream store and the administrator's password; made when missing. */
  data_directory: string;
  /** 0 (the default) takes a free one. */
  port?: number;
  logger?: ServerLogger;
  /** Where an unpacked nats-server is looked for and kept; the default is the user's cache. */
  cache_directory?: string;
  /** Stop a server that still runs on this data (its owner was killed) rather than refuse. */
  take_over?: boolean;
  max_payload_bytes?: number;
  /** Of the administrator; the one of the folder, or a new one, when it is not given. */
  password?: string;
  /** What it is part of, with other servers of the same password. */
  cluster?: NatsClusterMember;
  ready_timeout_ms?: number;
}

export interface NatsClusterMember {
  /** Of this server; of each its own. */
  readonly name: string;
  /** Where the others reach this one. */
  readonly port: number;
  /** Where they tell each other that it is, when not there: behind proxies, nowhere. */
  readonly advertised_port?: number;
  /** Where this one reaches the others. */
  readonly peer_ports: readonly number[];
  /** Where it tells over HTTP how it is. */
  readonly monitor_port: number;
}

export interface NatsServer {
  /** Of the administrator, who may do everything. */
  url: string;
  /** Of a service or of the stream's keeper, with the rights that it has everywhere. */
  urlOf(user: string): string;
  port: number;
  pid: number;
  exited: Promise<Exit>;
  /** Clients are disconnected, what was stored is kept. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const ADMINISTRATOR = 'administrator';
/** As whom servers of a cluster know each other; no client's name. */
const ROUTE = 'route';
const STOP_TIMEOUT_MS = 10_000;
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/**
 * A real nats-server with JetStream, on the loopback address only, where each user of the machine
 * gets to: it lets in whoever knows a password. Starting on the same folder again keeps passwords
 * and what was stored. On Linux the kernel ends it when this process is killed outright.
 */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const data_directory = resolve(options.data_directory);
  await mkdir(data_directory, { recursive: true, mode: 0o700 });
  const pid_file = join(data_directory, 'nats-server.pid');
  const config_file = join(data_directory, 'nats-server.conf');
  await settleRunningServer(pid_file, config_file, options.take_over ?? false);
  const command = await natsServerBinary(options.cache_directory);
  const password =
    options.password ?? (await keptPassword(join(data_directory, 'administrator.password')));
  const passwordOf = (user: string) =>
    createHmac('sha256', password).update(`nats user ${user}`).digest('base64url');

  const server = await launchReady({
    port: options.port,
    ready_timeout_ms: options.ready_timeout_ms,
    stop: { signal: 'SIGTERM', timeout_ms: STOP_TIMEOUT_MS },
    prepare: async (port) => {
      const text = configuration({
        port,
        pid_file,
        store: join(data_directory, 'jetstream'),
        max_payload_bytes: options.max_payload_bytes ?? MAX_PAYLOAD_BYTES,
        cluster: options.cluster && clusterOf(options.cluster, passwordOf(ROUTE)),
        authorization: serverAuthorization((user) => ({ text: passwordOf(user) }), {
          name: ADMINISTRATOR,
          password: { text: password },
        }),
      });
      await writeFile(config_file, text, { mode: 0o600 });
      return { command, args: ['--config', config_file], parent_death_signal: 'TERM' };
    },
    onLine: (line) => logLine(options.logger, line),
    isReady: (_launched, port) => greetsWithJetStream(port),
    tellsTakenPort: (output) => output.includes('address already in use'),
    failure: (recent) => `nats-server did not start on ${data_directory}: ${lastWords(recent)}`,
  });
  const { port } = server;
  return {
    ...server,
    url: `nats://${ADMINISTRATOR}:${password}@${HOST}:${port}`,
    urlOf: (user) => `nats://${user}:${passwordOf(user)}@${HOST}:${port}`,
  };
}

interface Configuration {
  port: number;
  pid_file: string;
  store: string;
  max_payload_bytes: number;
  authorization: string;
  cluster?: string;
}

/** Only settings that nats-server 2.9 knows as well. */
function configuration(settings: Configuration): string {
  return `host: "${HOST}"
port: ${settings.port}
pid_file: ${JSON.stringify(settings.pid_file)}
max_payload: ${settings.max_payload_bytes}
logtime: false
jetstream {
  store_dir: ${JSON.stringify(settings.store)}
}
${settings.cluster ?? ''}${settings.authorization}`;
}

function clusterOf(member: NatsClusterMember, password: string): string {
  const { name, port, advertised_port = port, peer_ports, monitor_port } = member;
  const routes = peer_ports.map((peer) => `"nats-route://${ROUTE}:${password}@${HOST}:${peer}"`);
  return `server_name: ${JSON.stringify(name)}
http: "${HOST}:${monitor_port}"
cluster {
  name: credit
  listen: "${HOST}:${port}"
  advertise: "${HOST}:${advertised_port}"
  authorization { user: ${ROUTE}, password: "${password}" }
  # Clients have one address for all.
  no_advertise: true
  routes: [${routes.join(', ')}]
}
`;
}

// [4711] [INF] Server is ready
const LOG_LINE = /^\[\d+\] \[(\w+)\] (.*)$/;

/** Here they are random, in a file that only its owner reads, of a server that only loopback reaches. */
const EXPECTED_WARNING = 'Plaintext passwords detected';

function logLine(logger: ServerLogger | undefined, line: string) {
  if (!logger || !line) return;
  const [, level = '', text = line] = LOG_LINE.exec(line) ?? [];
  if (level === 'FTL' || level === 'ERR') logger.error(text);
  else if (level === 'WRN' && !text.startsWith(EXPECTED_WARNING)) logger.warn(text);
  else logger.info(text);
}

function lastWords(lines: readonly string[]): string {
  const fatal = lines.findLast((line) => line.includes('[FTL]')) ?? lines.at(-1);
  return fatal ?? 'it said nothing; is the disk full or the memory short?';
}

/** A server that lost its owner would go on writing to the same store. */
async function settleRunningServer(
  pid_file: string,
  config_file: string,
  take_over: boolean,
): Promise<void> {
  const pid = await serverOf(pid_file, config_file);
  if (pid === undefined) return;
  if (!take_over) {
    throw new Error(
      `A nats-server (process ${pid}) is still running on ${config_file}; stop it first.`,
    );
  }
  for (const [signal, wait_ms] of [
    ['SIGTERM', STOP_TIMEOUT_MS],
    ['SIGKILL', 5_000],
  ] as const) {
    sendSignal(pid, signal);
    for (const until_ms = Date.now() + wait_ms; Date.now() < until_ms; await pause(50)) {
      if (!sendSignal(pid, 0)) return;
    }
  }
  throw new Error(`The nats-server (process ${pid}) on ${config_file} could not be stopped.`);
}

/** The living server that wrote the pid file; a number can belong to somebody else by now. */
async function serverOf(pid_file: string, config_file: string): Promise<number | undefined> {
  const pid = Number(await readFile(pid_file, 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 0 || !sendSignal(pid, 0)) return undefined;
  if (process.platform !== 'linux') return pid;
  const command_line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command_line.split('\0').includes(config_file) ? pid : undefined;
}

const GREETING_TIMEOUT_MS = 1_000;

/** A server says who it is (`INFO {…}`) before the client says anything. */
function greetsWithJetStream(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connectSocket({ port, host: HOST });
    const end = (ready: boolean) => {
      socket.destroy();
      settle(ready);
    };
    let greeting = '';
    socket.setEncoding('utf8');
    socket.setTimeout(GREETING_TIMEOUT_MS, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => settle(false));
    socket.on('data', (chunk: string) => {
      greeting += chunk;
      if (greeting.includes('\r\n')) {
        end(greeting.startsWith('INFO ') && greeting.includes('"jetstream":true'));
      }
    });
  });
}
