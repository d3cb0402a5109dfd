import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesOf, type PageFile, pagePolicy, ServedFiles } from '@credit/pages';
import { notFound } from '@credit/platform/errors';
import { ConfigError } from '@credit/platform/runtime';
import type { RequestHandler } from 'express';
import { MANIFEST } from './manifest';
import { buildPortal } from './portal';

/** Styles and pictures, as they are written; the same path from sources and from the build. */
const STATIC_DIRECTORY = path.resolve(__dirname, '../static');
/** The browser's scripts, compiled. */
const SCRIPTS_DIRECTORY = path.resolve(__dirname, '../dist/browser');
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
  const portal = buildPortal(openapi, docs_directory, support_email);
  const files = new ServedFiles([...staticFiles(), ...portal.files]);
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
    if (files.answer(request, response, request.path.replace(/(?<=.)\/$/, ''))) return;
    if (request.accepts(['json', 'html']) === 'html') {
      response.status(404).type('html').send(missing);
    } else {
      next(notFound('There is no such page.'));
    }
  };
}
