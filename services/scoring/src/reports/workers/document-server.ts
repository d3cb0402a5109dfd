// The scoring service's own HTTP port: documents, for whoever holds a ticket, and nothing else.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CallContext, ENVIRONMENTS, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  createPeerServer,
  type Logger,
  type ServiceTls,
  type Worker,
} from '@credit/platform/runtime';
import type { ReportFormat, StoredReport } from '../domain/report';
import { ticketHash } from '../queries/get-report';
import { readSlice, redeemTicket } from '../store/reports';

export interface DocumentServerOptions {
  readonly db: Database;
  readonly logger: Logger;
  /** `host:port`; port 0 takes a free one. */
  readonly address: string;
  /** Undefined on plain text. */
  readonly tls?: ServiceTls;
}

export const DOCUMENT_PATH = '/report-document';
const EXCHANGE_HEADER = 'credit-exchange';
const TICKET = /^Ticket ((?:live|test)\.[A-Za-z0-9_-]{43})$/;
const SLICE_BYTES = 256 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 10_000;

const CONTENT_TYPES: Readonly<Record<ReportFormat, string>> = {
  JSON: 'application/json',
  CSV: 'text/csv; charset=utf-8',
  PDF: 'application/pdf',
};

/** Serves documents slice by slice: none is ever held whole. */
export class DocumentServer implements Worker {
  readonly name = 'documents';
  private readonly server: Server;

  constructor(private readonly options: DocumentServerOptions) {
    this.server = createPeerServer(
      options.tls,
      ['gateway'],
      { requestTimeout: REQUEST_TIMEOUT_MS },
      (request, response) => void this.serve(request, response),
    );
  }

  /** The port it listens on. */
  get port(): number {
    const address = this.server.address();
    return address !== null && typeof address !== 'string' ? address.port : 0;
  }

  start(): void {
    const at = this.options.address.lastIndexOf(':');
    const host = this.options.address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
    // A port that is taken ends the process, as it does for gRPC.
    this.server.listen(Number(this.options.address.slice(at + 1)), host);
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeIdleConnections();
    const forced = setTimeout(() => this.server.closeAllConnections(), STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(forced);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      // An answer says which exchange it ends: over a shared connection nobody takes another's.
      const exchange = request.headers[EXCHANGE_HEADER];
      if (typeof exchange === 'string') response.setHeader(EXCHANGE_HEADER, exchange);
      // What follows a body could be taken for a request of its own.
      if (hasBody(request)) {
        response.setHeader('connection', 'close');
        return refuse(response, 404);
      }
      const ticket = TICKET.exec(request.headers.authorization ?? '')?.[1];
      const is_ours = request.method === 'GET' && request.url === DOCUMENT_PATH;
      if (!is_ours || ticket === undefined) return refuse(response, 404);
      const environment = ENVIRONMENTS.find((name) => ticket.startsWith(`${name}.`));
      if (environment === undefined) return refuse(response, 404);
      const ctx = systemContext(environment);
      const report = await redeemTicket(this.options.db.read(ctx), ticketHash(ticket));
      if (report === undefined) return refuse(response, 404);
      response.writeHead(200, headersOf(report));
      await pipeline(Readable.from(this.slices(ctx, report), { objectMode: false }), response);
    } catch (error) {
      // A client that goes away is no fault.
      if (!request.destroyed) this.options.logger.warn({ err: error }, 'a document broke off');
      if (response.headersSent) response.destroy();
      else refuse(response, 500);
    }
  }

  private async *slices(ctx: CallContext, report: StoredReport): AsyncGenerator<Buffer> {
    const size = report.content_bytes ?? 0;
    for (let offset = 0; offset < size; offset += SLICE_BYTES) {
      const slice = await readSlice(this.options.db.read(ctx), report.id, offset, SLICE_BYTES);
      if (slice === undefined) throw new Error(`The document of ${report.id} is gone.`);
      yield slice;
    }
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0 }).end();
}

function headersOf(report: StoredReport): Record<string, string | number> {
  const { id, format, content_bytes, content_sha256 } = report;
  return {
    'content-type': CONTENT_TYPES[format],
    'content-length': content_bytes ?? 0,
    'content-disposition': `attachment; filename="credit-report-${id}.${format.toLowerCase()}"`,
    // RFC 9530.
    'repr-digest': `sha-256=:${content_sha256?.toString('base64') ?? ''}:`,
  };
}
