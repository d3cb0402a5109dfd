import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates';

/** One request as the receiver saw it. */
export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at_ms: number;
  readonly http_version: string;
  readonly remote_address: string;
}

/** How a path of the receiver answers. */
export type Behaviour = (request: Received, response: ServerResponse, raw: IncomingMessage) => void;

/** A real HTTPS server that keeps what it gets and answers as told, per path. */
export interface Receiver {
  readonly port: number;
  readonly received: readonly Received[];
  /** Requests per path that are being answered at once, at most. */
  readonly most_at_once: ReadonlyMap<string, number>;
  /** Other paths answer 200. */
  on(path: string, behaviour: Behaviour): void;
  at(path: string): Received[];
  stop(): Promise<void>;
}

/** Answers with a status. */
export function status(code: number, headers: Record<string, string> = {}): Behaviour {
  return (_request, response) => {
    response.writeHead(code, headers).end('ok');
  };
}

/** Starts a receiver on loopback. */
export async function startReceiver(certificate: Certificate): Promise<Receiver> {
  const behaviours = new Map<string, Behaviour>();
  const received: Received[] = [];
  const now_open = new Map<string, number>();
  const most_at_once = new Map<string, number>();
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (raw, response) => {
    const path = (raw.url ?? '/').split('?')[0] ?? '/';
    const open = (now_open.get(path) ?? 0) + 1;
    now_open.set(path, open);
    most_at_once.set(path, Math.max(open, most_at_once.get(path) ?? 0));
    // The sender counts an answer as complete when this side has finished it.
    response.on('finish', () => now_open.set(path, (now_open.get(path) ?? 1) - 1));
    const chunks: Buffer[] = [];
    raw.on('data', (chunk: Buffer) => chunks.push(chunk));
    raw.on('end', () => {
      const request: Received = {
        path,
        method: raw.method ?? '',
        headers: raw.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        at_ms: Date.now(),
        http_version: raw.httpVersion,
        remote_address: raw.socket.remoteAddress ?? '',
      };
      received.push(request);
      (behaviours.get(path) ?? status(200))(request, response, raw);
    });
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    most_at_once,
    on: (path, behaviour) => void behaviours.set(path, behaviour),
    at: (path) => received.filter((request) => request.path === path),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a careful receiver does before it believes a delivery. */
export function verifies(request: Received, secret: string): boolean {
  const timestamp = String(request.headers['svc-timestamp'] ?? '');
  if (Math.abs(Number(timestamp) - Date.now() / 1000) > 300) return false;
  const digest = createHmac('sha256', secret).update(`${timestamp}.${request.body}`).digest('hex');
  const given = Buffer.from(String(request.headers['svc-signature'] ?? ''));
  const expected = Buffer.from(`v1=${digest}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
