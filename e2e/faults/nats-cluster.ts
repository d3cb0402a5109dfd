import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, STREAM } from '@credit/platform/bus';
import { createLogger } from '@credit/platform/runtime';
import { freePort, type NatsServer, sendSignal, startNatsServer } from '@credit/servers';
import { TcpProxy } from './proxy';
import type { NatsNode, Topology } from './store-plan';

/** Nobody listens there: what the servers tell each other of themselves must not lead past proxies. */
const NOWHERE = 1;
const HEALTHY_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
const CONNECT_TIMEOUT_MS = 3_000;

interface Node {
  readonly name: string;
  readonly directory: string;
  readonly cluster?: {
    readonly port: number;
    readonly monitor_port: number;
    /** To the others, in their order. */
    readonly routes: readonly TcpProxy[];
  };
  port: number;
  /** Undefined while it is away. */
  server: NatsServer | undefined;
}

/** NATS behind one address, as the services know it: one server, or three. */
export class NatsCluster {
  private halted = false;

  private constructor(
    private readonly nodes: readonly Node[],
    /** What stands before all of them, as a Service does in Kubernetes. */
    readonly proxy: TcpProxy,
    private readonly password: string,
  ) {}

  static async open(directory: string, kind: Topology['nats']): Promise<NatsCluster> {
    const password = randomBytes(24).toString('base64url');
    const nodes = kind === 'single' ? [await alone(directory)] : await threeNodes(directory);
    const cluster = new NatsCluster(nodes, await TcpProxy.start(byTurns(nodes)), password);
    await cluster.startAll();
    return cluster;
  }

  /** Of the administrator, by the proxy. */
  get url(): string {
    return `nats://administrator:${this.password}@127.0.0.1:${this.proxy.port}`;
  }

  /**
   * Messages that consumers were not given, or have not acknowledged: what was on its way to one when a
   * server died comes again half a minute later. Undefined while nobody can say.
   */
  async backlog(): Promise<number | undefined> {
    const logger = createLogger({ service: 'faults', level: 'silent' });
    const bus = await connectBus({ url: this.url, name: 'administrator', logger });
    try {
      const until_ms = performance.now() + CONNECT_TIMEOUT_MS;
      while (!bus.status().connected && performance.now() < until_ms) await sleep(POLL_MS);
      const manager = await bus.manager();
      let count = 0;
      for await (const { num_pending, num_ack_pending } of manager.consumers.list(STREAM)) {
        count += num_pending + num_ack_pending;
      }
      return count;
    } catch {
      return undefined;
    } finally {
      await bus.close();
    }
  }

  /** How many copies the stream has. */
  get replicas(): number {
    return this.nodes.length;
  }

  /** All of them at once, with what they had stored or without. */
  async killAll({ away_ms, wipe }: { away_ms: number; wipe: boolean }): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.kill(node, wipe)));
    await sleep(away_ms);
    if (!this.halted) await this.startAll();
  }

  async killLeader(away_ms: number): Promise<void> {
    const leader = await this.leader();
    await this.kill(leader, false);
    await sleep(away_ms);
    if (!this.halted) await this.start(leader);
  }

  async wipeNode(number: NatsNode, away_ms: number): Promise<void> {
    const node = this.node(number);
    await this.kill(node, true);
    await sleep(away_ms);
    if (!this.halted) await this.start(node);
  }

  /** Its clients still reach it, and new ones do too. */
  async cutNode(number: NatsNode, how: 'cut' | 'half_open', for_ms: number): Promise<void> {
    const routes = this.routesOf(number);
    for (const route of routes) route.set(how);
    await sleep(for_ms);
    for (const route of routes) route.set('pass');
  }

  async stop(): Promise<void> {
    this.halted = true;
    await this.proxy.stop();
    await Promise.all(this.nodes.map(({ server }) => server?.stop()));
    const routes = this.nodes.flatMap(({ cluster }) => cluster?.routes ?? []);
    await Promise.all(routes.map((route) => route.stop()));
  }

  private node(number: number): Node {
    const node = this.nodes[number];
    if (node === undefined) throw new Error(`There is no node ${number}.`);
    return node;
  }

  /** In both directions. */
  private routesOf(number: number): TcpProxy[] {
    return this.nodes.flatMap(({ cluster }, from) =>
      others(from).flatMap((to, index) => {
        const route = cluster?.routes[index];
        return route !== undefined && (from === number || to === number) ? [route] : [];
      }),
    );
  }

  private async kill(node: Node, wipe: boolean): Promise<void> {
    const { server, directory } = node;
    node.server = undefined;
    if (server !== undefined) {
      sendSignal(server.pid, 'SIGKILL');
      await server.exited;
    }
    if (wipe) await rm(path.join(directory, 'jetstream'), { recursive: true, force: true });
  }

  private async startAll(): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.start(node)));
  }

  /** Resolves when it is as good as the others. */
  private async start(node: Node): Promise<void> {
    const { name, directory, cluster, port } = node;
    const server = await startNatsServer({
      data_directory: directory,
      port,
      take_over: true,
      password: this.password,
      ...(cluster === undefined
        ? {}
        : {
            cluster: {
              name,
              port: cluster.port,
              advertised_port: NOWHERE,
              peer_ports: cluster.routes.map((route) => route.port),
              monitor_port: cluster.monitor_port,
            },
          }),
    });
    node.port = server.port;
    node.server = server;
    const until_ms = Date.now() + HEALTHY_TIMEOUT_MS;
    while (cluster !== undefined && Date.now() < until_ms && !this.halted) {
      const answer = await ask(cluster.monitor_port, 'healthz');
      if (answer.status === 'ok') return;
      await sleep(POLL_MS);
    }
  }

  /** Of the stream. */
  private async leader(): Promise<Node> {
    const until_ms = Date.now() + HEALTHY_TIMEOUT_MS;
    while (Date.now() < until_ms) {
      for (const { cluster } of this.nodes) {
        if (cluster === undefined) continue;
        const name = leaderIn(await ask(cluster.monitor_port, 'jsz?accounts=true&streams=true'));
        const found = this.nodes.find((node) => node.name === name && node.server !== undefined);
        if (found !== undefined) return found;
      }
      await sleep(POLL_MS);
    }
    throw new Error('The stream has no leader.');
  }
}

interface Told {
  readonly status?: string;
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly cluster?: { readonly leader?: string };
    }[];
  }[];
}

async function ask(port: number, what: string): Promise<Told> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/${what}`, {
      signal: AbortSignal.timeout(2_000),
    });
    return (await answer.json()) as Told;
  } catch {
    return {};
  }
}

function leaderIn({ account_details = [] }: Told): string | undefined {
  return account_details
    .flatMap(({ stream_detail = [] }) => stream_detail)
    .find(({ name }) => name === STREAM)?.cluster?.leader;
}

const others = (number: number) => [0, 1, 2].filter((other) => other !== number);

/** The port of one that is there, each time of the next. */
function byTurns(nodes: readonly Node[]): () => number {
  let turn = 0;
  return () => {
    const there = nodes.filter(({ server }) => server !== undefined);
    turn += 1;
    // Where there is none the connection is refused.
    return (there[turn % Math.max(1, there.length)] ?? nodes[0])?.port ?? 0;
  };
}

async function alone(directory: string): Promise<Node> {
  return {
    name: 'nats',
    directory: path.join(directory, 'nats'),
    port: await freePort(),
    server: undefined,
  };
}

async function threeNodes(directory: string): Promise<Node[]> {
  const taken = new Set<number>();
  const port = async () => {
    const free = await freePort(taken);
    taken.add(free);
    return free;
  };
  const cluster_ports = [await port(), await port(), await port()];
  return Promise.all(
    cluster_ports.map(async (cluster_port, number): Promise<Node> => {
      const routes = await Promise.all(
        others(number).map((other) => TcpProxy.start(cluster_ports[other] ?? 0)),
      );
      return {
        name: `nats-${number}`,
        directory: path.join(directory, `nats-${number}`),
        cluster: { port: cluster_port, monitor_port: await port(), routes },
        port: await port(),
        server: undefined,
      };
    }),
  );
}
