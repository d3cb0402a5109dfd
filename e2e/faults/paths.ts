// The network between the parts: a proxy on the way of each caller to each process that it calls.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { documentsPort, SERVICES, serviceOf, withReplicas } from '@credit/local/services';
import { RUN_FILE, type RunRecord } from '@credit/local/supervisor';
import type { Chance } from '../support/chance';
import { TcpProxy } from './proxy';

/** A service that calls another, and that other. */
export interface Path {
  readonly from: string;
  readonly to: string;
}

export const PATHS: readonly Path[] = SERVICES.flatMap(({ name, peers }) =>
  peers.map((to) => ({ from: name, to })),
);

/** In the order of the proxy's modes; what is corrupted must be under TLS, which notices. */
export const PATH_FAULTS = [
  'cut',
  'half_open',
  'deaf_there',
  'deaf_back',
  'slow',
  'corrupt',
] as const;
export type PathFault = (typeof PATH_FAULTS)[number];

/** On the way to one process of two, or to both. */
export interface BrokenPath extends Path {
  readonly kind: 'path';
  readonly how: PathFault;
  readonly replicas: readonly (1 | 2)[];
  readonly for_ms: number;
}

const SLOW_MS = 150;

export function brokenPath(chance: Chance, how: PathFault): BrokenPath {
  return {
    kind: 'path',
    ...chance.pick(PATHS),
    how,
    replicas: chance.pick([[1], [2], [1, 2]] as const),
    for_ms: 2_000 + chance.below(4_000),
  };
}

export function nameOfPath({ from, how, replicas, to }: BrokenPath): string {
  return `${how} ${from}>${to} ${replicas.join('+')}`;
}

/** The proxies of a system whose processes take their ports when they start. */
export class PathProxies {
  private constructor(private readonly proxies: ReadonlyMap<string, TcpProxy>) {}

  static async start(data_directory: string): Promise<PathProxies> {
    const portOf = (name: string): number | undefined => {
      try {
        const file = path.join(data_directory, RUN_FILE);
        return (JSON.parse(readFileSync(file, 'utf8')) as RunRecord).ports[name];
      } catch {
        // Nothing runs yet.
        return undefined;
      }
    };
    const proxies = new Map<string, TcpProxy>();
    for (const { from, to } of PATHS) {
      for (const name of processesOf(to)) {
        let port: number | undefined;
        const target = () => {
          port ??= portOf(name);
          return port;
        };
        proxies.set(`${from}>${name}`, await TcpProxy.start(target));
      }
    }
    return new PathProxies(proxies);
  }

  /** For the environment of the system. */
  get environment(): Record<string, string> {
    const ports = [...this.proxies].map(([route, { port }]) => `${route}=${port}`);
    return { PEER_PORTS: ports.join() };
  }

  break(fault: BrokenPath): void {
    const { how } = fault;
    for (const proxy of this.along(fault)) proxy.set(how === 'slow' ? { delay_ms: SLOW_MS } : how);
  }

  mend(fault: BrokenPath): void {
    for (const proxy of this.along(fault)) proxy.set('pass');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.stop()));
  }

  private along({ from, replicas, to }: BrokenPath): TcpProxy[] {
    const names = replicas.map((replica) => (replica === 1 ? to : `${to}-${replica}`));
    return [...this.proxies].flatMap(([route, proxy]) =>
      names.some(
        (name) => route === `${from}>${name}` || route === `${from}>${documentsPort(name)}`,
      )
        ? [proxy]
        : [],
    );
  }
}

/** Both of a service, and their ports for documents. */
function processesOf(service: string): string[] {
  return withReplicas(SERVICES, 2)
    .filter((one) => serviceOf(one) === service)
    .flatMap(({ documents, name }) => (documents ? [name, documentsPort(name)] : [name]));
}
