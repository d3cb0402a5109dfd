import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

const agent = new Agent({ keepAlive: true, maxSockets: 20 });

export function closeConnections(): void {
  agent.destroy();
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function bodyHeaders(body: Buffer | undefined, given: OutgoingHttpHeaders = {}) {
  if (body === undefined) return {};
  const type = { 'Content-Type': 'application/json' };
  return 'Transfer-Encoding' in given ? type : { ...type, 'Content-Length': body.length };
}

/** Sends one request; a body is announced as JSON unless the headers say otherwise. */
export function send(port: number, sent: Sent): Promise<Reply> {
  const body = bytesOf(sent.body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        method: sent.method ?? 'GET',
        path: sent.path,
        headers: { ...bodyHeaders(body, sent.headers), ...sent.headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Writes bytes as they are and collects all that comes back until the connection ends. */
export function sendBytes(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    for (const part of parts) socket.write(part);
    socket.setTimeout(10_000, () => socket.destroy(new Error('the connection stays open')));
  });
}

/** The answers on a connection, in order. */
export function parseReplies(text: string): Reply[] {
  const replies: Reply[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [status_line = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    const body_end = end + 4 + Number(headers['content-length'] ?? 0);
    const status = Number(status_line.split(' ')[1]);
    if (status !== 100) replies.push({ status, headers, text: rest.slice(end + 4, body_end) });
    rest = rest.slice(body_end);
  }
  return replies;
}

/** What every answer must have, whatever it is. */
export function expectComplete(reply: Reply): void {
  expect(reply.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(reply.headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/);
  }
  expect(reply.headers['cache-control']).toBe('no-store');
  if (reply.status < 400 || reply.text === '') return;
  const { error } = JSON.parse(reply.text);
  expect(error).toMatchObject({
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.any(String),
    request_id: reply.headers['x-request-id'],
  });
}

/** The code of an error's envelope. */
export function codeOf(reply: Reply): string {
  return JSON.parse(reply.text).error.code;
}

export function detailsOf(reply: Reply): { path: string; message: string }[] {
  return JSON.parse(reply.text).error.details;
}
