import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIsReady } from '@credit/local/readiness';
import { DATABASE } from '@credit/local/secrets';
import { type System, startSystem } from '@credit/local/spawned-system';
import { sendSignal } from '@credit/servers';
import type pg from 'pg';
import type { Builds } from './builds';
import { CrashPoints } from './crash-points';
import type { Inside } from './inside';
import { Insiders } from './insiders';
import { PERSON_PER_MINUTE } from './limits';
import { NatsCluster } from './nats-cluster';
import { PathProxies } from './paths';
import type { Link, Plan, ServiceName } from './plan';
import { PostgresPair } from './postgres-pair';
import type { TcpProxy } from './proxy';
import { Secrets, Traces } from './secrets';

const LEASE_MS = 4_000;
const READY_TIMEOUT_MS = 120_000;
/** What a run asks of the services beside what `npm start` does. */
const SETTINGS: Record<string, string> = {
  REPLICAS: '2',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '100000',
  RATE_LIMIT_PERSON_PER_MINUTE: `${PERSON_PER_MINUTE}`,
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_LEASE_MS: `${LEASE_MS}`,
  // The whole schedule of attempts, about five hours otherwise, takes two minutes.
  WEBHOOK_BACKOFF_BASE_MS: '400',
  DRAIN_GRACE_MS: '1500',
  // Nobody signs in again in a long run.
  ACCESS_TOKEN_LIFETIME_S: '36000',
  // A busy machine draws slowly; whoever dies over it is succeeded after the lease.
  REPORT_TIMEOUT_MS: '40000',
  REPORT_LEASE_MS: '45000',
};
/** A command that dies is run again so often. */
const COMMAND_TRIES = 4;

/** Which process of a service, as the supervisor calls it. */
export const processName = (service: ServiceName, replica: 1 | 2) =>
  replica === 1 ? service : `${service}-${replica}`;

/** The whole system, on a PostgreSQL and a NATS of the harness's own behind proxies. */
export class Stage {
  /** Every process opens what either seals; the first is what seals. */
  private readonly sealing_keys: [string, string];

  private constructor(
    readonly system: System,
    readonly postgres: PostgresPair,
    readonly nats: NatsCluster,
    private readonly directory: string,
    /** What the system was started with. */
    readonly settings: Readonly<Record<string, string>>,
    readonly crash_points: CrashPoints,
    readonly paths: PathProxies,
    private readonly insiders: Insiders,
    private readonly builds: Builds | undefined,
    readonly secrets: Secrets,
    readonly traces: Traces,
    sealing_keys: readonly [string, string],
  ) {
    this.sealing_keys = [...sealing_keys];
  }

  /** With the services of an earlier build, where one is given. */
  static async open(
    {
      ends_with_faults,
      mutual_tls,
      topology: { postgres: servers, nats: kind },
    }: Pick<Plan, 'ends_with_faults' | 'mutual_tls' | 'topology'>,
    {
      builds,
      directory,
      settings: more,
    }: {
      builds?: Builds | undefined;
      directory: string;
      settings: Readonly<Record<string, string>>;
    },
  ): Promise<Stage> {
    const [postgres, nats] = await Promise.all([
      PostgresPair.open(directory, servers),
      NatsCluster.open(directory, kind),
    ]);
    const crash_points = new CrashPoints(path.join(directory, 'crash-points'));
    const sealing_keys = [newKey(), newKey()] as const;
    const data_directory = path.join(directory, 'system');
    const insiders = new Insiders(path.join(directory, 'inside'));
    const paths = await PathProxies.start(data_directory);
    const secrets = new Secrets();
    for (const key of sealing_keys) secrets.add('a sealing key', key);
    for (const { url } of [postgres, nats])
      secrets.add('a password of a store', new URL(url).password);
    const traces = await Traces.collect(secrets);
    const settings = { ...SETTINGS, ...more };
    const environment = {
      ...settings,
      ...crash_points.environment,
      // Where keys are changed the system keeps its own.
      ...(ends_with_faults ? {} : sealedWith(sealing_keys)),
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      NATS_STREAM_REPLICAS: `${nats.replicas}`,
      ...paths.environment,
      ...insiders.environment,
      ...traces.environment,
      ...(mutual_tls ? { MUTUAL_TLS: '1' } : {}),
      ...(builds === undefined ? {} : { SERVICES_ROOT: builds.folder }),
    };
    const system = await startSystem(environment, data_directory);
    return new Stage(
      system,
      postgres,
      nats,
      directory,
      settings,
      crash_points,
      paths,
      insiders,
      builds,
      secrets,
      traces,
      sealing_keys,
    );
  }

  get proxies(): Readonly<Record<Link, TcpProxy>> {
    return { postgres: this.postgres.proxy, nats: this.nats.proxy };
  }

  /** Of every gateway, with the base path. */
  get gateways(): string[] {
    return this.system.runRecord().gateway_urls.map((url) => `${url}/api/v1`);
  }

  pidOf(name: string): number | undefined {
    return this.system.runRecord().processes.find((one) => one.name === name)?.pid;
  }

  signal(name: string, signal: NodeJS.Signals): void {
    const pid = this.pidOf(name);
    if (pid !== undefined) sendSignal(pid, signal);
  }

  /** Has the process do something to itself. */
  async tell(name: string, order: Inside): Promise<void> {
    const pid = this.pidOf(name);
    if (pid !== undefined) await this.insiders.order(pid, order);
  }

  /** Resolves when the process serves. */
  async untilReady(name: string): Promise<void> {
    const until_ms = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < until_ms) {
      if (await processIsReady(name, this.system.runRecord().ports)) return;
      await sleep(100);
    }
    throw new Error(`${name} did not serve in time.`);
  }

  /** Of the whole server, past the proxy; it may be away for a while. */
  sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return this.postgres.sql<Row>(text, DATABASE);
  }

  /** Has what starts next of a service be of the present build, whose migrations come first. */
  async renew(service: ServiceName): Promise<void> {
    this.builds?.renew(service);
    if (service === 'gateway') return;
    const { exit_code, output } = await this.system.runCommand(service, 'migrate');
    if (exit_code !== 0) throw new Error(`The migrations of ${service} failed: ${output}`);
  }

  /** Seals the signing secrets of webhooks with the other key; one that dies of it is run again. */
  async resealSecrets(): Promise<void> {
    this.sealing_keys.reverse();
    const args = ['webhooks', 'sealed-secrets', '--reseal'];
    const environment = {
      ...this.crash_points.environment,
      ...sealedWith(this.sealing_keys),
    };
    let output = '';
    for (let tries = 0; tries < COMMAND_TRIES; tries += 1) {
      const ended = await this.system.runScript('run-command', args, environment);
      if (ended.exit_code === 0) return;
      output += ended.output;
    }
    throw new Error(`The signing secrets could not be sealed anew: ${output}`);
  }

  async close(): Promise<void> {
    await this.system.stop();
    this.traces.stop();
    await Promise.all([this.nats.stop(), this.postgres.stop(), this.paths.stop()]);
    this.builds?.remove();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** The first seals, both open. */
const sealedWith = ([current, accepted]: readonly [string, string]) => ({
  WEBHOOK_SECRET_KEY: current,
  WEBHOOK_SECRET_KEYS_PREVIOUS: accepted,
});

const newKey = () => randomBytes(32).toString('base64');
