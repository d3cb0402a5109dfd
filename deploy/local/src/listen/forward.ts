import { lookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Misused } from '../command-line';

/** As the network gives a receiver. */
const TIMEOUT_MS = 10_000;
/** Enough of an answer to let a polite receiver finish. */
const MAX_ANSWER_BYTES = 16_384;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** What became of a message: a status, or why there is none. */
export type Outcome = { readonly status: number } | { readonly error: string };

/** Where messages go, and nowhere else. */
export interface Target {
  readonly url: URL;
  /** Whether it may lie beyond this machine. */
  readonly is_remote_allowed: boolean;
}

/** Reads where to forward to: on this machine unless `is_remote_allowed`. */
export function readTarget(text: string | undefined, is_remote_allowed: boolean): Target {
  if (text === undefined) throw new Misused('Say where to forward to: --forward URL.');
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Misused('--forward is no http or https address.');
  }
  if (url.username !== '' || url.password !== '') throw new Misused('--forward holds a password.');
  const host = hostOf(url);
  if (!is_remote_allowed && host !== 'localhost' && (isIP(host) === 0 || !isLoopback(host))) {
    throw new Misused('--forward leads beyond this machine: say --allow-remote if it shall.');
  }
  return { url, is_remote_allowed };
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');

/** Resolves for the connection itself, so that a name leads nowhere else than was allowed. */
const lookupOnThisMachine: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null) callback(error, '');
    else if (first === undefined || !addresses.every(({ address }) => isLoopback(address))) {
      callback(Object.assign(new Error(host), { code: 'NOT_ON_THIS_MACHINE' }), '');
    } else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** Posts one message. No redirect is followed and no proxy is asked; it never throws. */
export function forward(
  { url, is_remote_allowed }: Target,
  headers: Readonly<Record<string, string>>,
  body: string,
  stop: AbortSignal,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({ error: timeout.aborted ? 'TIMEOUT' : (error.code ?? 'FAILED') });
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      // A connection of its own: the shared agent may be set to go through a proxy.
      agent: false,
      signal: AbortSignal.any([stop, timeout]),
      ...(is_remote_allowed ? {} : { lookup: lookupOnThisMachine }),
    });
    request.on('error', fail);
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      let bytes = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes < MAX_ANSWER_BYTES) return;
        resolve({ status });
        request.destroy();
      });
      response.on('end', () => resolve({ status }));
    });
    request.end(body);
  });
}
