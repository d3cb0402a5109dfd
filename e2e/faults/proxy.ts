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

/** Bytes, or the end of them, and when they are passed on. */
interface Waiting {
  readonly due_ms: number;
  readonly pass: () => void;
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

  /** Of both of its connections. */
  onEnd(listener: () => void): void {
    for (const socket of [this.client, this.server]) {
      socket.once('close', () => {
        if (this.client.closed && this.server.closed) listener();
      });
    }
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
    const waiting: Waiting[] = [];
    const passDue = () => {
      while (waiting[0] !== undefined && waiting[0].due_ms <= performance.now()) {
        waiting.shift()?.pass();
      }
      const [next] = waiting;
      if (next !== undefined) setTimeout(passDue, Math.ceil(next.due_ms - performance.now()));
    };
    /** In the order in which it came, also when what came before it was to take longer. */
    const inTurn = (pass: () => void) => {
      const mode = this.mode();
      const delay_ms = typeof mode === 'object' && 'delay_ms' in mode ? mode.delay_ms : 0;
      const due_ms = Math.max(performance.now() + delay_ms, waiting.at(-1)?.due_ms ?? 0);
      waiting.push({ due_ms, pass });
      if (waiting.length === 1) passDue();
    };
    const isSwallowed = () => {
      const mode = this.mode();
      return mode === 'half_open' || mode === `deaf_${direction}` || this.is_silent;
    };
    from.on('data', (chunk: Buffer) => {
      if (isSwallowed()) return;
      const mode = this.mode();
      pieces += 1;
      if (mode === 'corrupt' && pieces % CORRUPT_EVERY[direction] === 0) turnBit(chunk);
      const cuts = typeof mode === 'object' && 'commits' in mode && from === this.client;
      if (cuts && this.cutCommit(chunk, mode)) return;
      inTurn(() => {
        if (to.destroyed || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => from.resume());
      });
    });
    from.on('error', () => {
      if (!isSwallowed()) to.destroy();
    });
    // An end that is swallowed is made up for when all that was connected meanwhile is reset.
    from.on('close', () => {
      if (!isSwallowed()) inTurn(() => to.end());
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
