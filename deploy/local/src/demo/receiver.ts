import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { issueServerCertificate } from '../authority';

/** A delivery as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** An HTTPS server that keeps what it is sent. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Resolves once `count` deliveries have come; rejects after the time. */
  waitFor(count: number, timeout_ms?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Where a receiver listens, and who hears of each delivery before it is answered. */
export interface ReceiverOptions {
  readonly port?: number;
  readonly onReceived?: (delivery: Received) => void;
  /** The next answer: 204 without it. */
  readonly answer?: () => Answer;
}

/** What a receiver says. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Starts a receiver with a certificate of the system's local authority. */
export async function startReceiver(
  data_directory: string,
  options: ReceiverOptions = {},
): Promise<Receiver> {
  const folder = path.join(data_directory, 'authority');
  const certificate = await issueServerCertificate(
    {
      cert: readFileSync(path.join(folder, 'ca.pem'), 'utf8'),
      key: readFileSync(path.join(folder, 'ca.key'), 'utf8'),
    },
    ['127.0.0.1', 'localhost'],
  );
  const received: Received[] = [];
  const server = createServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const delivery = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(delivery);
      options.onReceived?.(delivery);
      const { status, headers = {}, body = '' } = options.answer?.() ?? { status: 204 };
      response.writeHead(status, headers).end(body);
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return {
    url: `https://127.0.0.1:${address.port}`,
    received,
    async waitFor(count, timeout_ms = 15_000) {
      const until_ms = Date.now() + timeout_ms;
      while (received.length < count) {
        if (Date.now() > until_ms)
          throw new Error(`${received.length} of ${count} deliveries came.`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** True when the signature is this secret's over this body, and fresh. */
export function verifies(delivery: Received, secret: string, now_ms = Date.now()): boolean {
  const timestamp = String(delivery.headers['svc-timestamp']);
  if (Math.abs(now_ms / 1000 - Number(timestamp)) > 300) return false;
  const expected = Buffer.from(
    `v1=${createHmac('sha256', secret).update(`${timestamp}.${delivery.body}`).digest('hex')}`,
  );
  const given = Buffer.from(String(delivery.headers['svc-signature']));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
