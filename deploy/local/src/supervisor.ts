import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keepStream, STREAM_KEEPER } from '@credit/platform/bus';
import { isMigrated, provision } from '@credit/platform/db';
import { createLogger } from '@credit/platform/runtime';
import {
  freePort,
  launch,
  type NatsServer,
  portIsFree,
  sendSignal,
  startNatsServer,
  startPostgresServer,
  terminate,
} from '@credit/servers';
import { keepAuthority, keepReceiverCertificate } from './authority';
import {
  lockDataDirectory,
  POSTGRES_FOLDER,
  prepareDataDirectory,
  readJson,
  writeJson,
} from './data-directory';
import { Keeper, type Running } from './keeper';
import { keepMesh } from './mesh';
import { OperatorError } from './operator-error';
import type { Output } from './output';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity';
import { processIsReady } from './readiness';
import {
  databasesOf,
  keepSecrets,
  keepSuperadmin,
  provisionOptions,
  SUPERADMIN_FILE,
  secretVariables,
} from './secrets';
import {
  documentsPort,
  healthPort,
  metricsPort,
  migrationsOf,
  PROVIDERS_CLIENT,
  preferredPorts,
  SERVICES,
  type ServiceDefinition,
  type Surroundings,
  serviceEnvironment,
  serviceOf,
  withReplicas,
} from './services';
import type { Settings } from './settings';

export interface SystemOptions {
  /** The project's root, from which the services' main files are found. */
  root: string;
  settings: Settings;
  output: Output;
  /** What services inherit. */
  env: NodeJS.ProcessEnv;
  services?: readonly ServiceDefinition[];
}

/** What an operator needs to know once all is ready. */
export interface ReadySystem {
  base_url: string;
  superadmin_email: string;
  /** Undefined when the operator gave the password. */
  superadmin_file?: string;
  /** Only at the first start. */
  superadmin_password?: string;
}

/** What is kept in the data folder while the system runs, for the tools beside it. */
export interface RunRecord {
  base_url: string;
  admin_url: string;
  /** Of the administrator, where NATS was started here. */
  nats_url: string;
  /** By service. */
  nats_urls: Record<string, string>;
  rpc_addresses: Record<string, string>;
  /** Of every gateway; the first is `base_url`. */
  gateway_urls: string[];
  /** By process. */
  ports: Record<string, number>;
  /** Where the services' certificates are; absent on plain text. */
  mesh_directory?: string;
  processes: Array<ProcessIdentity & { name: string }>;
}

export const RUN_FILE = 'run.json';
/** What people sign in with. */
const PROVIDER = 'identity-provider';
/** A busy machine takes long, and says so; what will never be ready is known by its deaths. */
const READY_TIMEOUT_MS = 15 * 60_000;
const PROGRESS_EVERY_MS = 10_000;
/** A service itself gives up after 20 s. */
const SERVICE_STOP_TIMEOUT_MS = 25_000;
const STREAM_TIMEOUT_MS = 20_000;
const POLL_MS = 50;
/** Who dies this often before it was ever ready will not be ready. */
const HOPELESS_DEATHS = 3;

/** PostgreSQL, NATS and the services, each kept running until `stop`. */
export class System {
  private readonly services: readonly ServiceDefinition[];
  private readonly keepers = new Map<string, Keeper>();
  /** Under way; and how each service's are run again. */
  private readonly migrations = new Set<Running>();
  private readonly migrators = new Map<string, () => Promise<void>>();
  private readonly cleanups: Array<() => void> = [];
  private readonly halt = new AbortController();
  private stopped: Promise<void> | undefined;
  private record: Omit<RunRecord, 'processes'> | undefined;

  constructor(private readonly options: SystemOptions) {
    this.services = withReplicas(options.services ?? SERVICES, options.settings.replicas);
  }

  /** Resolves when everything is ready; rejects with what the operator should read. */
  async start(): Promise<ReadySystem> {
    const { settings, output, env } = this.options;
    const { data_directory } = settings;
    prepareDataDirectory(data_directory);
    this.cleanups.push(lockDataDirectory(data_directory));
    this.requireBuilt();
    await endLeftovers(join(data_directory, RUN_FILE));
    const ports = await this.choosePorts();
    this.throwIfStopping();

    const timer = stopwatch();
    const client_secret = randomBytes(32).toString('base64url');
    const [admin_url, nats, authority, mesh_directory, identity_provider] = await Promise.all([
      this.startPostgres(),
      this.startNats(),
      keepAuthority(data_directory).then(async (kept) => {
        await keepReceiverCertificate(data_directory, kept);
        return kept;
      }),
      settings.mutual_tls ? keepMesh(data_directory, this.services) : undefined,
      settings.identity_provider ? this.startIdentityProvider(ports, client_secret) : undefined,
    ]);
    this.throwIfStopping();
    output.say('debug', `PostgreSQL and NATS are ready after ${timer()}.`);
    const provisioned = await provision(
      admin_url,
      provisionOptions(keepSecrets(data_directory), this.services),
    ).catch((error) => {
      if (!settings.database_url) throw error;
      throw new OperatorError(`The server of DATABASE_URL cannot be used: ${reason(error)}.`);
    });
    output.say('debug', `The database is provided for after ${timer()}.`);

    const given = env.BOOTSTRAP_EMAIL && env.BOOTSTRAP_PASSWORD;
    const superadmin = given
      ? { value: { email: env.BOOTSTRAP_EMAIL, password: env.BOOTSTRAP_PASSWORD }, made: false }
      : keepSuperadmin(data_directory);
    const { email = '', password = '' } = superadmin.value;
    /** At each start of a process: secrets may have been changed meanwhile. */
    const surroundings = (): Surroundings => {
      const secrets = keepSecrets(data_directory);
      return {
        inherited: env,
        ports,
        peer_ports: settings.peer_ports,
        databases: databasesOf(admin_url, secrets, this.services),
        nats_urls: nats.urls,
        secrets: {
          ...secretVariables(secrets, env),
          PERSON_OIDC_CLIENT_SECRET: identity_provider
            ? client_secret
            : (env.PERSON_OIDC_CLIENT_SECRET ?? ''),
          BOOTSTRAP_EMAIL: email,
          BOOTSTRAP_PASSWORD: password,
        },
        authority_file: authority.cert_file,
        identity_provider,
        mesh_directory,
      };
    };
    const gateway = this.services.find((service) => service.kind === 'gateway');
    const base_url = `http://127.0.0.1:${gateway ? ports[gateway.name] : settings.port}`;
    this.record = {
      base_url,
      admin_url: provisioned.admin_url,
      nats_url: nats.url,
      nats_urls: nats.urls,
      rpc_addresses: Object.fromEntries(
        this.services
          .filter((service) => service.kind === 'rpc' && service.replica_of === undefined)
          .map((service) => [service.name, `127.0.0.1:${ports[service.name]}`]),
      ),
      gateway_urls: this.services
        .filter((service) => service.kind === 'gateway')
        .map((service) => `http://127.0.0.1:${ports[service.name]}`),
      ports,
      mesh_directory,
    };
    const deadline_ms = Date.now() + READY_TIMEOUT_MS;
    // Services find each other in any order; starting callers after whom they call just saves
    // retries, and warnings in the log.
    const brought_up = new Map<string, Promise<void>>();
    const waited_for = new Set<string>();
    const bringUp = (name: string): Promise<void> => {
      const service = this.services.find((candidate) => candidate.name === name);
      if (!service) return Promise.resolve();
      let under_way = brought_up.get(name);
      if (under_way === undefined) {
        waited_for.add(name);
        under_way = this.bringUp(service, ports, surroundings, deadline_ms, bringUp).then(() => {
          waited_for.delete(name);
        });
        brought_up.set(name, under_way);
      }
      return under_way;
    };
    const progress = setInterval(() => {
      output.say('info', `After ${timer()} still waiting for ${[...waited_for].join(', ')}.`);
    }, PROGRESS_EVERY_MS);
    await Promise.all(this.services.map(({ name }) => bringUp(name))).finally(() =>
      clearInterval(progress),
    );
    output.say('debug', `All services are ready after ${timer()}.`);
    return {
      base_url,
      superadmin_email: email,
      superadmin_file: given ? undefined : join(data_directory, SUPERADMIN_FILE),
      superadmin_password: superadmin.made ? password : undefined,
    };
  }

  private requireBuilt(): void {
    const missing = this.services.find(
      (service) => !existsSync(join(this.options.settings.services_root, service.main)),
    );
    if (missing) {
      throw new OperatorError(`${missing.main} is missing; run \`npm run build\` first.`);
    }
  }

  private async choosePorts(): Promise<Record<string, number>> {
    const { port, mutual_tls } = this.options.settings;
    const wanted = preferredPorts(this.services, port);
    const ports: Record<string, number> = {};
    const needed = this.services.flatMap(({ name, kind, documents }) => [
      { name, kind },
      ...(documents ? [{ name: documentsPort(name), kind }] : []),
      ...(mutual_tls && kind === 'rpc' ? [{ name: healthPort(name), kind }] : []),
    ]);
    if (this.options.settings.identity_provider) {
      ports[PROVIDER] = await freePort(
        new Set(Object.values(wanted).filter((p) => p !== undefined)),
      );
    }
    for (const { name, kind } of needed) {
      const preferred = wanted[name];
      if (preferred && (await portIsFree(preferred))) ports[name] = preferred;
      else if (preferred && kind === 'gateway') {
        throw new OperatorError(
          `Port ${preferred} is taken by another program; stop it, or choose another port with PORT.`,
        );
      } else ports[name] = await freePort(new Set(Object.values(ports)));
    }
    return ports;
  }

  // --- The servers ---

  private async startPostgres(): Promise<string> {
    const { settings, output } = this.options;
    if (settings.database_url) return settings.database_url;
    let port = 0;
    let admin_url = '';
    await this.keep('postgres', async () => {
      const server = await startPostgresServer({
        data_directory: join(settings.data_directory, POSTGRES_FOLDER),
        port,
        logger: output.server('postgres'),
        settings: { fsync: settings.postgres_fsync },
        take_over: true,
      });
      // Services know the address: after a death it must be the same one.
      ({ port, admin_url } = server);
      return server;
    }).begin();
    return admin_url;
  }

  /** Its stream is there afterwards, as this release wants it. */
  private async startNats(): Promise<{ url: string; urls: Record<string, string> }> {
    const { settings, output } = this.options;
    const services = this.services.filter((s) => s.kind === 'rpc' && s.replica_of === undefined);
    const urlsBy = (urlOf: (service: string) => string) =>
      Object.fromEntries(services.map(({ name }) => [name, urlOf(name)]));
    if (settings.nats_url) {
      const url = settings.nats_url;
      await requireAnswer('NATS_URL', url);
      await this.keepStream(url);
      return { url, urls: urlsBy(() => url) };
    }
    let port = 0;
    let running: NatsServer | undefined;
    await this.keep('nats', async () => {
      running = await startNatsServer({
        data_directory: join(settings.data_directory, 'nats'),
        port,
        logger: output.server('nats'),
        take_over: true,
      });
      ({ port } = running);
      return running;
    }).begin();
    if (running === undefined) throw new Error('NATS was not started.');
    const { url, urlOf } = running;
    await this.keepStream(urlOf(STREAM_KEEPER));
    return { url, urls: urlsBy(urlOf) };
  }

  private async keepStream(url: string): Promise<void> {
    const { output, settings } = this.options;
    const limits = { replicas: settings.stream_replicas };
    const destination = { write: (line: string) => output.child('nats', line.trimEnd()) };
    const logger = createLogger({ service: 'nats', level: 'warn', destination });
    try {
      const change = await keepStream({
        url,
        logger,
        limits,
        reach_timeout_ms: STREAM_TIMEOUT_MS,
      });
      if (change === 'changed') output.say('info', 'The stream of events has new settings.');
    } catch (error) {
      throw new OperatorError(`The stream of events cannot be used: ${reason(error)}.`);
    }
  }

  /** Where people sign in on this machine; its address. */
  private async startIdentityProvider(
    ports: Readonly<Record<string, number>>,
    client_secret: string,
  ): Promise<string> {
    const { root, output, env, settings } = this.options;
    const issuer = `http://127.0.0.1:${ports[PROVIDER]}`;
    const gateway = env.PUBLIC_ORIGIN ?? `http://127.0.0.1:${ports.gateway ?? settings.port}`;
    await this.keep(PROVIDER, async () => {
      const launched = await launch({
        command: process.execPath,
        args: [join(root, 'deploy/local/dist/identity-provider/main.js')],
        parent_death_signal: 'TERM',
        env: {
          PATH: env.PATH,
          PORT: `${ports[PROVIDER]}`,
          ISSUER: issuer,
          CLIENT_ID: PROVIDERS_CLIENT,
          CLIENT_SECRET: client_secret,
          REDIRECT_URI: new URL('/my/signed-in', gateway).href,
        },
        // What it has to say is for whoever builds such providers.
        onLine: (line) => output.server(PROVIDER).info(line),
      });
      return { ...launched, stop: () => terminate(launched, 'SIGTERM', 5_000) };
    }).begin();
    return issuer;
  }

  // --- The services ---

  private async bringUp(
    service: ServiceDefinition,
    ports: Readonly<Record<string, number>>,
    surroundings: () => Surroundings,
    deadline_ms: number,
    bringUpPeer: (name: string) => Promise<void>,
  ): Promise<void> {
    const metrics_port = metricsPort(this.options.env, this.services, service.name);
    const environment = () => ({
      ...serviceEnvironment(service, surroundings()),
      ...(metrics_port ? { METRICS_PORT: metrics_port } : {}),
    });
    if (service.replica_of === undefined) {
      const migrate = async () => {
        if (service.database === 'none') return;
        const own = environment();
        if (await this.isMigrated(service, own)) return;
        await this.migrate(service, own);
      };
      this.migrators.set(service.name, migrate);
      await Promise.all([migrate(), ...service.peers.map(bringUpPeer)]);
    } else {
      await bringUpPeer(service.replica_of);
    }
    const keeper = this.keep(service.name, () => this.launchMain(service, environment(), []));
    await keeper.begin();
    await this.untilReady(service, keeper, ports, deadline_ms);
  }

  /** Asked here, since at most starts there is nothing to do, and a process for it costs a second. */
  private async isMigrated(
    service: ServiceDefinition,
    { DATABASE_URL, DATABASE_URL_LIVE, DATABASE_URL_TEST }: Record<string, string>,
  ): Promise<boolean> {
    const directory = join(this.options.settings.services_root, migrationsOf(service));
    if (!existsSync(directory)) return false;
    const urls = [DATABASE_URL, DATABASE_URL_LIVE, DATABASE_URL_TEST].filter(
      (url) => url !== undefined,
    );
    const answers = urls.map((url) => isMigrated(url, directory));
    return (await Promise.all(answers)).every((is_migrated) => is_migrated);
  }

  private async migrate(
    service: ServiceDefinition,
    environment: Record<string, string>,
  ): Promise<void> {
    const running = await this.launchMain(service, environment, ['migrate']);
    this.migrations.add(running);
    if (this.halt.signal.aborted) await running.stop();
    const { code } = await running.exited;
    this.migrations.delete(running);
    this.throwIfStopping();
    if (code !== 0) {
      throw new OperatorError(
        `The migrations of ${service.name} failed; its last lines above tell why.`,
      );
    }
  }

  private async launchMain(
    service: ServiceDefinition,
    environment: Record<string, string>,
    args: string[],
  ): Promise<Running> {
    const { output, settings } = this.options;
    const launched = await launch({
      command: process.execPath,
      args: [join(settings.services_root, service.main), ...args],
      parent_death_signal: 'TERM',
      ipc: true,
      env: environment,
      onLine: (line) => output.child(service.name, line),
    });
    return {
      pid: launched.pid,
      exited: launched.exited,
      stop: () => terminate(launched, 'SIGTERM', SERVICE_STOP_TIMEOUT_MS),
    };
  }

  private async untilReady(
    service: ServiceDefinition,
    keeper: Keeper,
    ports: Readonly<Record<string, number>>,
    deadline_ms: number,
  ): Promise<void> {
    for (;;) {
      // An answer counts only from our own living process, not from whoever took its port.
      if ((await processIsReady(service.name, ports)) && keeper.pid !== undefined) return;
      this.throwIfStopping();
      const { deaths, last } = keeper.troubles;
      if (deaths >= HOPELESS_DEATHS) {
        throw new OperatorError(
          `${service.name} keeps dying before it is ready (it ${last}); its last lines above tell why.`,
        );
      }
      if (Date.now() >= deadline_ms) {
        throw new OperatorError(`${service.name} did not become ready in time.`);
      }
      await delay(POLL_MS);
    }
  }

  /** Changed code: brings the service's schema up to date and starts it again. */
  async restart(name: string): Promise<void> {
    if (this.halt.signal.aborted) return;
    try {
      await this.migrators.get(name)?.();
      for (const service of this.services) {
        if (serviceOf(service) === name) await this.keepers.get(service.name)?.restart();
      }
    } catch (error) {
      if (!this.halt.signal.aborted) this.options.output.say('error', reason(error));
    }
  }

  /** Keeps another process beside the services, such as the compiler. */
  async startBeside(name: string, command: string, args: string[]): Promise<void> {
    const { root, output, env } = this.options;
    const keeper = this.keep(name, async () => {
      const launched = await launch({
        command,
        args,
        cwd: root,
        env,
        parent_death_signal: 'TERM',
        onLine: (line) => output.child(name, line),
      });
      return { ...launched, stop: () => terminate(launched, 'SIGTERM', 5_000) };
    });
    await keeper.begin();
  }

  private keep(name: string, start: () => Promise<Running>): Keeper {
    this.throwIfStopping();
    const keeper = new Keeper(name, start, this.options.output, () => this.writeRecord());
    this.keepers.set(name, keeper);
    return keeper;
  }

  private writeRecord(): void {
    const processes = [...this.keepers.values()].flatMap(({ name, pid }) => {
      const identity = pid === undefined ? undefined : identifyProcess(pid);
      return identity ? [{ name, ...identity }] : [];
    });
    const file = join(this.options.settings.data_directory, RUN_FILE);
    writeJson(file, { ...this.record, processes });
  }

  // --- The end ---

  private throwIfStopping(): void {
    if (this.halt.signal.aborted) throw new OperatorError('It was stopped before it was ready.');
  }

  /** In order: who calls before who is called, the stores last. Bounded; leaves nothing behind. */
  stop(): Promise<void> {
    this.stopped ??= this.stopInOrder();
    return this.stopped;
  }

  private async stopInOrder(): Promise<void> {
    this.halt.abort();
    const named = (names: string[]) =>
      [...this.keepers.values()].filter((keeper) => names.includes(keeper.name));
    const rpc = this.services.filter((service) => service.kind === 'rpc');
    const callers = rpc.filter((service) => service.peers.length > 0).map(({ name }) => name);
    const called = rpc.filter((service) => service.peers.length === 0).map(({ name }) => name);
    const inner = [...callers, ...called, 'nats', 'postgres'];
    // The gateway, and whatever was started beside the services.
    await stopAll([...this.keepers.values()].filter(({ name }) => !inner.includes(name)));
    await stopAll([...named(callers), ...this.migrations]);
    await stopAll(named(called));
    await stopAll(named(['nats']));
    await stopAll(named(['postgres']));
    if (this.cleanups.length > 0) {
      rmSync(join(this.options.settings.data_directory, RUN_FILE), { force: true });
    }
    for (const cleanup of this.cleanups) cleanup();
  }

  /** For an operator who will not wait. */
  kill(): void {
    this.halt.abort();
    for (const { pid } of [...this.keepers.values(), ...this.migrations]) {
      if (pid !== undefined) sendSignal(pid, 'SIGKILL');
    }
    for (const cleanup of this.cleanups) cleanup();
  }
}

async function stopAll(running: ReadonlyArray<{ stop(): Promise<void> }>): Promise<void> {
  await Promise.all(running.map((one) => one.stop()));
}

const LEFTOVER_GRACE_MS = 3_000;

/**
 * Processes of a supervisor that was killed notice it by themselves, but may still be finishing,
 * on ports and data that are wanted now.
 */
async function endLeftovers(run_file: string): Promise<void> {
  const leftovers = (readJson<RunRecord>(run_file)?.processes ?? []).filter(
    // The stores settle this themselves: they must not be cut short.
    ({ name }) => name !== 'postgres' && name !== 'nats',
  );
  const alive = () => leftovers.filter(isAlive);
  for (const { pid } of alive()) sendSignal(pid, 'SIGTERM');
  for (const until_ms = Date.now() + LEFTOVER_GRACE_MS; Date.now() < until_ms; await delay(50)) {
    if (alive().length === 0) return;
  }
  for (const { pid } of alive()) sendSignal(pid, 'SIGKILL');
  await delay(100);
}

const ANSWER_TIMEOUT_MS = 5_000;

async function requireAnswer(variable: string, url: string): Promise<void> {
  const { hostname, port } = parseUrl(variable, url);
  const answered = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 4222) });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
  if (!answered) throw new OperatorError(`Nothing answers at ${variable} (${hostname}:${port}).`);
}

function parseUrl(variable: string, url: string): URL {
  try {
    return new URL(url.includes('://') ? url : `nats://${url}`);
  } catch {
    throw new OperatorError(`${variable} is not a URL.`);
  }
}

export function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return error instanceof Error ? error.message : `${error}`;
}

/** Seconds since it was made, for people. */
export function stopwatch(): () => string {
  const since_ms = performance.now();
  return () => `${((performance.now() - since_ms) / 1000).toFixed(1)} s`;
}
