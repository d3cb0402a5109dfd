import { isAbsolute, join } from 'node:path';
import { OperatorError } from './operator-error';

export const DEFAULT_PORT = 8080;

/** What the environment says about the local system. */
export interface Settings {
  data_directory: string;
  /** Where the gateway listens; 0 takes a free one. */
  port: number;
  /** An administrator's URL of a PostgreSQL one has; else one is started. */
  database_url?: string;
  /** Whether PostgreSQL waits for the disk: data that tests throw away need not outlive the machine. */
  postgres_fsync: 'on' | 'off';
  /** A NATS server one has; else one is started. */
  nats_url?: string;
  /** Copies of the stream of events: more than one needs a cluster of as many at NATS_URL. */
  stream_replicas: number;
  log_format: 'line' | 'json';
  /** Show what PostgreSQL, NATS and the supervisor do in passing. */
  verbose: boolean;
  /** Processes of each service. */
  replicas: number;
  /** Whether services show each other certificates, as in a cluster. */
  mutual_tls: boolean;
  /** Where the built services are, when not in the project. */
  services_root: string;
  /** Other ports by which callers reach processes, as `caller>process`: of whoever stands between. */
  peer_ports: Readonly<Record<string, number>>;
  /** Whether a provider runs here that people sign in with to see their own files. */
  identity_provider: boolean;
}

/** Relative folders are taken from the project's root, wherever the command was given. */
export function readSettings(env: NodeJS.ProcessEnv, root: string): Settings {
  const data_directory = env.DATA_DIR || '.data';
  if (Boolean(env.BOOTSTRAP_EMAIL) !== Boolean(env.BOOTSTRAP_PASSWORD)) {
    throw new OperatorError(
      'BOOTSTRAP_EMAIL and BOOTSTRAP_PASSWORD are given together or not at all.',
    );
  }
  return {
    data_directory: isAbsolute(data_directory) ? data_directory : join(root, data_directory),
    port: readPort(env.PORT),
    database_url: env.DATABASE_URL || undefined,
    postgres_fsync: env.POSTGRES_FSYNC === 'off' ? 'off' : 'on',
    nats_url: env.NATS_URL || undefined,
    log_format: env.LOG_FORMAT === 'json' ? 'json' : 'line',
    replicas: readReplicas('REPLICAS', env),
    stream_replicas: readReplicas('NATS_STREAM_REPLICAS', env),
    mutual_tls: env.MUTUAL_TLS === '1',
    services_root: env.SERVICES_ROOT || root,
    peer_ports: readPeerPorts(env.PEER_PORTS),
    // One that the operator has is told by its issuer.
    identity_provider: env.IDENTITY_PROVIDER !== 'none' && !env.PERSON_OIDC_ISSUER,
    verbose: env.LOG_LEVEL === 'debug' || env.LOG_LEVEL === 'trace',
  };
}

const PEER_PORT = /^([a-z]+>[a-z0-9-]+)=(\d{1,5})$/;

/** `caller>process=port,…`. */
function readPeerPorts(text: string | undefined): Record<string, number> {
  const entries = (text || '').split(',').filter((entry) => entry !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [, route = '', port] = PEER_PORT.exec(entry) ?? [];
      if (route === '') {
        throw new OperatorError(
          `PEER_PORTS must be a list of caller>process=port, not ${JSON.stringify(entry)}.`,
        );
      }
      return [route, readPort(port)];
    }),
  );
}

/** Of processes, and of copies of the stream. */
const MAX_REPLICAS = 5;

function readReplicas(name: string, env: NodeJS.ProcessEnv): number {
  const text = env[name];
  const replicas = Number(text || 1);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > MAX_REPLICAS) {
    throw new OperatorError(
      `${name} must be a number from 1 to ${MAX_REPLICAS}, not ${JSON.stringify(text)}.`,
    );
  }
  return replicas;
}

function readPort(text: string | undefined): number {
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new OperatorError(`PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  }
  return port;
}
