import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The HTTP port of a service that has documents, as a test wants it to answer. */
export class DocumentServer {
  readonly seen: IncomingMessage[] = [];
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 4 });
    response.end('%PDF');
  };
  /** Whose answer it says it gives; that of who asked unless a test says otherwise. */
  exchange_of: (() => string) | undefined;
  private readonly server = createServer((request, response) => {
    this.seen.push(request);
    const named = request.headers['credit-exchange'];
    const exchange = this.exchange_of === undefined ? named : this.exchange_of();
    if (typeof exchange === 'string') response.setHeader('credit-exchange', exchange);
    this.answer(request, response);
  });

  /** Listens on a free port of loopback; returns the address. */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
