import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIsReady } from '@credit/local/readiness';
import { newDataDirectory, type System, startSystem } from '@credit/local/spawned-system';
import {
  freePort,
  type NatsServer,
  type PostgresServer,
  sendSignal,
  startNatsServer,
  startPostgresServer,
} from '@credit/servers';
import pg from 'pg';
import { type Link, SERVICES, type ServiceName } from './plan';
import { TcpProxy } from './proxy';

const LEASE_MS = 4_000;
const READY_TIMEOUT_MS = 120_000;
/** What a run asks of the services beside what `npm start` does. */
const SETTINGS: Record<string, string> = {
  REPLICAS: '2',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '100000',
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_LEASE_MS: `${LEASE_MS}`,
  // The whole schedule of attempts, about five hours otherwise, takes two minutes.
  WEBHOOK_BACKOFF_BASE_MS: '400',
  DRAIN_GRACE_MS: '1500',
};
const POSTGRES_SETTINGS = { max_connections: '300', shared_buffers: '128MB', fsync: 'off' };

/** Which process of a service, as the supervisor calls it. */
export const processName = (service: ServiceName, replica: 1 | 2) =>
  replica === 1 ? service : `${service}-${replica}`;

/** The whole system, on a PostgreSQL and a NATS of the harness's own behind proxies. */
export class Stage {
  private halted = false;

  private constructor(
    readonly system: System,
    readonly proxies: Readonly<Record<Link, TcpProxy>>,
    private readonly directory: string,
    private readonly servers: { postgres: PostgresServer; nats: NatsServer },
    private readonly admin_url: string,
    /** What the system was started with. */
    readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async open(more: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const directory = await newDataDirectory();
    const postgres_port = await freePort();
    const nats_port = await freePort(new Set([postgres_port]));
    const [postgres, nats] = await Promise.all([
      startPostgresServer(postgresAt(directory, postgres_port)),
      startNatsServer(natsAt(directory, nats_port)),
    ]);
    const proxies = {
      postgres: await TcpProxy.start(postgres.port),
      nats: await TcpProxy.start(nats.port),
    };
    const settings = { ...SETTINGS, ...more };
    const system = await startSystem({
      ...settings,
      DATABASE_URL: withPort(postgres.admin_url, proxies.postgres.port),
      NATS_URL: withPort(nats.url, proxies.nats.port),
    });
    const admin_url = withPort(system.runRecord().admin_url, postgres.port);
    const stage = new Stage(system, proxies, directory, { postgres, nats }, admin_url, settings);
    // The supervisor was waited for until the first gateway served.
    for (const service of SERVICES) {
      for (const replica of [1, 2] as const) await stage.untilReady(processName(service, replica));
    }
    return stage;
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

  /** Resolves when the process serves, or after a while without. */
  async untilReady(name: string): Promise<void> {
    const until_ms = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < until_ms) {
      if (await processIsReady(name, this.system.runRecord().ports)) return;
      await sleep(100);
    }
  }

  /** Of the whole server, past the proxy; it may be away for a while. */
  async sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.admin_url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends the server as told and starts it again on the same data. */
  async restartPostgres(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const { postgres } = this.servers;
    sendSignal(postgres.pid, signal);
    await postgres.exited;
    if (this.halted) return;
    this.servers.postgres = await startPostgresServer(postgresAt(this.directory, postgres.port));
  }

  /** Kills the server, and starts it again after a while, with what it had stored or without. */
  async restartNats({ away_ms, wipe }: { away_ms: number; wipe: boolean }): Promise<void> {
    const { nats } = this.servers;
    sendSignal(nats.pid, 'SIGKILL');
    await nats.exited;
    if (wipe)
      await rm(path.join(this.directory, 'nats/jetstream'), { recursive: true, force: true });
    await sleep(away_ms);
    if (this.halted) return;
    this.servers.nats = await startNatsServer(natsAt(this.directory, nats.port));
  }

  async close(): Promise<void> {
    this.halted = true;
    await this.system.stop();
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.stop()));
    await Promise.all([this.servers.nats.stop(), this.servers.postgres.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }
}

function postgresAt(directory: string, port: number) {
  return {
    data_directory: path.join(directory, 'postgres'),
    port,
    settings: POSTGRES_SETTINGS,
    take_over: true,
  };
}

function natsAt(directory: string, port: number) {
  return { data_directory: path.join(directory, 'nats'), port, take_over: true };
}

function withPort(url: string, port: number): string {
  const parsed = new URL(url);
  parsed.port = `${port}`;
  return parsed.href;
}
