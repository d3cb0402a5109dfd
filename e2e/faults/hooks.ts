import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import path from 'node:path';
import { issueServerCertificate } from '@credit/local/authority';
import type { Journal } from './journal';
import type { ReceiverFault } from './plan';

/** Receivers of webhooks, one a path, that can be made to misbehave all at once. */
export class Hooks {
  fault: ReceiverFault | undefined;
  /** Signing secrets by path. */
  readonly secrets = new Map<string, string>();
  private readonly server: Server;

  private constructor(
    certificate: { cert: string; key: string },
    private readonly journal: Journal,
  ) {
    this.server = createServer(certificate, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        this.take(request.url ?? '', request.headers, body, response);
      });
    });
    this.server.on('tlsClientError', () => {});
  }

  static async start(data_directory: string, journal: Journal): Promise<Hooks> {
    const folder = path.join(data_directory, 'authority');
    const certificate = await issueServerCertificate(
      {
        cert: readFileSync(path.join(folder, 'ca.pem'), 'utf8'),
        key: readFileSync(path.join(folder, 'ca.key'), 'utf8'),
      },
      ['127.0.0.1'],
    );
    const hooks = new Hooks(certificate, journal);
    hooks.server.listen(0, '127.0.0.1');
    await once(hooks.server, 'listening');
    return hooks;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('No port was given.');
    return `https://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(
    hook: string,
    headers: IncomingHttpHeaders,
    body: string,
    response: ServerResponse,
  ): void {
    const { id, type, data } = JSON.parse(body) as {
      id: string;
      type: string;
      data?: { credit_event_id?: string };
    };
    this.journal.write({
      t: 'delivery',
      at_ms: this.journal.now_ms(),
      hook,
      event_id: id,
      type,
      credit_event_id: data?.credit_event_id,
      verified: verifies(headers, body, this.secrets.get(hook) ?? ''),
      accepted: this.fault === undefined,
    });
    switch (this.fault) {
      case undefined:
        response.writeHead(204).end();
        return;
      case 'hang':
        return;
      case 'refuse':
        response.writeHead(503).end();
        return;
      case 'reset':
        response.socket?.destroy();
        return;
      case 'lie':
        // A success that it never ends saying.
        response.writeHead(200, { 'content-length': '1000' });
        response.write('ok');
        response.socket?.end();
        return;
      default:
        this.fault satisfies never;
    }
  }
}

function verifies(headers: IncomingHttpHeaders, body: string, secret: string): boolean {
  const timestamp = String(headers['svc-timestamp']);
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const expected = Buffer.from(`v1=${digest}`);
  const given = Buffer.from(String(headers['svc-signature']));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
