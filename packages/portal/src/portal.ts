import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Html, html, type PageFile, prose } from '@credit/pages';
import { codeBlock } from './highlight';
import {
  type Frame,
  type FramedPage,
  framed,
  type NavigationPage,
  type NavigationSection,
  type PageLink,
} from './layout';
import { readManifest, type Section } from './manifest';
import { renderMarkdown } from './markdown';
import { OpenApiDocument } from './openapi-document';
import { Reference, type ReferencePage } from './reference';
import { type IndexedGuide, searchIndex } from './search-index';

interface Guide extends IndexedGuide {
  /** As it is written, for programs and for whoever copies it. */
  readonly source: string;
}

const REFERENCE = 'API reference';

export interface Portal {
  /** By path: pages, the search index, and files that guides link to. */
  readonly files: Map<string, PageFile>;
  /** The page for a path that leads nowhere. */
  readonly missing: string;
}

/** Everything below `/docs`, and the page at `/`. */
export function buildPortal(
  openapi: Record<string, unknown>,
  docs_directory: string,
  support_email?: string,
): Portal {
  const document = new OpenApiDocument(openapi);
  const files = new Map<string, PageFile>();
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
  const { title: product, version } = document;
  const frame: Frame = { product, version, navigation, support_email };

  const pages = [
    homePage(document, guide_sections, reference),
    ...guides.map(guidePage),
    ...reference.map((page) => referencePage(page, document)),
  ];
  for (const page of withWays(pages, navigation)) {
    files.set(page.url, { type: 'html', body: framed(page, frame) });
  }
  // Whoever opens the address alone is shown the same as at /docs.
  const home = files.get('/docs');
  if (home !== undefined) files.set('/', home);
  // As plain text: browsers show that, and some offer markdown for saving only.
  for (const { url, markdown } of reference)
    files.set(`${url}.md`, { type: 'txt', body: markdown });
  for (const { url, source } of guides) files.set(`${url}.md`, { type: 'txt', body: source });
  const list = listForPrograms(document, [...guide_sections, reference_section], support_email);
  // Programs look for it beside the icon of the site.
  for (const url of ['/llms.txt', '/docs/llms.txt']) files.set(url, { type: 'txt', body: list });
  files.set('/docs/search.json', {
    type: 'json',
    body: JSON.stringify(searchIndex(guides, reference, REFERENCE)),
  });
  return { files, missing: framed(MISSING, frame) };
}

const MISSING: FramedPage = {
  url: '',
  title: 'There is no such page',
  summary: 'There is no such page.',
  body: html`<p>The address may be mistyped, or the page may have moved. Search for it above, choose it from
the navigation, or begin at <a href="/docs">the start</a>.</p>
<div class="suggestions" hidden><p>Perhaps you mean:</p><ul></ul></div>`,
  contents: [],
  wide: false,
};

type Listed = PageLink & { readonly summary?: string };

/** What there is, for programs that read: llmstxt.org. */
function listForPrograms(
  document: OpenApiDocument,
  sections: readonly { readonly title: string; readonly pages: readonly Listed[] }[],
  support_email: string | undefined,
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
    for (const page of pages)
      lines.push(`- [${page.title}](${page.url}.md): ${page.summary ?? ''}`);
  }
  if (support_email !== undefined) lines.push('', `Help: ${support_email}`);
  return `${lines.join('\n')}\n`;
}

function renderGuides(
  sections: readonly Section[],
  docs_directory: string,
  files: Map<string, PageFile>,
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
  readonly #files: Map<string, PageFile>;

  constructor(
    file: string,
    urls: ReadonlyMap<string, string>,
    docs_directory: string,
    files: Map<string, PageFile>,
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
function withParts({ url, title, summary, entries }: ReferencePage): NavigationPage & Listed {
  const parts = entries.filter(({ method }) => method !== '');
  return {
    url,
    title,
    summary,
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
    markdown_url: `${url}.md`,
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
    markdown_url: `${page.url}.md`,
    contents: page.headings,
    wide: true,
  };
}

const FIRST_REQUEST = `curl https://credit-network.example/api/v1/auth/me \\
  -H 'Authorization: Bearer svc_test_your_key'
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

/** The whole thing: what goes in, what the network makes of it, what comes out. */
const PICTURE = html`<figure class="picture">
<ol>
<li><h3>Lenders report</h3><p>accounts, and dated events about them: payments, delinquencies, defaults, corrections</p></li>
<li class="middle"><h3>One record for each subject</h3><p>nothing is overwritten; anybody may dispute it; a score from
300 to 850 follows, with its reasons</p></li>
<li><h3>Lenders read, and are told</h3><p>a profile, each read an inquiry; a signed webhook when a default takes effect</p></li>
</ol>
<figcaption>Test data, with a <code>svc_test_</code> key, goes the same way and never meets live data.</figcaption>
</figure>`;

/** Whoever comes here wants one of these. */
const PATHS = html`<ul class="paths">
<li><h3>Report</h3><p>Your book of loans, and what happens to it.</p>
<p><a href="/docs/guides/quick-start">Join a network</a><a href="/docs/guides/reporting">Reporting</a><a href="/docs/guides/going-live">Going live</a></p></li>
<li><h3>Read</h3><p>Profiles and reasons, and word of defaults.</p>
<p><a href="/docs/guides/profiles">Profiles</a><a href="/docs/guides/webhooks">Webhooks</a><a href="/docs/guides/disputes">Disputes</a></p></li>
<li><h3>Run</h3><p>A network of your own, with its members.</p>
<p><a href="/docs/guides/run-a-network">Run a network</a><a href="/docs/guides/settings">Settings</a><a href="/docs/grpc/guide">Services</a></p></li>
</ul>`;

function homePage(
  document: OpenApiDocument,
  guide_sections: readonly { title: string; pages: readonly Guide[] }[],
  reference: readonly ReferencePage[],
): FramedPage {
  const card = (page: { url: string; title: string; summary: string }): Html =>
    html`<li><a href="${page.url}">${page.title}</a><p>${page.summary}</p></li>
`;
  return {
    url: '/docs',
    title: 'Report credit, read profiles, hear of defaults',
    summary: document.description,
    lead: html`<p class="lead">A REST API for lenders who share one record: report accounts and
events, read a score that explains itself, and be told when a borrower defaults.</p>`,
    body: html`<p class="actions"><a class="button" href="/docs/guides/quick-start">Join a network</a>
<a href="${reference[0]?.url}">API reference</a>
<a href="/docs/guides/sandbox">Sandbox</a></p>
${PICTURE}
${PATHS}
<h2 id="first-request">A first request</h2>
<div class="hero request-samples">
${codeBlock(FIRST_REQUEST, 'bash', 'A first request')}
${codeBlock(FIRST_ANSWER, 'json', 'Its answer')}
</div>
<h2 id="tools">For your tools</h2>
<ul class="links">
<li><a href="${document.base_path}/openapi.json">OpenAPI 3.1</a></li>
<li><a href="/docs/guides/clients">Clients in your language</a></li>
<li><a href="/docs/guides/clients#postman-and-bruno">Postman collection</a></li>
<li><a href="/docs/errors">Errors and reasons</a></li>
<li><a href="/docs/changelog">Changelog</a></li>
<li><a href="${document.base_path}/public/status">Status</a></li>
<li><a href="/docs/llms.txt">llms.txt</a></li>
</ul>
${guide_sections.slice(0, 2).map(({ title, pages }) => html`<h2>${title}</h2><ul class="cards">${pages.map(card)}</ul>`)}
<h2 id="reference">API reference</h2>
<ul class="cards">${reference.map(card)}</ul>
${guide_sections.slice(2).map(({ title, pages }) => html`<h2>${title}</h2><ul class="cards">${pages.map(card)}</ul>`)}`,
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
