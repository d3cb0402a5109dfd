import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { checkAnswer } from './answers';
import type { MutatedRequest } from './mutated-request';

/** An answer as it came. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const TIMEOUT_MS = 15_000;

/** A pool of kept connections to one port. */
export class HttpPeer {
  readonly #agent: Agent;

  constructor(
    readonly port: number,
    connections: number,
  ) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Rejects when the connection breaks before the answer is complete. */
  send({ method, target, headers, body }: MutatedRequest): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.port,
          agent: this.#agent,
          method,
          path: target,
          headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': body.length }) },
          timeout: TIMEOUT_MS,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('aborted', () => reject(new Error('The answer was cut off.')));
          response.on('end', () => {
            const reply = {
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            };
            const request_text = body?.toString('utf8');
            checkReply({ method, target, request_text }, reply);
            resolve(reply);
          });
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('No answer in time.')));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Holds an answer against the published document. */
function checkReply(
  sent: { method: string; target: string; request_text?: string | undefined },
  { status, headers, text }: Reply,
): void {
  checkAnswer({ ...sent, status, header: (name) => headers[name]?.toString(), text });
}

/** The request as HTTP/1.1 writes it. */
export function toBytes({ method, target, headers, body }: MutatedRequest): Buffer {
  const lines = Object.entries({
    Host: 'localhost',
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': `${body.length}` }),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    body ?? Buffer.alloc(0),
  ]);
}

/** Long enough for an answer to whatever can be answered. */
const QUIET_MS = 500;

/** What came back for some bytes. */
export interface RawOutcome {
  readonly replies: Reply[];
  /** The server waited for more, until this side hung up. */
  readonly waited: boolean;
}

/** Sends bytes as they are, and hangs up once nothing more comes back. */
export function sendBytes(port: number, bytes: Buffer): Promise<RawOutcome> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let waited = false;
    const hangUp = () => {
      waited = true;
      socket.end();
    };
    let quiet = setTimeout(hangUp, QUIET_MS);
    const timer = setTimeout(() => socket.destroy(new Error('It does not end.')), TIMEOUT_MS);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(quiet);
      quiet = setTimeout(hangUp, QUIET_MS);
    });
    socket.on('error', reject);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(quiet);
      clearTimeout(timer);
      try {
        resolve({ replies: parseReplies(Buffer.concat(chunks)), waited });
      } catch (error) {
        reject(error);
      }
    });
    socket.write(bytes);
  });
}

function parseReplies(bytes: Buffer): Reply[] {
  const replies: Reply[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`No end of headers in ${rest.toString('latin1').slice(0, 200)}`);
    const [status_line = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf(':');
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
      }),
    );
    const body_end = end + 4 + Number(headers['content-length'] ?? 0);
    if (body_end > rest.length) throw new Error('The answer was cut off.');
    const status = Number(status_line.split(' ')[1]);
    const text = rest.subarray(end + 4, body_end).toString('utf8');
    if (status >= 200) {
      const reply = { status, headers, text };
      // Nobody knows what the bytes were taken for, only that an error looks like one.
      if (status >= 400) checkReply({ method: '', target: '' }, reply);
      replies.push(reply);
    }
    rest = rest.subarray(body_end);
  }
  return replies;
}
