import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type PostgresServer,
  type PostgresServerOptions,
  promoteStandby,
  sendSignal,
  startPostgresServer,
  startPostgresStandby,
} from '@credit/servers';
import pg from 'pg';
import { signalTree } from './process-tree';
import { TcpProxy } from './proxy';
import { SmallDisk } from './small-disk';
import type { Topology } from './store-plan';

const STANDBY = 'standby';
const SETTINGS = {
  max_connections: '300',
  shared_buffers: '128MB',
  fsync: 'off',
  // A disk that is full is full soon.
  min_wal_size: '32MB',
  max_wal_size: '512MB',
  wal_keep_size: '128MB',
  // As in production: a peer that is gone is noticed, and looked for again.
  wal_sender_timeout: '5s',
  wal_receiver_timeout: '5s',
  wal_retrieve_retry_interval: '1s',
};
/** Until somebody who watches the primary is sure that it is gone. */
const NOTICED_AFTER_MS = 1_000;
const STREAMING_TIMEOUT_MS = 60_000;
const BACK_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
/** More segments than are ever kept for later. */
const SWITCHES = 40;

/** Where a server keeps what it has: over its restarts, not over a failover. */
interface Place {
  readonly data_directory: string;
  readonly log_directory: string;
  readonly disks?: { readonly data: SmallDisk; readonly log: SmallDisk };
}

interface Node {
  readonly place: Place;
  server: PostgresServer;
}

interface Roles {
  primary: Node;
  standby?: Node | undefined;
}

/** PostgreSQL behind a proxy: alone, or with a standby without which it acknowledges nothing. */
export class PostgresPair {
  private halted = false;

  private constructor(
    private readonly roles: Roles,
    private readonly places: readonly [Place, Place],
    readonly proxy: TcpProxy,
    /** Between the standby and the primary. */
    private readonly replication: TcpProxy,
  ) {}

  static async open(directory: string, kind: Topology['postgres']): Promise<PostgresPair> {
    const places = [
      await placeAt(path.join(directory, 'postgres-1')),
      await placeAt(path.join(directory, 'postgres-2')),
    ] as const;
    const server = await startPostgresServer(optionsOf(places[0]));
    const roles: Roles = { primary: { place: places[0], server } };
    const port = () => roles.primary.server.port;
    const [proxy, replication] = [await TcpProxy.start(port), await TcpProxy.start(port)];
    const pair = new PostgresPair(roles, places, proxy, replication);
    if (kind === 'pair') {
      // Each copy has it too: what is promoted acknowledges nothing alone either.
      await pair.sql(`ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (${STANDBY})'`);
      await pair.sql('SELECT pg_reload_conf()');
      await pair.rebuildStandby(places[1]);
    }
    return pair;
  }

  /** Of the administrator, by the proxy. */
  get url(): string {
    return withPort(this.roles.primary.server.admin_url, this.proxy.port);
  }

  /** Whether its disks can be made full. */
  get fills(): boolean {
    return this.roles.primary.place.disks !== undefined;
  }

  /** Asks whoever is the primary, past the proxy; it may be away for a while. */
  async sql<Row extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<Row[]> {
    const url = new URL(this.roles.primary.server.admin_url);
    url.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends the primary as told and starts it again on the same data. */
  async restart(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const { server } = this.roles.primary;
    sendSignal(server.pid, signal);
    await server.exited;
    await this.startAgain(this.roles.primary);
  }

  async freeze(for_ms: number): Promise<void> {
    const { pid } = this.roles.primary.server;
    signalTree(pid, 'SIGSTOP');
    await sleep(for_ms);
    signalTree(pid, 'SIGCONT');
  }

  /**
   * The primary is gone for good, the standby takes its place, and a new standby is made. Over when
   * commits are acknowledged again.
   */
  async failOver(how: 'killed' | 'silent'): Promise<void> {
    const { primary: lost, standby: heir } = this.roles;
    if (heir === undefined) throw new Error('There is no standby.');
    signalTree(lost.server.pid, how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
    if (how === 'silent') {
      this.proxy.silence();
      this.proxy.set('half_open');
      this.replication.set('cut');
    }
    await sleep(NOTICED_AFTER_MS);
    // It must not acknowledge anything any more before another one does.
    signalTree(lost.server.pid, 'SIGKILL');
    await lost.server.exited;
    await promoteStandby(heir.server);
    this.roles.primary = heir;
    this.roles.standby = undefined;
    this.replication.set('pass');
    this.proxy.set('pass');
    await rm(lost.place.data_directory, { recursive: true, force: true });
    await rm(lost.place.log_directory, { recursive: true, force: true });
    if (!this.halted) await this.rebuildStandby(lost.place);
  }

  async loseStandby(for_ms: number): Promise<void> {
    const { standby } = this.roles;
    if (standby === undefined) throw new Error('There is no standby.');
    signalTree(standby.server.pid, 'SIGKILL');
    await standby.server.exited;
    await sleep(for_ms);
    await this.startAgain(standby);
    await this.untilStreaming();
  }

  /** What goes to the standby and what it says of it take longer. */
  async lag(for_ms: number, delay_ms: number): Promise<void> {
    this.replication.set({ delay_ms });
    await sleep(for_ms);
    this.replication.set('pass');
  }

  /** Where there are no disks to fill it does nothing. */
  async fillDisk(disk: 'data' | 'log', for_ms: number): Promise<void> {
    const { place, server } = this.roles.primary;
    if (place.disks === undefined) return;
    let has_ended = false;
    void server.exited.then(() => {
      has_ended = true;
    });
    const until_ms = Date.now() + for_ms;
    await place.disks[disk].fill();
    if (disk === 'log') await this.useUpLog();
    await sleep(Math.max(0, until_ms - Date.now()));
    await place.disks[disk].free();
    const back_ms = Date.now() + BACK_TIMEOUT_MS;
    while (!has_ended && Date.now() < back_ms) {
      const answers = await this.sql('SELECT 1').then(
        () => true,
        () => false,
      );
      if (answers) return;
      await sleep(POLL_MS);
    }
    // What ran out of room for its log ends itself, or hangs at recovering from that.
    signalTree(server.pid, 'SIGKILL');
    await server.exited;
    await this.startAgain(this.roles.primary);
  }

  async cutCommits(commits: 'before' | 'after', for_ms: number): Promise<void> {
    this.proxy.set({ commits, one_in: 3 });
    await sleep(for_ms);
    this.proxy.set('pass');
  }

  async stop(): Promise<void> {
    this.halted = true;
    await this.proxy.stop();
    await this.replication.stop();
    const { primary, standby } = this.roles;
    await Promise.all([primary.server.stop(), standby?.server.stop()]);
    for (const { disks } of this.places) {
      await disks?.data.unmount();
      await disks?.log.unmount();
    }
  }

  /** Segments that were kept for later would carry it over a short while. */
  private async useUpLog(): Promise<void> {
    for (let count = 0; count < SWITCHES; count += 1) {
      try {
        await this.sql('SELECT pg_logical_emit_message(false, $$faults$$, $$x$$), pg_switch_wal()');
      } catch {
        return;
      }
    }
  }

  private async startAgain(node: Node): Promise<void> {
    if (this.halted) return;
    node.server = await startPostgresServer(optionsOf(node.place, node.server.port));
  }

  private async rebuildStandby(place: Place): Promise<void> {
    const { place: from, server } = this.roles.primary;
    this.roles.standby = {
      place,
      server: await startPostgresStandby({
        ...optionsOf(place),
        primary: { data_directory: from.data_directory, admin_url: server.admin_url },
        primary_port: this.replication.port,
        name: STANDBY,
      }),
    };
    await this.untilStreaming();
  }

  private async untilStreaming(): Promise<void> {
    const until_ms = Date.now() + STREAMING_TIMEOUT_MS;
    while (Date.now() < until_ms && !this.halted) {
      const rows = await this.sql(
        `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'quorum'`,
      );
      if (rows.length > 0) return;
      await sleep(POLL_MS);
    }
    throw new Error('The standby did not follow in time.');
  }
}

async function placeAt(directory: string): Promise<Place> {
  const [data_directory, log_directory] = ['data', 'log'].map((name) =>
    path.join(directory, name, 'server'),
  ) as [string, string];
  const data = await SmallDisk.mount(path.join(directory, 'data'));
  const log = await SmallDisk.mount(path.join(directory, 'log'));
  const disks = data !== undefined && log !== undefined ? { data, log } : undefined;
  return { data_directory, log_directory, ...(disks === undefined ? {} : { disks }) };
}

function optionsOf(place: Place, port = 0): PostgresServerOptions {
  const { data_directory, log_directory } = place;
  return { data_directory, log_directory, port, settings: SETTINGS, take_over: true };
}

function withPort(url: string, port: number): string {
  const parsed = new URL(url);
  parsed.port = `${port}`;
  return parsed.href;
}
