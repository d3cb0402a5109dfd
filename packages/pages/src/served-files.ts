import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ConfigError } from '@credit/platform/runtime';
import type { Request, Response } from 'express';

/** Something that is served as it is. */
export interface PageFile {
  /** A name that express knows, as `html` or `css`. */
  readonly type: string;
  readonly body: string;
}

interface Served {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

/** Files by their path, answered from memory. */
export class ServedFiles {
  readonly #files: ReadonlyMap<string, PageFile>;
  /** Those that somebody has asked for, packed. */
  readonly #served = new Map<PageFile, Served>();

  constructor(files: Iterable<readonly [string, PageFile]>) {
    this.#files = new Map(files);
  }

  /** Answers with the file of the path; false when there is none. */
  answer(request: Request, response: Response, url: string): boolean {
    const kept = this.#files.get(url);
    if (kept === undefined) return false;
    const file = this.#pack(kept);
    response.type(file.type);
    // A browser asks each time and is told in a few bytes that nothing has changed.
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('ETag', file.etag);
    response.vary('Accept-Encoding');
    if (request.fresh) {
      response.status(304).end();
      return true;
    }
    const gzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
    if (gzip) response.setHeader('Content-Encoding', 'gzip');
    response.send(gzip ? file.gzipped : file.body);
    return true;
  }

  #pack(file: PageFile): Served {
    let packed = this.#served.get(file);
    if (packed === undefined) {
      packed = served(file);
      this.#served.set(file, packed);
    }
    return packed;
  }
}

function served({ type, body }: PageFile): Served {
  const bytes = Buffer.from(body);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { type, body: bytes, gzipped: gzipSync(bytes), etag: `W/"${digest}"` };
}

const TYPES: Readonly<Record<string, string>> = { '.css': 'css', '.js': 'js', '.svg': 'svg' };

/** The styles, pictures and compiled scripts of folders, by their names. */
export function filesOf(directories: readonly string[]): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const directory of directories) {
    if (!existsSync(directory)) {
      throw new ConfigError(`The pages need ${directory}: build with \`tsc -b\`.`);
    }
    for (const name of readdirSync(directory)) {
      const type = TYPES[path.extname(name)];
      if (type === undefined) continue;
      files.set(name, { type, body: readFileSync(path.join(directory, name), 'utf8') });
    }
  }
  return files;
}
