import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { filesOf, type PageFile, pagePolicy, ServedFiles } from '@credit/pages';
import { notFound } from '@credit/platform/errors';
import { ConfigError } from '@credit/platform/runtime';
import type { RequestHandler } from 'express';
import { MANIFEST } from './manifest';
import type { Portal } from './portal';
import type { SiteSource } from './site-thread';

/** Styles and pictures, as they are written; the same path from sources and from the build. */
const STATIC_DIRECTORY = path.resolve(__dirname, '../static');
/** The browser's scripts, compiled. */
const SCRIPTS_DIRECTORY = path.resolve(__dirname, '../dist/browser');
/** Compiled as well: a thread runs what is built. */
const THREAD = path.resolve(__dirname, '../dist/site-thread.js');
/** The repository's documents, unless the configuration names another place. */
const DOCS_DIRECTORY = path.resolve(__dirname, '../../../docs');

/** The library behind the search; the scripts name it as a package, browsers as a file. */
const SEARCH_LIBRARY = 'minisearch';

export const DOCS_POLICY = pagePolicy("'none'");

function* staticFiles(): Generator<readonly [string, PageFile]> {
  for (const [name, { type, body }] of filesOf([STATIC_DIRECTORY, SCRIPTS_DIRECTORY])) {
    const text = body.replaceAll(`from '${SEARCH_LIBRARY}'`, `from './${SEARCH_LIBRARY}.js'`);
    yield [`/docs/static/${name}`, { type, body: text }];
  }
  // Beside what `require` finds lies the same as a module, with a name of a map that is not served.
  const library = path.join(path.dirname(require.resolve(SEARCH_LIBRARY)), '../es/index.js');
  const body = readFileSync(library, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
  yield [`/docs/static/${SEARCH_LIBRARY}.js`, { type: 'js', body }];
}

interface Site {
  readonly files: ServedFiles;
  readonly missing: string;
}

/** By folder and support address: gateways of one process share what is the same for all of them. */
const sites = new Map<string, Promise<Site>>();

/** Rendered when it is first asked for, and beside the thread that answers requests. */
function siteOf(source: SiteSource): Promise<Site> {
  const kept_as = JSON.stringify([source.docs_directory, source.support_email]);
  let site = sites.get(kept_as);
  if (site === undefined) {
    site = renderSite(source);
    sites.set(kept_as, site);
    // What was amiss may be gone at the next request.
    site.catch(() => sites.delete(kept_as));
  }
  return site;
}

function renderSite(source: SiteSource): Promise<Site> {
  return new Promise((resolve, reject) => {
    // Nothing of the gateway's environment is of use there, and some of it is secret.
    const thread = new Worker(THREAD, { workerData: source, env: {} });
    // A process that has nothing else to do may end; whoever waits for a page keeps it.
    thread.unref();
    thread.once('message', ({ files, missing }: Portal) =>
      resolve({ files: new ServedFiles([...staticFiles(), ...files]), missing }),
    );
    thread.once('error', reject);
    thread.once('exit', (code) =>
      reject(new Error(`The thread that renders the documentation ended with ${code}.`)),
    );
  });
}

/** Answers `/`, the list for programs and everything below `/docs`, from memory. */
export function docsRoutes(
  openapi: Record<string, unknown>,
  docs_directory: string = DOCS_DIRECTORY,
  support_email?: string,
): RequestHandler {
  if (!existsSync(path.join(docs_directory, MANIFEST))) {
    throw new ConfigError(
      `The pages of /docs need ${path.join(docs_directory, MANIFEST)}: ` +
        'name the folder of the documents with DOCS_DIRECTORY.',
    );
  }
  return async (request, response, next) => {
    const { files, missing } = await siteOf({ openapi, docs_directory, support_email });
    response.setHeader('Content-Security-Policy', DOCS_POLICY);
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (files.answer(request, response, request.path.replace(/(?<=.)\/$/, ''))) return;
    if (request.accepts(['json', 'html']) === 'html') {
      response.status(404).type('html').send(missing);
    } else {
      next(notFound('There is no such page.'));
    }
  };
}
