import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from '@credit/contract';
import { type AppError, ERRORS } from '@credit/platform/errors';
import type { RateState } from '@credit/proto/identity/v1/identity';
import { hasBody, hasStrayBody } from './body';

/** What the rate headers say. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  readonly reset_s: number;
}

/** For answers that nobody has been metered for. */
export function anonymousRate(limit: number, now_ms: number): Rate {
  return { limit, remaining: limit, reset_s: (Math.floor(now_ms / 60_000) + 1) * 60 };
}

export function meteredRate(state: RateState): Rate {
  return { limit: state.limit, remaining: state.remaining, reset_s: Number(state.reset_s) };
}

/** Of a 429, whichever limit refused: its headers name one moment. */
export function refusedRate({ limit }: Rate, retry_after_s: number, now_ms: number): Rate {
  return {
    limit,
    remaining: 0,
    reset_s: Math.floor(now_ms / 1_000) + Math.ceil(retry_after_s),
  };
}

/** Names and values by turns, as writeHead takes them. */
export type HeaderList = string[];

/** A year: browsers and clients that have been here over TLS do not come without. */
const STRICT_TRANSPORT = 'max-age=31536000';

/** The headers that every answer has; `over_tls` when TLS ends in front of the gateway. */
export function commonHeaders(request_id: string, rate: Rate, over_tls: boolean): HeaderList {
  const headers = [
    'X-Request-ID',
    request_id,
    'X-RateLimit-Limit',
    String(rate.limit),
    'X-RateLimit-Remaining',
    String(rate.remaining),
    'X-RateLimit-Reset',
    String(rate.reset_s),
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
  ];
  if (over_tls) headers.push('Strict-Transport-Security', STRICT_TRANSPORT);
  return headers;
}

/** An error as the caller sees it, with where it is explained. */
export interface ErrorAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: HeaderList;
}

export function errorAnswer(error: AppError, request_id: string, docs_origin: string): ErrorAnswer {
  const { code, retry_after_s } = error;
  const headers: HeaderList = [];
  if (code === 'INVALID_API_KEY') headers.push('WWW-Authenticate', 'Bearer');
  if (retry_after_s !== undefined) headers.push('Retry-After', String(Math.ceil(retry_after_s)));
  return {
    status: ERRORS[code].http_status,
    text: JSON.stringify(errorBody(error, request_id, docs_origin)),
    headers,
  };
}

/** How long and how much of an unwanted body is still taken, so that the answer is read. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 16 * 1_024 * 1_024;
const LINGER_PIECES = 4_096;

const ended = new WeakSet<Socket>();

/** Says of a connection that the answer it is getting is its last: what else comes is not done. */
export function endAfterAnswer(socket: Socket): void {
  ended.add(socket);
}

/** True when what comes on a connection will not be answered any more. */
export function isEnding(socket: Socket): boolean {
  return ended.has(socket);
}

/**
 * Longer texts are encoded once and then sent: a stream encodes text more slowly. A short one goes
 * out in one piece with the headers.
 */
const LONG_TEXT = 16 * 1_024;

/** Whom an answer goes to. */
interface Answerable {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Set when no more of the request can be read. */
  readonly broken: AppError | undefined;
}

/**
 * Sends an answer. When the request's body has not arrived in full, or should not
 * have been there, the connection ends with it: but not before the client had time to read the
 * answer, for closing with unread input resets the connection.
 */
export function send(
  { request, response, broken }: Answerable,
  status: number,
  headers: HeaderList,
  text: string | undefined,
): void {
  if (response.destroyed || response.headersSent) return;
  const body = text !== undefined && text.length > LONG_TEXT ? Buffer.from(text) : text;
  if (body !== undefined) {
    headers.push(
      'Content-Type',
      'application/json',
      'Content-Length',
      `${Buffer.byteLength(body)}`,
    );
  }
  if (!hasBody(request) || (request.complete && !hasStrayBody(request))) {
    response.writeHead(status, headers);
    response.end(body);
    return;
  }
  headers.push('Connection', 'close');
  endAfterAnswer(request.socket);
  response.writeHead(status, headers);
  if (broken !== undefined) {
    response.end(body);
    return;
  }
  if (body !== undefined) response.write(body);
  else response.flushHeaders();
  linger(request, response);
}

function linger(request: IncomingMessage, response: ServerResponse): void {
  let taken_bytes = 0;
  let pieces = 0;
  const end = () => {
    clearTimeout(timer);
    request.off('data', onData);
    response.end();
  };
  const onData = (chunk: Buffer) => {
    taken_bytes += chunk.length;
    pieces += 1;
    if (taken_bytes > LINGER_BYTES || pieces > LINGER_PIECES) end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.on('data', onData);
  request.on('error', end);
  request.once('end', end);
  request.once('close', end);
  request.resume();
}

/** An answer where there is no request: the parser gave up. Ends the connection. */
export function sendRaw(socket: Socket, answer: ErrorAnswer, headers: HeaderList): void {
  endAfterAnswer(socket);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const all = [
    ...headers,
    ...answer.headers,
    'Content-Type',
    'application/json',
    'Content-Length',
    `${Buffer.byteLength(answer.text)}`,
    'Connection',
    'close',
    'Date',
    new Date().toUTCString(),
  ];
  let head = `HTTP/1.1 ${answer.status} ${answer.status === 404 ? 'Not Found' : 'Bad Request'}\r\n`;
  for (let i = 0; i < all.length; i += 2) head += `${all[i]}: ${all[i + 1]}\r\n`;
  socket.end(`${head}\r\n${answer.text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
