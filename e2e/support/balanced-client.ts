import { Agent, request } from 'node:http';
import { httpIsReady } from '@credit/local/readiness';

const CHECK_EVERY_MS = 100;
const TIMEOUT_MS = 15_000;

/** What came of a request; 0 when the connection broke. */
export interface Outcome {
  readonly status: number;
  readonly text: string;
}

/**
 * Spreads requests over gateways as a load balancer does: on kept connections, to those that say
 * they are ready, and to the next one when a connection is refused. All else is the client's to
 * see.
 */
export class BalancedClient {
  private readonly backends: { url: string; agent: Agent; ready: boolean }[];
  private readonly checks: NodeJS.Timeout;
  private turn = 0;

  constructor(urls: readonly string[]) {
    this.backends = urls.map((url) => ({
      url,
      agent: new Agent({ keepAlive: true, maxSockets: 64 }),
      ready: true,
    }));
    this.checks = setInterval(() => {
      for (const backend of this.backends) {
        void httpIsReady(`${backend.url}/readyz`).then((ready) => {
          backend.ready = ready;
        });
      }
    }, CHECK_EVERY_MS);
  }

  async send(
    method: string,
    path: string,
    options: { token?: string; body?: unknown; key?: string } = {},
  ): Promise<Outcome> {
    const refused = new Set<string>();
    for (;;) {
      const candidates = this.backends.filter(({ url }) => !refused.has(url));
      const ready = candidates.filter((backend) => backend.ready);
      const among = ready.length > 0 ? ready : candidates;
      this.turn += 1;
      const backend = among[this.turn % Math.max(1, among.length)];
      if (backend === undefined) return { status: 0, text: 'every connection was refused' };
      try {
        return await this.sendTo(backend, method, path, options);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        // Nothing was sent: another one may have it.
        if (code !== 'ECONNREFUSED') return { status: 0, text: message };
        refused.add(backend.url);
      }
    }
  }

  stop(): void {
    clearInterval(this.checks);
    for (const { agent } of this.backends) agent.destroy();
  }

  private sendTo(
    { url, agent }: { url: string; agent: Agent },
    method: string,
    path: string,
    { token, body, key }: { token?: string; body?: unknown; key?: string },
  ): Promise<Outcome> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${url}/api/v1${path}`,
        {
          method,
          agent,
          timeout: TIMEOUT_MS,
          headers: {
            ...(text !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(text),
            }),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(key !== undefined && { 'idempotency-key': key }),
          },
        },
        (response) => {
          let answer = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            answer += chunk;
          });
          response.on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: answer }));
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }
}
