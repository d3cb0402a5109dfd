// Answers that are made while they are sent: as fast as the caller reads, and in no more memory.

import type { ServerResponse } from 'node:http';
import { rateLimited, unavailable } from '@credit/platform/errors';
import type { Clock } from '@credit/platform/runtime';
import type { HeaderList } from './answer';
import { ClientGone } from './body';

/** A reader that takes nothing for so long is taken for gone. */
const STALL_MS = 60_000;
/** What is not read by then is not read any more: the credential was looked at once. */
const LONGEST_MS = 3_600_000;

/** An answer that comes piece by piece. */
export class Download {
  constructor(
    readonly headers: HeaderList,
    /** The next is asked for when the one before has been taken. */
    readonly pieces: AsyncIterable<string | Uint8Array>,
    /** Called once, however it ends. */
    readonly done: () => void,
  ) {}
}

/**
 * Sends a download. What fails in the middle breaks the connection off, so that nobody takes what has
 * come for the whole.
 */
export async function sendDownload(
  response: ServerResponse,
  { headers, pieces, done }: Download,
  common_headers: HeaderList,
  clock: Clock,
): Promise<void> {
  const end_ms = clock.now_ms() + LONGEST_MS;
  try {
    response.writeHead(200, [...common_headers, ...headers]);
    for await (const piece of pieces) {
      const is_taken = response.write(piece);
      if (!is_taken) await taken(response);
      if (response.destroyed || clock.now_ms() > end_ms) throw new ClientGone();
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    done();
  }
}

/** Resolves when the reader has taken what was written, or has gone. */
function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return resolve();
    const finish = () => {
      clearTimeout(timer);
      response.off('drain', finish);
      response.off('close', finish);
      resolve();
    };
    const timer = setTimeout(() => {
      finish();
      reject(new ClientGone());
    }, STALL_MS).unref();
    response.on('drain', finish);
    response.on('close', finish);
  });
}

/** A book is read by a program or two. */
const AT_ONCE = { of_one: 2, of_all: 50 };
const RETRY_AFTER_S = 10;

/** How many downloads there may be at once: of an institution or a person, and of all in this process. */
export class DownloadSlots {
  readonly #of = new Map<string, number>();
  #all = 0;

  /** Takes a slot for an institution or a person, by its id; returns what gives it back, once. */
  take(owner_id: string): () => void {
    const own = this.#of.get(owner_id) ?? 0;
    if (own >= AT_ONCE.of_one) {
      throw rateLimited(
        `${AT_ONCE.of_one} files of yours are being read already.`,
        RETRY_AFTER_S,
        'EXPORTS_AT_ONCE',
      );
    }
    if (this.#all >= AT_ONCE.of_all) {
      throw unavailable('Too many files are being read.', RETRY_AFTER_S);
    }
    this.#of.set(owner_id, own + 1);
    this.#all += 1;
    let is_taken = true;
    return () => {
      if (!is_taken) return;
      is_taken = false;
      this.#all -= 1;
      const left = (this.#of.get(owner_id) ?? 1) - 1;
      if (left === 0) this.#of.delete(owner_id);
      else this.#of.set(owner_id, left);
    };
  }
}

/** A download in one of its owner's slots, which is given back however it ends. */
export async function inSlot(
  slots: DownloadSlots,
  owner_id: string,
  make: () => Promise<Pick<Download, 'headers' | 'pieces'>>,
): Promise<Download> {
  const done = slots.take(owner_id);
  try {
    const { headers, pieces } = await make();
    return new Download(headers, pieces, done);
  } catch (error) {
    done();
    throw error;
  }
}

/** How a list becomes a file. */
interface Exported<Page> {
  /** Each is asked for when the one before has been read, in the time that a request has. */
  readonly page: (cursor: string | undefined) => Promise<Page>;
  readonly headers: (first: Page) => HeaderList;
  /** What stands before all pages. */
  readonly head: (first: Page) => string;
  readonly text: (page: Page, first: Page) => string;
}

/** A list as a file, page by page, in one of the institution's slots. */
export function listDownload<Page extends { readonly next_cursor?: string | undefined }>(
  slots: DownloadSlots,
  institution_id: string,
  exported: Exported<Page>,
): Promise<Download> {
  return inSlot(slots, institution_id, async () => {
    // What is wrong with the request is still answered as such.
    const first = await exported.page(undefined);
    return { headers: exported.headers(first), pieces: pagesFrom(first, exported) };
  });
}

async function* pagesFrom<Page extends { readonly next_cursor?: string | undefined }>(
  first: Page,
  { page, head, text }: Exported<Page>,
): AsyncGenerator<string> {
  yield head(first) + text(first, first);
  let { next_cursor } = first;
  while (next_cursor !== undefined && next_cursor !== '') {
    const next = await page(next_cursor);
    yield text(next, first);
    next_cursor = next.next_cursor;
  }
}

/** What a file of CSV is sent as. */
export function csvHeaders(name: string): HeaderList {
  return [
    ...['Content-Type', 'text/csv; charset=utf-8; header=present'],
    ...['Content-Disposition', `attachment; filename="${name}"`],
  ];
}
