import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '@credit/contract';
import { type Credential, hashSecret, parseAuthorization } from '@credit/platform/credentials';
import type { AppError } from '@credit/platform/errors';
import type { Span } from '@opentelemetry/api';
import type { Rate } from './answer';
import type { Place } from './load-gate/load-gate';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** A caller's own id is kept when it can be told apart in a log, else one is made. */
export function requestId(request: IncomingMessage, newId: () => string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId();
}

interface HashedCredential {
  readonly kind: Credential['kind'];
  readonly hash: Buffer;
}

/** One request and what is known of it so far. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly request_id: string;
  readonly started_at_ms: number;
  /** The request line's target up to the question mark, and after it. */
  readonly path: string;
  readonly query_text: string;
  /** The credential, as it stands in the header. */
  readonly authorization: string | undefined;
  operation: Operation | undefined;
  /** Where it is worked on, once it has been let in. */
  place: Place | undefined;
  /** Its trace, when telemetry is on. */
  span: Span | undefined;
  rate: Rate;
  /** While the body is on its way. */
  body: { abort(error: unknown): void } | undefined;
  /** Why the rest of the request cannot be read. */
  broken: AppError | undefined;
  /** The client waits for a word before it sends the body. */
  awaits_continue = false;
  /** Ends a read whose client has gone; writes are carried through. */
  readonly #abandon = new AbortController();
  /** Null when it was looked at and is none. */
  #credential: HashedCredential | null | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    options: {
      request_id: string;
      started_at_ms: number;
      rate: Rate;
      authorization: string | undefined;
    },
  ) {
    this.request = request;
    this.response = response;
    this.request_id = options.request_id;
    this.started_at_ms = options.started_at_ms;
    this.rate = options.rate;
    this.authorization = options.authorization;
    const target = originForm(request.url ?? '');
    const at = target.indexOf('?');
    this.path = at < 0 ? target : target.slice(0, at);
    this.query_text = at < 0 ? '' : target.slice(at + 1);
  }

  /** The credential where it is well-formed, as identity is asked about it. */
  get credential(): HashedCredential | undefined {
    if (this.#credential === undefined) {
      const given = parseAuthorization(this.authorization);
      this.#credential = given ? { kind: given.kind, hash: hashSecret(given.secret) } : null;
    }
    return this.#credential ?? undefined;
  }

  get signal(): AbortSignal {
    return this.#abandon.signal;
  }

  abandon(): void {
    if (this.operation?.method === 'GET') this.#abandon.abort();
  }
}

/** A proxy may send the whole URL; only what stands behind the host matters. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) return target;
  const at = target.slice(scheme.length).search(/[/?#]/);
  return at < 0 ? '' : target.slice(scheme.length + at);
}
