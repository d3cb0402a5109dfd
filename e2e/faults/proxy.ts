import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { commitIn } from './commit-cut';

/**
 * `cut` refuses and resets, `half_open` keeps connections and passes nothing on; with `commits` a
 * connection is reset as it commits, before or after the server hears of it.
 */
export type ProxyMode =
  | 'pass'
  | 'cut'
  | 'half_open'
  | { readonly delay_ms: number }
  | { readonly commits: 'before' | 'after'; readonly one_in: number };

/** Stands between a service and what it connects to. */
export class TcpProxy {
  private mode: ProxyMode = 'pass';
  private readonly pairs = new Set<Pair>();
  private readonly server: Server;

  private constructor(private readonly target: () => number) {
    this.server = createServer((client) => this.accept(client));
  }

  /** What it leads to is asked for with each connection. */
  static async start(target: number | (() => number)): Promise<TcpProxy> {
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
    // What was kept waiting has missed too much to go on.
    if (mode === 'cut' || before === 'half_open') this.resetAll();
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
    if (this.mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const pair = new Pair(client, connect(this.target(), '127.0.0.1'), () => this.mode);
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
    this.pass(client, server);
    this.pass(server, client);
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

  private pass(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      const mode = this.mode();
      if (mode === 'half_open' || this.is_silent) return;
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
