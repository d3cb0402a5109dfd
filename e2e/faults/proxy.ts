import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { commitIn } from './commit-cut';

/**
 * `cut` refuses and resets, `half_open` keeps connections and passes nothing on, `deaf_there` and
 * `deaf_back` pass on one direction alone, and `corrupt` turns a bit in a piece now and then; with `commits` a
 * connection is reset as it commits, before or after the server hears of it.
 */
export type ProxyMode =
  | 'pass'
  | 'cut'
  | 'half_open'
  | 'deaf_there'
  | 'deaf_back'
  | 'corrupt'
  | { readonly delay_ms: number }
  | { readonly commits: 'before' | 'after'; readonly one_in: number };
type Direction = 'there' | 'back';

/** Not the same: what is corrupted on the way there and back would come back whole. */
const CORRUPT_EVERY = { there: 3, back: 5 };
/** What swallows bytes leaves connections that have missed too much to go on. */
const SWALLOWING: readonly ProxyMode[] = ['half_open', 'deaf_there', 'deaf_back'];

/** Stands between a service and what it connects to. */
export class TcpProxy {
  private mode: ProxyMode = 'pass';
  private readonly pairs = new Set<Pair>();
  private readonly server: Server;

  private constructor(private readonly target: () => number | undefined) {
    this.server = createServer((client) => this.accept(client));
  }

  /** What it leads to is asked for with each connection. A target without a port yet refuses. */
  static async start(target: number | (() => number | undefined)): Promise<TcpProxy> {
    const proxy = new TcpProxy(typeof target === 'number' ? () => target : target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('No port was given.');
    return address.port;
  }

  set(mode: ProxyMode): void {
    const before = this.mode;
    this.mode = mode;
    if (mode === 'cut' || SWALLOWING.includes(before)) this.resetAll();
  }

  /** What is connected hears nothing any more, as from a machine that is gone; what comes does. */
  silence(): void {
    for (const pair of this.pairs) pair.silence();
  }

  async stop(): Promise<void> {
    this.server.close();
    this.resetAll();
    await once(this.server, 'close');
  }

  private resetAll(): void {
    for (const pair of this.pairs) pair.reset();
  }

  private accept(client: Socket): void {
    const port = this.target();
    if (this.mode === 'cut' || port === undefined) {
      client.resetAndDestroy();
      return;
    }
    const pair = new Pair(client, connect(port, '127.0.0.1'), () => this.mode);
    this.pairs.add(pair);
    pair.onEnd(() => this.pairs.delete(pair));
  }
}

/** A connection and the one that it is passed on by. */
class Pair {
  private is_silent = false;
  private commits = 0;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly mode: () => ProxyMode,
  ) {
    client.setNoDelay(true);
    server.setNoDelay(true);
    this.pass(client, server, 'there');
    this.pass(server, client, 'back');
  }

  onEnd(listener: () => void): void {
    this.client.once('close', listener);
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }

  silence(): void {
    this.is_silent = true;
    this.server.resetAndDestroy();
  }

  private pass(from: Socket, to: Socket, direction: Direction): void {
    let pieces = 0;
    from.on('data', (chunk: Buffer) => {
      const mode = this.mode();
      if (mode === 'half_open' || mode === `deaf_${direction}` || this.is_silent) return;
      pieces += 1;
      if (mode === 'corrupt' && pieces % CORRUPT_EVERY[direction] === 0) turnBit(chunk);
      const send = () => {
        if (to.destroyed || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => from.resume());
      };
      if (typeof mode === 'object' && 'commits' in mode) {
        if (from !== this.client || !this.cutCommit(chunk, mode)) send();
        return;
      }
      // Timers of one length fire in the order in which they were set: so do the bytes.
      if (typeof mode === 'object') setTimeout(send, mode.delay_ms);
      else send();
    });
    from.on('error', () => {
      if (!this.is_silent) to.destroy();
    });
    from.on('close', () => {
      if (!this.is_silent) to.end();
    });
  }

  /** Whether a commit was among what the client sent, and it is its turn. */
  private cutCommit(
    chunk: Buffer,
    { commits, one_in }: Extract<ProxyMode, { readonly commits: unknown }>,
  ): boolean {
    const commit = commitIn(chunk);
    if (commit === undefined) return false;
    this.commits += 1;
    if (this.commits % one_in !== 0) return false;
    // What has been written is still sent before the end is.
    this.server.end(chunk.subarray(0, commits === 'before' ? commit.begin : commit.end));
    this.client.resetAndDestroy();
    return true;
  }
}

function turnBit(chunk: Buffer): void {
  const at = Math.floor(chunk.length / 2);
  chunk.writeUInt8(chunk.readUInt8(at) ^ 1, at);
}
