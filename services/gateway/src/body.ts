import type { IncomingMessage } from 'node:http';
import { requestError, tooLarge } from '@credit/platform/errors';

const KIB = 1_024;

/** Longer than any way to say it. */
const MAX_TYPE_LENGTH = 100;
const CHARSETS = new Set(['utf-8', '"utf-8"']);

/** More data events than any client needs for its bytes: each costs as much as a kibibyte. */
const MAX_PIECES = 16_384;

/** The client went away before its request was complete; there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client went away');
  }
}

/** True when the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/** True when the request announces a body though its method has none. */
export function hasStrayBody(request: IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && hasBody(request);
}

/** Refuses what is not plain JSON in UTF-8, before any of it is read. */
export function checkContentHeaders(request: IncomingMessage): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (type !== 'application/json' && !isJson(type ?? '')) {
    throw requestError('The content type must be application/json.', 'CONTENT_TYPE');
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw requestError('A content encoding is not accepted.', 'CONTENT_TYPE');
  }
}

/** `application/json`, with UTF-8 as its only parameter when it has one. */
function isJson(type: string): boolean {
  if (type.length > MAX_TYPE_LENGTH) return false;
  const [essence, ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (essence !== 'application/json' || parameters.length > 2) return false;
  const [first = '', second = ''] = parameters;
  if (first === '' || second !== '') return first === '' && second === '';
  const [name = '', charset = '', ...rest] = first.split('=');
  return name.trim() === 'charset' && CHARSETS.has(charset.trim()) && rest.length === 0;
}

/** Reads one request's body up to a bound. */
export class BodyReader {
  readonly #request: IncomingMessage;
  readonly #max_bytes: number;
  readonly #chunks: Buffer[] = [];
  #size_bytes = 0;
  #settle: { resolve(body: Buffer): void; reject(error: unknown): void } | undefined;

  constructor(request: IncomingMessage, max_bytes: number) {
    this.#request = request;
    this.#max_bytes = max_bytes;
  }

  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const declared = this.#request.headers['content-length'];
      if (declared !== undefined && Number(declared) > this.#max_bytes) {
        reject(this.#tooLarge());
        return;
      }
      this.#settle = { resolve, reject };
      this.#request.on('data', this.#onData);
      this.#request.on('end', this.#onEnd);
      this.#request.on('error', this.#onGone);
      this.#request.on('close', this.#onGone);
    });
  }

  /** Ends the reading with an error, when it is still going on. */
  abort(error: unknown): void {
    this.#finish()?.reject(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#size_bytes += chunk.length;
    if (this.#size_bytes > this.#max_bytes) {
      this.#request.pause();
      this.abort(this.#tooLarge());
    } else {
      this.#chunks.push(chunk);
      if (this.#chunks.length > MAX_PIECES) {
        this.#request.pause();
        this.abort(requestError('The body came in too many pieces.'));
      }
    }
  };

  readonly #onEnd = (): void => {
    const [first, ...rest] = this.#chunks;
    const body = first !== undefined && rest.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#finish()?.resolve(body);
  };

  readonly #onGone = (): void => {
    this.abort(new ClientGone());
  };

  #finish() {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#request.off('data', this.#onData);
    this.#request.off('end', this.#onEnd);
    this.#request.off('close', this.#onGone);
    // The error listener stays: an error after the answer must not end the process.
    return settle;
  }

  #tooLarge() {
    return tooLarge(`The body is over ${this.#max_bytes / KIB} KiB.`);
  }
}
