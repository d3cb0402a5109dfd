import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { codeBlock } from './highlight';
import { type Html, html, prose } from './html';
import {
  type Frame,
  type FramedPage,
  framed,
  type NavigationPage,
  type NavigationSection,
} from './layout';
import { readManifest, type Section } from './manifest';
import { renderMarkdown } from './markdown';
import { OpenApiDocument } from './openapi-document';
import { Reference, type ReferencePage } from './reference';
import { type IndexedGuide, searchIndex } from './search-index';

/** Something that the portal serves. */
export interface PortalFile {
  readonly type: string;
  readonly body: string;
}

interface Guide extends IndexedGuide {
  /** As it is written, for programs and for whoever copies it. */
  readonly source: string;
}

const REFERENCE = 'API reference';

/** Everything below `/docs`, by path: pages, the search index, and files that guides link to. */
export function buildPortal(
  openapi: Record<string, unknown>,
  docs_directory: string,
): Map<string, PortalFile> {
  const document = new OpenApiDocument(openapi);
  const files = new Map<string, PortalFile>();
  const sections = readManifest(docs_directory);
  const guides = renderGuides(sections, docs_directory, files);
  const reference = new Reference(document).pages();

  const first: NavigationSection = {
    title: 'Overview',
    pages: [{ url: '/docs', title: 'Welcome' }],
  };
  const guide_sections = sections.map(({ title }) => ({
    title,
    pages: guides.filter(({ section }) => section === title),
  }));
  const reference_section = { title: REFERENCE, pages: reference.map(withParts) };
  // Who begins reads guides; whoever comes back wants the reference before the background.
  const navigation = [
    first,
    ...guide_sections.slice(0, 2),
    reference_section,
    ...guide_sections.slice(2),
  ];
  const frame: Frame = { product: document.title, version: document.version, navigation };

  const pages = [
    homePage(document, guide_sections, reference),
    ...guides.map(guidePage),
    ...reference.map((page) => referencePage(page, document)),
  ];
  for (const page of withWays(pages, navigation)) {
    files.set(page.url, { type: 'html', body: framed(page, frame) });
  }
  for (const { url, source } of guides) files.set(`${url}.md`, { type: 'md', body: source });
  files.set('/docs/llms.txt', { type: 'txt', body: listForPrograms(document, guide_sections) });
  files.set('/docs/search.json', {
    type: 'json',
    body: JSON.stringify(searchIndex(guides, reference, REFERENCE)),
  });
  return files;
}

/** What there is, for programs that read: llmstxt.org. */
function listForPrograms(
  document: OpenApiDocument,
  sections: readonly { readonly title: string; readonly pages: readonly Guide[] }[],
): string {
  const lines = [
    `# ${document.title}`,
    '',
    `> ${document.description}`,
    '',
    '## API',
    '',
    `- [OpenAPI 3.1](${document.base_path}/openapi.json): every operation, field, value and error reason`,
  ];
  for (const { title, pages } of sections) {
    lines.push('', `## ${title}`, '');
    for (const page of pages) lines.push(`- [${page.title}](${page.url}.md): ${page.summary}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The page for a path that leads nowhere. */
export function missingPage(openapi: Record<string, unknown>): string {
  const document = new OpenApiDocument(openapi);
  const page: FramedPage = {
    url: '',
    title: 'There is no such page',
    summary: 'There is no such page.',
    body: html`<p>The address may be mistyped, or the page may have moved. Search for it above, or
begin at <a href="/docs">the start</a>.</p>`,
    contents: [],
    wide: false,
  };
  return framed(page, { product: document.title, version: document.version, navigation: [] });
}

function renderGuides(
  sections: readonly Section[],
  docs_directory: string,
  files: Map<string, PortalFile>,
): Guide[] {
  const urls = new Map(
    sections.flatMap(({ pages }) => pages.map(({ file, url }) => [file, url] as const)),
  );
  return sections.flatMap(({ title: section, pages }) =>
    pages.map(({ file, url }) => {
      const links = new LinkMap(file, urls, docs_directory, files);
      const source = readFileSync(path.join(docs_directory, file), 'utf8');
      try {
        return { ...renderMarkdown(source, (href) => links.resolve(href)), url, section, source };
      } catch (error) {
        throw new Error(`docs/${file}: ${(error as Error).message}`, { cause: error });
      }
    }),
  );
}

/** Where the links of one document lead. */
class LinkMap {
  readonly #file: string;
  readonly #urls: ReadonlyMap<string, string>;
  readonly #docs_directory: string;
  readonly #files: Map<string, PortalFile>;

  constructor(
    file: string,
    urls: ReadonlyMap<string, string>,
    docs_directory: string,
    files: Map<string, PortalFile>,
  ) {
    this.#file = file;
    this.#urls = urls;
    this.#docs_directory = docs_directory;
    this.#files = files;
  }

  resolve(href: string): string | undefined {
    if (/^([a-z]+:|#|\/)/i.test(href)) return href;
    const [target = '', fragment] = href.split('#');
    const file = path.posix.normalize(path.posix.join(path.posix.dirname(this.#file), target));
    const page = this.#urls.get(file);
    if (page !== undefined) return fragment === undefined ? page : `${page}#${fragment}`;
    // Outside the folder, or a document the portal does not show: its name in the text is enough.
    if (file.startsWith('../') || file.endsWith('.md') || file.endsWith('/')) return undefined;
    const on_disk = path.join(this.#docs_directory, file);
    if (!existsSync(on_disk)) throw new Error(`it links to ${href}, which does not exist`);
    const type = path.extname(file) === '.json' ? 'json' : 'text';
    this.#files.set(`/docs/${file}`, { type, body: readFileSync(on_disk, 'utf8') });
    return `/docs/${file}`;
  }
}

/** In the navigation the operations of the page that is shown stand under it. */
function withParts({ url, title, entries }: ReferencePage): NavigationPage {
  const parts = entries.filter(({ method }) => method !== '');
  return {
    url,
    title,
    parts: parts.map(({ id, title: name, method }) => ({ id, title: name, method })),
  };
}

function guidePage({ url, title, summary, section, body, headings }: Guide): FramedPage {
  return {
    url,
    title,
    section,
    summary,
    body,
    contents: headings.filter(({ level }) => level <= 3),
    wide: false,
  };
}

function referencePage(page: ReferencePage, document: OpenApiDocument): FramedPage {
  return {
    url: page.url,
    title: page.title,
    section: REFERENCE,
    summary: page.summary,
    lead: html`<p class="lead">${prose(page.summary)}</p>
${
  page.entries.some(({ method }) => method !== '') &&
  html`<p class="base">Base path <code>${document.base_path}</code></p>`
}`,
    body: page.body,
    contents: page.headings,
    wide: true,
  };
}

const FIRST_REQUEST = `curl https://your-network.example/api/v1/auth/me \\
  -H "Authorization: Bearer $KEY"
`;

const FIRST_ANSWER = `${JSON.stringify(
  {
    type: 'api_key',
    display_name: 'loan ledger',
    prefix: 'svc_test_6mQ2xVb',
    scopes: ['credit:read', 'credit:report'],
    environment: 'test',
  },
  null,
  2,
)}
`;

function homePage(
  document: OpenApiDocument,
  guide_sections: readonly { title: string; pages: readonly Guide[] }[],
  reference: readonly ReferencePage[],
): FramedPage {
  const card = (page: { url: string; title: string; summary: string }): Html =>
    html`<li><a href="${page.url}">${page.title}</a><p>${page.summary}</p></li>
`;
  const [start, ...rest] = guide_sections;
  return {
    url: '/docs',
    title: 'Report credit, read profiles, hear of defaults',
    summary: document.description,
    lead: html`<p class="lead">A REST API for lenders who share one record: report accounts and
events, read a score that explains itself, and be told when a borrower defaults.</p>`,
    body: html`<div class="hero">
<div>
<p>Everything is JSON over HTTPS. A <strong>test key</strong> works on data of its own, so you can
build and break things before anybody’s real file is touched.</p>
<p class="actions"><a class="button" href="/docs/guides/quick-start">Quick start</a>
<a href="${reference[0]?.url}">API reference</a>
<a href="${document.base_path}/openapi.json" data-plain>OpenAPI 3.1</a></p>
</div>
<div>${codeBlock(FIRST_REQUEST, 'bash', 'A first request')}${codeBlock(FIRST_ANSWER, 'json', 'Its answer')}</div>
</div>
<h2 id="get-started">Get started</h2>
<ul class="cards">${start?.pages.map(card)}</ul>
<h2 id="reference">API reference</h2>
<ul class="cards">${reference.map(card)}</ul>
${rest.map(({ title, pages }) => html`<h2>${title}</h2><ul class="cards">${pages.map(card)}</ul>`)}`,
    contents: [],
    wide: true,
  };
}

/** Links each page to its neighbours in reading order. */
function withWays(
  pages: readonly FramedPage[],
  navigation: readonly NavigationSection[],
): FramedPage[] {
  const order = navigation.flatMap((section) => section.pages);
  return pages.map((page) => {
    const at = order.findIndex(({ url }) => url === page.url);
    return { ...page, previous: order[at - 1], next: order[at + 1] };
  });
}
