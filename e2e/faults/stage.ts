import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIsReady } from '@credit/local/readiness';
import { DATABASE } from '@credit/local/secrets';
import { newDataDirectory, type System, startSystem } from '@credit/local/spawned-system';
import { sendSignal } from '@credit/servers';
import type pg from 'pg';
import { NatsCluster } from './nats-cluster';
import { type Link, SERVICES, type ServiceName } from './plan';
import { PostgresPair } from './postgres-pair';
import type { TcpProxy } from './proxy';
import type { Topology } from './store-plan';

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

/** Which process of a service, as the supervisor calls it. */
export const processName = (service: ServiceName, replica: 1 | 2) =>
  replica === 1 ? service : `${service}-${replica}`;

/** The whole system, on a PostgreSQL and a NATS of the harness's own behind proxies. */
export class Stage {
  private constructor(
    readonly system: System,
    readonly postgres: PostgresPair,
    readonly nats: NatsCluster,
    private readonly directory: string,
    /** What the system was started with. */
    readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async open(
    { postgres: servers, nats: kind }: Topology,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Stage> {
    const directory = await newDataDirectory();
    const [postgres, nats] = await Promise.all([
      PostgresPair.open(directory, servers),
      NatsCluster.open(directory, kind),
    ]);
    const settings = { ...SETTINGS, ...more };
    const system = await startSystem({
      ...settings,
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      NATS_STREAM_REPLICAS: `${nats.replicas}`,
    });
    const stage = new Stage(system, postgres, nats, directory, settings);
    // The supervisor was waited for until the first gateway served.
    for (const service of SERVICES) {
      for (const replica of [1, 2] as const) await stage.untilReady(processName(service, replica));
    }
    return stage;
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

  /** Resolves when the process serves, or after a while without. */
  async untilReady(name: string): Promise<void> {
    const until_ms = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < until_ms) {
      if (await processIsReady(name, this.system.runRecord().ports)) return;
      await sleep(100);
    }
  }

  /** Of the whole server, past the proxy; it may be away for a while. */
  sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return this.postgres.sql<Row>(text, DATABASE);
  }

  async close(): Promise<void> {
    await this.system.stop();
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }
}
