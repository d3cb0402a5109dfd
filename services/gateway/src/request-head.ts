import type { IncomingMessage } from 'node:http';
import { type AppError, requestError } from '@credit/platform/errors';
import { hasStrayBody } from './body';

/**
 * Headers that say who asks whom for what, and how the body is to be read. Of two, Node takes the
 * first and something in front may have taken the other: such a request has no one meaning.
 */
const SINGLE = new Map(
  [
    'Host',
    'Authorization',
    'Idempotency-Key',
    'Content-Type',
    'Content-Length',
    'Content-Encoding',
    'Transfer-Encoding',
  ].map((name) => [name.toLowerCase(), name]),
);
const LENGTHS = new Set([...SINGLE.keys()].map((name) => name.length));

/** What is wrong with a request's head whatever it asks for; undefined when nothing is. */
export function headFault(request: IncomingMessage): AppError | undefined {
  const { headers, rawHeaders } = request;
  if (headers.host === undefined && request.httpVersion === '1.1') {
    return requestError('The request has no Host header.');
  }
  const repeated = repeatedHeader(rawHeaders);
  return repeated === undefined
    ? undefined
    : requestError(`The request has two ${repeated} headers.`);
}

/**
 * Refuses a body where none can be. Nobody expects it, so it is where one request ends for one
 * reader and not for the next.
 */
export function bodyFault(request: IncomingMessage): AppError | undefined {
  return hasStrayBody(request)
    ? requestError('A GET request has no body.', 'UNEXPECTED_BODY')
    : undefined;
}

function repeatedHeader(raw: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < raw.length; i += 2) {
    const given = raw[i] ?? '';
    // Most names are told by their length; the rest are few.
    if (!LENGTHS.has(given.length)) continue;
    const name = given.toLowerCase();
    const single = SINGLE.get(name);
    if (single === undefined) continue;
    if (seen.has(name)) return single;
    seen.add(name);
  }
  return undefined;
}
