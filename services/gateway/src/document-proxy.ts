// Hands documents through from a service's HTTP port. The request has passed all checks by then,
// and its handler has been given a ticket: that is all the service behind gets to see of it.

import { IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { unavailable } from '@credit/platform/errors';
import { createPeerAgent, type ServiceTls } from '@credit/platform/runtime';
import { createProxyMiddleware, type RequestHandler } from 'http-proxy-middleware';
import type { HeaderList } from './answer';

/** An answer that is fetched elsewhere. */
export class Document {
  constructor(
    /** Lets its bearer fetch one document once. */
    readonly ticket: string,
  ) {}
}

const PATH = '/report-document';
const TIMEOUT_MS = 30_000;
/** Of the service's answer; nothing else of it goes out. */
const PASSED_ON = ['content-type', 'content-length', 'content-disposition', 'repr-digest'];

/** Names an exchange with the service; its answer names it again. */
const EXCHANGE_HEADER = 'credit-exchange';

interface Passage {
  readonly id: string;
  readonly ticket: string;
  readonly headers: HeaderList;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * What is sent on in place of a caller's request: a request of our own, with no header and no body.
 * Nothing that a caller sends may come near an inner connection: whatever follows a request there is
 * the next request. The agent shares none besides, so that its answer would not be another caller's.
 */
class BareRequest extends IncomingMessage {
  constructor({ socket }: IncomingMessage) {
    super(socket);
    this.method = 'GET';
    this.url = PATH;
    this.httpVersion = '1.1';
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    this.complete = true;
    this.push(null);
  }
}

/** Streams documents of one service to callers of the gateway. */
export class DocumentProxy {
  private readonly passages = new WeakMap<IncomingMessage, Passage>();
  private readonly middleware: RequestHandler<IncomingMessage, ServerResponse>;

  constructor(
    address: string,
    private readonly newId: () => string,
    tls?: ServiceTls,
  ) {
    this.middleware = createProxyMiddleware<IncomingMessage, ServerResponse>({
      target: `${tls === undefined ? 'http' : 'https'}://${address}`,
      agent: createPeerAgent(tls),
      changeOrigin: true,
      pathRewrite: () => PATH,
      proxyTimeout: TIMEOUT_MS,
      selfHandleResponse: true,
      on: {
        proxyReq: (outgoing, request) => {
          const passage = this.passages.get(request);
          outgoing.setHeader('authorization', `Ticket ${passage?.ticket ?? ''}`);
          outgoing.setHeader(EXCHANGE_HEADER, passage?.id ?? '');
        },
        proxyRes: (incoming, request, response) => {
          const passage = this.passages.get(request);
          if (passage === undefined) return incoming.destroy();
          if (incoming.headers[EXCHANGE_HEADER] !== passage.id) {
            // Somebody else's answer: it is shown to nobody, and the connection goes.
            incoming.destroy();
            passage.fail(new Error('The document server answered another exchange.'));
            return undefined;
          }
          if (incoming.statusCode !== 200) {
            incoming.resume();
            passage.fail(unavailable('The document could not be fetched; try again.', 1));
            return undefined;
          }
          const headers = [...passage.headers];
          for (const name of PASSED_ON) {
            const value = incoming.headers[name];
            if (typeof value === 'string') headers.push(name, value);
          }
          response.writeHead(200, headers);
          // Whoever breaks off, the other side is let go; a broken answer cannot be mended.
          pipeline(incoming, response).then(passage.done, passage.done);
          return undefined;
        },
        error: (error, request) => {
          const reason = unavailable('The document could not be fetched; try again.', 1);
          reason.cause = error;
          this.passages.get(request)?.fail(reason);
        },
      },
    });
  }

  /** Resolves when the answer is over; rejects while an error can still be answered. */
  pass(
    request: IncomingMessage,
    response: ServerResponse,
    { ticket }: Document,
    headers: HeaderList,
  ): Promise<void> {
    const bare = new BareRequest(request);
    return new Promise((resolve, reject) => {
      this.passages.set(bare, {
        id: this.newId(),
        ticket,
        headers,
        done: resolve,
        fail: (error) => (response.headersSent ? resolve() : reject(error)),
      });
      response.once('close', () => {
        // Whoever has gone is not asked for any more.
        if (!response.writableFinished) bare.emit('aborted');
        resolve();
      });
      this.middleware(bare, response, reject).catch(reject);
    });
  }
}
