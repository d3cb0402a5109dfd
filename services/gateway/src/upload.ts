import type { IncomingMessage } from 'node:http';
import type { CallContext } from '@credit/platform/context';
import { type AppError, requestError, tooLarge } from '@credit/platform/errors';
import { ClientGone } from './body';

/** What goes to a service in one call. */
const PIECE_BYTES = 256 * 1_024;
const MAX_TYPE_LENGTH = 100;

/** A file that is on its way in, for the handler that takes it. */
export interface Upload {
  /** One of those that the operation takes. */
  readonly type: string;
  /** Up to 256 KiB each; the next one is only asked for when this one has been dealt with. */
  readonly pieces: AsyncIterable<Buffer>;
}

/** A file that a page of ours has in hand, in pieces as a request's own body comes in. */
export async function* piecesOf(
  content: AsyncIterable<Buffer>,
  max_bytes: number,
): AsyncGenerator<Buffer> {
  let size_bytes = 0;
  let waiting: Buffer[] = [];
  let waiting_bytes = 0;
  for await (const chunk of content) {
    size_bytes += chunk.length;
    if (size_bytes > max_bytes) throw fileTooLarge(max_bytes);
    waiting.push(chunk);
    waiting_bytes += chunk.length;
    if (waiting_bytes < PIECE_BYTES) continue;
    const all = Buffer.concat(waiting);
    let at = 0;
    for (; all.length - at >= PIECE_BYTES; at += PIECE_BYTES) {
      yield all.subarray(at, at + PIECE_BYTES);
    }
    waiting = [all.subarray(at)];
    waiting_bytes = all.length - at;
  }
  if (waiting_bytes > 0) yield Buffer.concat(waiting);
}

function fileTooLarge(max_bytes: number): AppError {
  return tooLarge(`A file has ${max_bytes} bytes at most.`);
}

/** The type of a file, before any of it is read: one that the operation takes, and not compressed. */
export function uploadType(request: IncomingMessage, types: readonly string[]): string {
  const { 'content-type': given = '', 'content-encoding': encoding } = request.headers;
  const [essence = '', parameter = '', more] = given
    .slice(0, MAX_TYPE_LENGTH + 1)
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const is_utf8 = /^(charset="?utf-8"?|header="?present"?)?$/.test(parameter);
  const is_known = given.length <= MAX_TYPE_LENGTH && types.includes(essence);
  if (!is_known || !is_utf8 || more !== undefined) {
    throw requestError(`The content type must be ${types.join(' or ')}, in UTF-8.`, 'CONTENT_TYPE');
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw requestError('A content encoding is not accepted.', 'CONTENT_TYPE');
  }
  return essence;
}

/** Reads one request's body piece by piece, no faster than pieces are taken. */
export class UploadReader {
  readonly #request: IncomingMessage;
  readonly #max_bytes: number;
  #chunks: Buffer[] = [];
  #waiting_bytes = 0;
  #size_bytes = 0;
  #ended = false;
  #failure: unknown;
  #wake: () => void = () => {};

  constructor(request: IncomingMessage, max_bytes: number) {
    this.#request = request;
    this.#max_bytes = max_bytes;
    const declared = request.headers['content-length'];
    if (declared !== undefined && Number(declared) > max_bytes) throw this.#tooLarge();
  }

  /** Ends the reading with an error, when it is still going on. */
  abort(error: unknown): void {
    this.#failure ??= error;
    this.#request.pause();
    this.#wake();
  }

  async *pieces(): AsyncGenerator<Buffer> {
    const request = this.#request;
    if (request.destroyed && !request.complete) throw new ClientGone();
    const onGone = () => {
      if (!this.#ended) this.abort(new ClientGone());
    };
    const onEnd = () => {
      this.#ended = true;
      this.#wake();
    };
    const onData = (chunk: Buffer) => this.#take(chunk);
    request.on('data', onData);
    request.on('end', onEnd);
    // The error listener stays: an error after the answer must not end the process.
    request.on('error', onGone);
    request.on('close', onGone);
    try {
      for (;;) {
        while (this.#waiting_bytes < PIECE_BYTES && !this.#ended && this.#failure === undefined) {
          request.resume();
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        if (this.#failure !== undefined) throw this.#failure;
        const piece = this.#next();
        if (piece.length === 0) return;
        yield piece;
      }
    } finally {
      request.pause();
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onGone);
    }
  }

  #take(chunk: Buffer): void {
    this.#size_bytes += chunk.length;
    if (this.#size_bytes > this.#max_bytes) {
      this.abort(this.#tooLarge());
      return;
    }
    this.#chunks.push(chunk);
    this.#waiting_bytes += chunk.length;
    if (this.#waiting_bytes < PIECE_BYTES) return;
    this.#request.pause();
    this.#wake();
  }

  #next(): Buffer {
    const [first, ...rest] = this.#chunks;
    const all = first !== undefined && rest.length === 0 ? first : Buffer.concat(this.#chunks);
    const piece = all.subarray(0, PIECE_BYTES);
    const left = all.subarray(PIECE_BYTES);
    this.#chunks = left.length === 0 ? [] : [left];
    this.#waiting_bytes = left.length;
    return piece;
  }

  #tooLarge() {
    return fileTooLarge(this.#max_bytes);
  }
}

/** A call's context for one of the many calls of a long request: each has its own time. */
export type Renew = () => CallContext;
