import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

import type { RpcLogger } from './dispatcher';

/** Where a channel's peers are. */
export interface Target {
  /** Addresses that need no resolving; undefined for a name. */
  readonly addresses: readonly string[] | undefined;
  /** The name to resolve, and to expect in the peer's certificate; '' without one. */
  readonly host: string;
  readonly port: string;
}

/** Finds the addresses behind a host name. */
export type Lookup = (host: string) => Promise<string[]>;

/**
 * Reads `dns:///host:port`, `host:port`, `ipv4:a:p,b:p` or `unix:path`. IP literals
 * and `localhost` stand for themselves.
 */
export function parseTarget(target: string): Target {
  if (target.startsWith('unix:')) return { addresses: [target], host: '', port: '' };
  if (target.startsWith('ipv4:')) {
    return { addresses: target.slice('ipv4:'.length).split(','), host: '', port: '' };
  }
  const authority = target.replace(/^dns:(\/\/\/)?/, '');
  const match = /^(?:\[([^\]]+)\]|([^:/]+)):(\d+)$/.exec(authority);
  if (match === null) {
    throw new Error(`"${target}" is not a target: host:port or dns:///host:port is expected`);
  }
  const host = match[1] ?? match[2] ?? '';
  const port = match[3] ?? '';
  // Both families of localhost are one server: grpc-js tries them in turn.
  const literal = host === 'localhost' || isIP(host) !== 0;
  return { addresses: literal ? [authority] : undefined, host: literal ? '' : host, port };
}

const MIN_PAUSE_MS = 1_000;

/**
 * Keeps the list of a name's addresses up to date: at an interval, and soon after
 * a failure. One that cannot be resolved any more keeps the addresses it had.
 */
export class AddressResolver {
  readonly #target: Target;
  readonly #lookup: Lookup;
  readonly #interval_ms: number;
  readonly #logger: RpcLogger;
  readonly #onAddresses: (addresses: readonly string[]) => void;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #resolving = false;
  #resolved_at_ms = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: {
    target: Target;
    lookup: Lookup;
    interval_ms: number;
    logger: RpcLogger;
    onAddresses: (addresses: readonly string[]) => void;
    onFailure: (error: unknown) => void;
  }) {
    this.#target = options.target;
    this.#lookup = options.lookup;
    this.#interval_ms = options.interval_ms;
    this.#logger = options.logger;
    this.#onAddresses = options.onAddresses;
    this.#onFailure = options.onFailure;
  }

  /** Begins; addresses that need no resolving are there before this returns. */
  start(): void {
    if (this.#target.addresses !== undefined) this.#onAddresses(this.#target.addresses);
    else void this.#resolve();
  }

  /** Resolves again at once, but never more than once a second. */
  resolveSoon(): void {
    if (this.#target.addresses !== undefined || this.#resolving || this.#stopped) return;
    this.#schedule(Math.max(0, this.#resolved_at_ms + MIN_PAUSE_MS - performance.now()));
  }

  /** Ends it. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delay_ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#resolve(), delay_ms).unref();
  }

  async #resolve(): Promise<void> {
    this.#resolving = true;
    let failed = false;
    try {
      const hosts = await this.#lookup(this.#target.host);
      if (this.#stopped) return;
      if (hosts.length === 0) throw new Error('the name has no address');
      const { port } = this.#target;
      this.#onAddresses(
        hosts.map((host) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)),
      );
    } catch (error) {
      if (this.#stopped) return;
      failed = true;
      this.#logger.warn({ err: error, host: this.#target.host }, 'rpc peer cannot be resolved');
      this.#onFailure(error);
    } finally {
      this.#resolving = false;
      this.#resolved_at_ms = performance.now();
      if (!this.#stopped) this.#schedule(failed ? MIN_PAUSE_MS : this.#interval_ms);
    }
  }
}

/** All addresses of one family: a pod with both would else be counted twice. */
export async function lookupAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  const family = found[0]?.family;
  return found.filter((entry) => entry.family === family).map((entry) => entry.address);
}
