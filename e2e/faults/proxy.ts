import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** `cut` refuses and resets, `half_open` keeps connections and passes nothing on. */
export type ProxyMode = 'pass' | 'cut' | 'half_open' | { readonly delay_ms: number };

/** Stands between a service and what it connects to. */
export class TcpProxy {
  private mode: ProxyMode = 'pass';
  private readonly pairs = new Set<Pair>();
  private readonly server: Server;

  private constructor(private readonly target_port: number) {
    this.server = createServer((client) => this.accept(client));
  }

  static async start(target_port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target_port);
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
    const pair = new Pair(client, connect(this.target_port, '127.0.0.1'), () => this.mode);
    this.pairs.add(pair);
    pair.onEnd(() => this.pairs.delete(pair));
  }
}

/** A connection and the one that it is passed on by. */
class Pair {
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

  private pass(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      const mode = this.mode();
      if (mode === 'half_open') return;
      const send = () => {
        if (to.destroyed || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => from.resume());
      };
      // Timers of one length fire in the order in which they were set: so do the bytes.
      if (typeof mode === 'object') setTimeout(send, mode.delay_ms);
      else send();
    });
    from.on('error', () => to.destroy());
    from.on('close', () => to.end());
  }
}
