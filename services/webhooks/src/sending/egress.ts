import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, errors, request } from 'undici';
import { type AddressRange, isReachableAddress } from '../domain/address';
import { keptAnswer, MAX_BODY_BYTES } from '../domain/answer';
import type { AttemptResult, TransportError } from '../domain/attempt';
import type { NameResolver } from './name-resolver';

/** Enough of an answer to let a polite receiver finish; the rest is cut off. */
const MAX_ANSWER_BYTES = 16_384;

/** How receivers are reached. */
export interface EgressOptions {
  readonly resolver: NameResolver;
  /** Ranges beside the public internet that the operator opened. */
  readonly opened: readonly AddressRange[];
  /** A certificate authority to trust beside the well-known ones, in PEM. */
  readonly ca?: string | undefined;
  /** Over the whole exchange: resolution, connection, TLS, request and answer. */
  readonly timeout_ms: number;
}

class AddressRefused extends Error {}
class NameNotResolved extends Error {}

/**
 * The only way out to receivers. Each connection resolves the name itself, checks
 * every address and connects to one of those it checked, so that a name cannot
 * show one address to the check and another to the connection.
 */
export class Egress {
  private readonly agent: Agent;

  constructor(private readonly options: EgressOptions) {
    const connector = buildConnector({
      // Made once: reading the roots anew costs milliseconds a connection.
      secureContext: createSecureContext(
        options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] },
      ),
      lookup: this.lookup,
      allowH2: false,
      timeout: options.timeout_ms,
    });
    this.agent = new Agent({
      connect: (target, callback) => {
        // An address needs no look-up, so it is checked here.
        const host = target.hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) !== 0 && !isReachableAddress(host, options.opened)) {
          callback(new AddressRefused(host), null);
          return;
        }
        connector({ ...target, hostname: host }, callback);
      },
      allowH2: false,
      // The signal bounds the whole exchange; undici's own coarser timers stay out of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 60_000,
    });
  }

  /**
   * The addresses of a host when all of them may be reached; throws otherwise.
   * One refused address refuses all: whoever mixes them wants to be lucky once.
   */
  private async reachableAddresses(host: string): Promise<string[]> {
    let addresses: string[];
    try {
      addresses = await this.options.resolver.resolve(host);
    } catch (error) {
      throw new NameNotResolved(host, { cause: error });
    }
    if (!addresses.every((address) => isReachableAddress(address, this.options.opened))) {
      throw new AddressRefused(host);
    }
    return addresses;
  }

  private readonly lookup: LookupFunction = (host, options, callback) => {
    this.reachableAddresses(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? '', first?.family ?? 4);
      },
      (error: Error) => callback(error, ''),
    );
  };

  /** Whether a name resolves, today, to addresses that are refused. */
  async isRefusedName(host: string): Promise<boolean> {
    try {
      await this.reachableAddresses(host);
      return false;
    } catch (error) {
      return error instanceof AddressRefused;
    }
  }

  /**
   * Posts a body; whatever goes wrong is a result, never an exception. `within_ms` shortens the
   * time that it may take.
   */
  async post(
    url: string,
    headers: Record<string, string>,
    body: string,
    within_ms = this.options.timeout_ms,
  ): Promise<AttemptResult> {
    const timeout_ms = Math.max(1, Math.min(within_ms, this.options.timeout_ms));
    const signal = AbortSignal.timeout(Math.floor(timeout_ms));
    try {
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        signal,
        dispatcher: this.agent,
        // Names and values by turns, for those that come several times.
        responseHeaders: 'raw',
      });
      const raw = answer.headers as unknown as readonly string[];
      const { start, has_more } = await readAtMost(answer.body, MAX_ANSWER_BYTES);
      return {
        kind: 'answered',
        status: answer.statusCode,
        retry_after: headerOf(raw, 'retry-after'),
        answer: keptAnswer(raw, start, has_more),
      };
    } catch (error) {
      return { kind: 'unanswered', error: signal.aborted ? 'TIMEOUT' : classify(error) };
    }
  }

  /** Drops all connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** Reads an answer and forgets all but its start; beyond `limit` the connection is cut. */
async function readAtMost(
  body: Dispatcher.ResponseData['body'],
  limit: number,
): Promise<{ start: Buffer; has_more: boolean }> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes < MAX_BODY_BYTES) kept.push(chunk.subarray(0, MAX_BODY_BYTES - bytes));
    bytes += chunk.length;
    if (bytes >= limit) break;
  }
  return { start: Buffer.concat(kept), has_more: bytes > MAX_BODY_BYTES };
}

/** The first of a name; names and values by turns. */
function headerOf(headers: readonly string[], wanted: string): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at === -1 ? undefined : headers[at + 1];
}

const CONNECTION_FAILURES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);
const LOST_CONNECTIONS = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function classify(error: unknown): TransportError {
  if (error instanceof AddressRefused) return 'ADDRESS_REFUSED';
  if (error instanceof NameNotResolved) return 'NAME_NOT_RESOLVED';
  if (error instanceof errors.HTTPParserError) return 'INVALID_ANSWER';
  const code = errorCode(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'TIMEOUT';
  if (CONNECTION_FAILURES.has(code)) return 'CONNECTION_FAILED';
  if (LOST_CONNECTIONS.has(code)) return 'CONNECTION_LOST';
  if (code.startsWith('UND_ERR_')) return 'INVALID_ANSWER';
  // What is left comes from the TLS library, under dozens of codes.
  return 'TLS_FAILED';
}

function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
