import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_PORT } from './settings';

/** A service as the supervisor knows it. */
export interface ServiceDefinition {
  /** Of the process; replicas beside the first have a number. */
  name: string;
  /** The service of which it is a further replica. */
  replica_of?: string;
  /** Its built main file, relative to the project's root. */
  main: string;
  kind: 'gateway' | 'rpc';
  /** Whose addresses it is told. */
  peers: readonly string[];
  /** `two`: a role for live and one for test data; `one`: a role for all it has. */
  database: 'two' | 'one' | 'none';
  /** Has an HTTP port of its own, for documents; the gateway alone is told of it. */
  documents?: true;
  /** Sends mails, which link to the gateway's pages. */
  mails?: true;
  /** Variables with secrets, which no other service is given. */
  secrets: readonly string[];
}

export interface SecretVariables {
  WEBHOOK_SECRET_KEY: string;
  /** Empty unless keys were changed. */
  WEBHOOK_SECRET_KEYS_PREVIOUS: string;
  AUDIT_SIGNING_KEY: string;
  /** Empty unless the key was changed, or is about to be. */
  AUDIT_PUBLIC_KEYS: string;
  SECOND_FACTOR_KEY: string;
  /** Empty unless keys were changed. */
  SECOND_FACTOR_KEYS_PREVIOUS: string;
  /** Of the local provider, where there is one. */
  PERSON_OIDC_CLIENT_SECRET: string;
  BOOTSTRAP_EMAIL: string;
  BOOTSTRAP_PASSWORD: string;
  CONSOLE_KEY: string;
  /** Empty unless the key was changed. */
  CONSOLE_KEYS_PREVIOUS: string;
}

/** What the table of services says that matters on one's own machine. */
interface TableEntry {
  readonly name: string;
  readonly database: 'one' | 'two';
  readonly peers?: readonly string[];
  readonly documents?: true;
  readonly mails?: true;
  readonly secrets?: readonly { readonly variable: string }[];
}

// The same file from `src` and from `dist`. `npm run gen` refuses a table with anything amiss.
const { rpc } = JSON.parse(readFileSync(join(__dirname, '../../services.json'), 'utf8')) as {
  rpc: readonly TableEntry[];
};

/** Calls run one way: the gateway calls all, and each service those that stand before it. */
export const SERVICES: readonly ServiceDefinition[] = [
  ...rpc.map(
    ({ name, database, peers = [], documents, mails, secrets = [] }): ServiceDefinition => ({
      name,
      main: mainFile(name),
      kind: 'rpc',
      peers,
      database,
      ...(documents && { documents }),
      ...(mails && { mails }),
      secrets: secrets.map(({ variable }) => variable),
    }),
  ),
  {
    name: 'gateway',
    main: mainFile('gateway'),
    kind: 'gateway',
    peers: rpc.map(({ name }) => name),
    database: 'none',
    secrets: ['CONSOLE_KEY', 'CONSOLE_KEYS_PREVIOUS'],
  },
];

function mainFile(name: string): string {
  return `services/${name}/dist/main.js`;
}

/** Each service as often as asked, the first ones first. */
export function withReplicas(
  services: readonly ServiceDefinition[],
  replicas: number,
): ServiceDefinition[] {
  const further = Array.from({ length: replicas - 1 }, (_, index) =>
    services.map((service) => ({
      ...service,
      name: replicaName(service.name, index + 2),
      replica_of: service.name,
    })),
  );
  return [...services, ...further.flat()];
}

function replicaName(service: string, number: number): string {
  return number === 1 ? service : `${service}-${number}`;
}

/** The folder of a service's migrations, relative to where its main file is relative to. */
export function migrationsOf({ main }: Pick<ServiceDefinition, 'main'>): string {
  return join(dirname(main), '..', 'migrations');
}

/** The service that a process is one of. */
export function serviceOf({ name, replica_of }: ServiceDefinition): string {
  return replica_of ?? name;
}

/** What the running system is made of, as far as services must know it. */
export interface Surroundings {
  /** The supervisor's own environment: operators set limits there. */
  inherited: NodeJS.ProcessEnv;
  /** By service. */
  ports: Readonly<Record<string, number>>;
  /** By `caller>process`, where a caller is to reach it by another port. */
  peer_ports?: Readonly<Record<string, number>>;
  databases: Readonly<Record<string, { live: string; test: string }>>;
  /** By service: each is somebody to NATS. */
  nats_urls: Readonly<Record<string, string>>;
  secrets: SecretVariables;
  authority_file: string;
  /** Where people sign in; undefined where nobody does, or the operator has said where. */
  identity_provider?: string;
  /** Where each service's certificate is; undefined on plain text. */
  mesh_directory?: string;
}

// Of the supervisor itself, or an administrator's: no service gets to see these unless meant.
const WITHHELD = [
  'DATABASE_URL',
  'DATABASE_URL_LIVE',
  'DATABASE_URL_TEST',
  'NATS_URL',
  'RPC_ADDRESS',
  'HTTP_ADDRESS',
  'PORT',
  'PEER_PORTS',
  'METRICS_PORT',
  'HEALTH_ADDRESS',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'TLS_CA_FILE',
  ...SERVICES.flatMap(({ secrets }) => secrets),
];

/**
 * What one service alone is told of where its data is, by its name: `REPORTING_DATABASE_URL_LIVE` is
 * reporting's `DATABASE_URL_LIVE`, on a server that the operator has provisioned.
 */
const OF_ONE_SERVICE = /^([A-Z]+)_(DATABASE_(?:REPLICA_)?URL(?:_LIVE|_TEST)?)$/;

/** Whom the local provider of identities knows the network as. */
export const PROVIDERS_CLIENT = 'credit-network';

const PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1_440;

/** On one's own machine: receivers on loopback, and no rate that a demonstration would meet. */
function localDefaults(authority_file: string, replicated: boolean): Record<string, string> {
  return {
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: authority_file,
    RATE_LIMIT_PER_MINUTE: `${PER_MINUTE}`,
    // As much as the minutes of a day allow: else a load test would be cut off within two of them.
    RATE_LIMIT_PER_DAY: `${PER_MINUTE * MINUTES_PER_DAY}`,
    // As in a network that is open to the people in it.
    PERSON_DOOR: 'on',
    RATE_LIMIT_PERSON_PER_MINUTE: `${PER_MINUTE}`,
    RATE_LIMIT_PERSON_PER_DAY: `${PER_MINUTE * MINUTES_PER_DAY}`,
    // Proofs within seconds; there is one clock.
    AUDIT_CHECKPOINT_EVERY_S: '2',
    AUDIT_CHECKPOINT_POLL_MS: '2000',
    EVENT_LOG_SETTLE_S: '2',
    EVENT_LOG_EVERY_S: '1',
    EVENT_LOG_POLL_MS: '2000',
    // Nobody would be served meanwhile.
    ...(replicated ? {} : { DRAIN_GRACE_MS: '0' }),
  };
}

/** The whole environment of one service's process. */
export function serviceEnvironment(
  service: ServiceDefinition,
  surroundings: Surroundings,
): Record<string, string> {
  const { inherited, ports, databases, nats_urls, secrets, authority_file } = surroundings;
  const replicated = ports[replicaName(serviceOf(service), 2)] !== undefined;
  const environment: Record<string, string> = localDefaults(authority_file, replicated);
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && value !== '') environment[name] = value;
  }
  for (const name of Object.keys(environment)) {
    if (WITHHELD.includes(name) || OF_ONE_SERVICE.test(name)) delete environment[name];
  }

  // The gateway has no business there.
  const nats_url = nats_urls[serviceOf(service)];
  if (nats_url !== undefined) environment.NATS_URL = nats_url;
  const address = (name: string) => `127.0.0.1:${ports[name]}`;
  if (service.kind === 'gateway') {
    environment.BIND_ADDRESS ??= '127.0.0.1';
    environment.PORT = `${ports[service.name]}`;
    environment.PUBLIC_ORIGIN ??= `http://${address(service.name)}`;
  } else {
    environment.RPC_ADDRESS = address(service.name);
    if (service.secrets.includes('PERSON_OIDC_CLIENT_SECRET') && surroundings.identity_provider) {
      environment.PERSON_OIDC_ISSUER = surroundings.identity_provider;
      environment.PERSON_OIDC_CLIENT_ID = PROVIDERS_CLIENT;
    }
    if (service.mails) environment.PUBLIC_ORIGIN ??= `http://${address('gateway')}`;
  }
  if (service.documents) environment.HTTP_ADDRESS = address(documentsPort(service.name));
  if (surroundings.mesh_directory !== undefined) {
    Object.assign(environment, certificateOf(surroundings.mesh_directory, serviceOf(service)));
    if (service.kind === 'rpc') environment.HEALTH_ADDRESS = address(healthPort(service.name));
  }
  const seen_ports = portsSeenBy(serviceOf(service), surroundings);
  for (const peer of service.peers) {
    environment[`${peer.toUpperCase()}_ADDRESS`] = targetOf(peer, seen_ports);
    if (service.kind === 'gateway' && ports[documentsPort(peer)] !== undefined) {
      const port = seen_ports[documentsPort(peer)];
      environment[`${peer.toUpperCase()}_HTTP_ADDRESS`] = `127.0.0.1:${port}`;
    }
  }
  const urls = databases[serviceOf(service)];
  if (service.database === 'one' && urls) {
    environment.DATABASE_URL = urls.live;
  } else if (service.database === 'two' && urls) {
    environment.DATABASE_URL_LIVE = urls.live;
    environment.DATABASE_URL_TEST = urls.test;
  }
  for (const [name, value] of Object.entries(inherited)) {
    const [, whose, variable] = OF_ONE_SERVICE.exec(name) ?? [];
    if (value && variable && whose === serviceOf(service).toUpperCase()) {
      environment[variable] = value;
    }
  }
  for (const name of service.secrets) {
    // What this machine makes no secret for, such as a mail server's URL, is the operator's to set.
    const value = Object.hasOwn(secrets, name)
      ? secrets[name as keyof SecretVariables]
      : inherited[name];
    if (value) environment[name] = value;
  }
  return environment;
}

/** The ports of others as a service is to reach them. */
function portsSeenBy(
  caller: string,
  { ports, peer_ports = {} }: Surroundings,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, peer_ports[`${caller}>${name}`] ?? port]),
  );
}

/** One address, or all of a replicated service as gRPC writes them. */
function targetOf(service: string, ports: Readonly<Record<string, number>>): string {
  const addresses: string[] = [];
  for (let number = 1; ; number += 1) {
    const port = ports[replicaName(service, number)];
    if (port === undefined) break;
    addresses.push(`127.0.0.1:${port}`);
  }
  return addresses.length > 1 ? `ipv4:${addresses.join(',')}` : `127.0.0.1:${ports[service]}`;
}

function certificateOf(mesh_directory: string, service: string): Record<string, string> {
  return {
    TLS_CERT_FILE: join(mesh_directory, `${service}.pem`),
    TLS_KEY_FILE: join(mesh_directory, `${service}.key`),
    TLS_CA_FILE: join(mesh_directory, 'ca.pem'),
  };
}

/** The name under which the port of a process's health checks is kept. */
export function healthPort(name: string): string {
  return `${name}-health`;
}

/** The name under which the port of a service's documents is kept. */
export function documentsPort(name: string): string {
  return `${name}-documents`;
}

const FIRST_RPC_PORT = 9_101;
const DOCUMENTS_PORT_OFFSET = 10;

/**
 * The documented ports beside the default gateway port; beside another one this is likely not
 * the only system on the machine, and any will do.
 */
export function preferredPorts(
  services: readonly ServiceDefinition[],
  gateway_port: number,
): Record<string, number | undefined> {
  const first = services.filter((service) => service.replica_of === undefined);
  const rpc = first.filter((service) => service.kind === 'rpc');
  return Object.fromEntries([
    ...first
      .filter((service) => service.kind === 'gateway')
      .map((service) => [service.name, gateway_port || undefined]),
    ...rpc.flatMap((service, index) => {
      const port = gateway_port === DEFAULT_PORT ? FIRST_RPC_PORT + index : undefined;
      return [
        [service.name, port] as const,
        ...(service.documents
          ? [[documentsPort(service.name), port && port + DOCUMENTS_PORT_OFFSET] as const]
          : []),
      ];
    }),
  ]);
}

/** METRICS_PORT names the first of a row, in the order of the services: one port cannot serve six. */
export function metricsPort(
  inherited: NodeJS.ProcessEnv,
  services: readonly ServiceDefinition[],
  name: string,
): string | undefined {
  const first = Number(inherited.METRICS_PORT);
  if (!inherited.METRICS_PORT || !Number.isInteger(first)) return undefined;
  return `${first + services.findIndex((service) => service.name === name)}`;
}
