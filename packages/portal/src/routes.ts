import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { notFound } from '@credit/platform/errors';
import { ConfigError } from '@credit/platform/runtime';
import type { RequestHandler } from 'express';
import { MANIFEST } from './manifest';
import { buildPortal, type PortalFile } from './portal';

/** Styles and pictures, as they are written; the same path from sources and from the build. */
const STATIC_DIRECTORY = path.resolve(__dirname, '../static');
/** The browser's scripts, compiled. */
const SCRIPTS_DIRECTORY = path.resolve(__dirname, '../dist/browser');
/** The repository's documents, unless the configuration names another place. */
const DOCS_DIRECTORY = path.resolve(__dirname, '../../../docs');

/** The library behind the search; the scripts name it as a package, browsers as a file. */
const SEARCH_LIBRARY = 'minisearch';

const STATIC_TYPES: Readonly<Record<string, string>> = {
  '.css': 'css',
  '.js': 'js',
  '.svg': 'svg',
};

/** Scripts and styles come from this origin alone, and pages are sent nowhere. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Served {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

function served({ type, body }: PortalFile): Served {
  const bytes = Buffer.from(body);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { type, body: bytes, gzipped: gzipSync(bytes), etag: `W/"${digest}"` };
}

function staticFiles(): Map<string, PortalFile> {
  const files = new Map<string, PortalFile>();
  for (const directory of [STATIC_DIRECTORY, SCRIPTS_DIRECTORY]) {
    if (!existsSync(directory)) {
      throw new ConfigError(`The pages of /docs need ${directory}: build with \`tsc -b\`.`);
    }
    for (const name of readdirSync(directory)) {
      const type = STATIC_TYPES[path.extname(name)];
      if (type === undefined) continue;
      const body = readFileSync(path.join(directory, name), 'utf8').replaceAll(
        `from '${SEARCH_LIBRARY}'`,
        `from './${SEARCH_LIBRARY}.js'`,
      );
      files.set(`/docs/static/${name}`, { type, body });
    }
  }
  // Beside what `require` finds lies the same as a module, with a name of a map that is not served.
  const library = path.join(path.dirname(require.resolve(SEARCH_LIBRARY)), '../es/index.js');
  files.set(`/docs/static/${SEARCH_LIBRARY}.js`, {
    type: 'js',
    body: readFileSync(library, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''),
  });
  return files;
}

interface Site {
  readonly files: ReadonlyMap<string, Served>;
  readonly missing: string;
}

/** By folder and support address: gateways of one process share what is the same for all of them. */
const sites = new Map<string, Site>();

function siteOf(
  openapi: Record<string, unknown>,
  docs_directory: string,
  support_email: string | undefined,
): Site {
  const kept_as = JSON.stringify([docs_directory, support_email]);
  const made = sites.get(kept_as);
  if (made !== undefined) return made;
  if (!existsSync(path.join(docs_directory, MANIFEST))) {
    throw new ConfigError(
      `The pages of /docs need ${path.join(docs_directory, MANIFEST)}: ` +
        'name the folder of the documents with DOCS_DIRECTORY.',
    );
  }
  const files = new Map<string, Served>();
  const portal = buildPortal(openapi, docs_directory, support_email);
  for (const [url, file] of [...staticFiles(), ...portal.files]) files.set(url, served(file));
  const icon = files.get('/docs/static/icon.svg');
  if (icon !== undefined) files.set('/favicon.ico', icon);
  const site = { files, missing: portal.missing };
  sites.set(kept_as, site);
  return site;
}

/** Answers `/`, the icon and everything below `/docs`, from memory: it is all made before the first request. */
export function docsRoutes(
  openapi: Record<string, unknown>,
  docs_directory: string = DOCS_DIRECTORY,
  support_email?: string,
): RequestHandler {
  const { files, missing } = siteOf(openapi, docs_directory, support_email);
  return (request, response, next) => {
    response.setHeader('Content-Security-Policy', DOCS_POLICY);
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const file = files.get(request.path.replace(/(?<=.)\/$/, ''));
    if (file === undefined) {
      if (request.accepts(['json', 'html']) === 'html') {
        response.status(404).type('html').send(missing);
      } else {
        next(notFound('There is no such page.'));
      }
      return;
    }
    response.type(file.type);
    // A browser asks each time and is told in a few bytes that nothing has changed.
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('ETag', file.etag);
    response.vary('Accept-Encoding');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const gzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
    if (gzip) response.setHeader('Content-Encoding', 'gzip');
    response.send(gzip ? file.gzipped : file.body);
  };
}
