import { type Html, html, PAGE_HEAD, THEME_BUTTON } from '@credit/pages';
import type { Heading } from './markdown';

/** A page as every other page knows it. */
export interface PageLink {
  readonly url: string;
  readonly title: string;
}

/** A page in the navigation; its parts are shown while it is. */
export interface NavigationPage extends PageLink {
  readonly parts?: readonly {
    readonly id: string;
    readonly title: string;
    readonly method: string;
  }[];
}

export interface NavigationSection {
  readonly title: string;
  readonly pages: readonly NavigationPage[];
}

export interface Frame {
  readonly product: string;
  readonly version: string;
  readonly navigation: readonly NavigationSection[];
  /** Whom readers may write to; undefined when the operator names nobody. */
  readonly support_email: string | undefined;
}

export interface FramedPage extends PageLink {
  /** The section above the title; undefined on the first page. */
  readonly section?: string;
  readonly summary: string;
  readonly lead?: Html;
  readonly body: Html;
  /** Those on this page that its own list of contents shows. */
  readonly contents: readonly Heading[];
  /** Wide pages have columns of their own and their contents on top. */
  readonly wide: boolean;
  /** Where the same is as markdown. */
  readonly markdown_url?: string;
  readonly previous?: PageLink;
  readonly next?: PageLink;
}

const HOME = '/docs';

/** A whole page: bar, navigation, the page itself, and the way on. */
export function framed(page: FramedPage, frame: Frame): string {
  const title = page.url === HOME ? frame.product : `${page.title} · ${frame.product}`;
  return html`<!doctype html>
<html lang="en">
<head>
<title>${title}</title>
<meta name="description" content="${page.summary}">
${PAGE_HEAD}
<link rel="stylesheet" href="/docs/static/docs.css">
<script type="module" src="/docs/static/main.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<button type="button" class="menu-button" aria-expanded="false" aria-controls="navigation" hidden>
<span class="menu-icon" aria-hidden="true"></span><span class="visually-hidden">Menu</span></button>
<a class="brand" href="/docs"><img src="/static/icon.svg" alt="" width="24" height="24">
<span>${frame.product}</span></a>
<div class="search" role="search" hidden>
<label class="visually-hidden" for="search">Search everything in the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false"
role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list"
aria-keyshortcuts="/ Control+K">
<kbd aria-hidden="true">Ctrl K</kbd>
<ul id="search-results" role="listbox" aria-label="Results" hidden></ul>
<p class="visually-hidden search-count" role="status"></p>
</div>
${THEME_BUTTON}
</header>
<div class="frame">
<nav id="navigation" class="navigation" aria-label="Documentation">
${frame.navigation.map((section) => navigationSection(section, page.url))}
${frame.support_email !== undefined && html`<p class="version">Help: <a class="support" href="mailto:${frame.support_email}">${frame.support_email}</a></p>`}
<p class="version">API ${frame.version}</p>
</nav>
<main id="content" tabindex="-1" class="${page.wide ? 'wide' : 'narrow'}">
<div class="page">
${page.section !== undefined && html`<p class="section-name">${page.section}</p>`}
<h1>${page.title}</h1>
${
  page.markdown_url !== undefined &&
  html`<p class="page-tools"><button type="button" data-copy-page="${page.markdown_url}" hidden>Copy as Markdown</button>
<a href="${page.markdown_url}">View as Markdown</a></p>`
}
${page.lead}
${page.wide && page.contents.length > 1 && html`<nav class="summary-list" aria-label="On this page">${foldedList(page.contents)}</nav>`}
<div class="prose">
${page.body}
</div>
${ways(page)}
</div>
${!page.wide && page.contents.length > 1 && html`<nav class="contents" aria-label="On this page"><p>On this page</p>${contentsList(page.contents)}</nav>`}
</main>
</div>
</body>
</html>
`.toString();
}

function navigationSection({ title, pages }: NavigationSection, current: string): Html {
  const items = pages.map(
    ({ url, title: name, parts = [] }) =>
      html`<li><a href="${url}"${url === current && html` aria-current="page"`}>${name}</a>${
        url === current &&
        parts.length > 0 &&
        html`<ul class="parts">${parts.map(
          ({ id, title: part, method }) =>
            html`<li><a href="#${id}"><span class="verb ${method.toLowerCase()}">${method}</span> ${part}</a></li>
`,
        )}</ul>`
      }</li>
`,
  );
  return html`<h2>${title}</h2>
<ul>
${items}</ul>
`;
}

function contentsList(contents: readonly Heading[]): Html {
  const items = contents.map(
    ({ id, level, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>
`,
  );
  return html`<ul>
${items}</ul>`;
}

/** More than a screen of links is folded away: the search finds them faster. */
const MOST_OPEN_LINKS = 20;

function foldedList(contents: readonly Heading[]): Html {
  if (contents.length <= MOST_OPEN_LINKS) return contentsList(contents);
  return html`<details><summary>All ${contents.length} on this page</summary>${contentsList(contents)}</details>`;
}

function ways({ previous, next }: FramedPage): Html | undefined {
  if (previous === undefined && next === undefined) return undefined;
  return html`<nav class="ways" aria-label="Previous and next page">
${previous !== undefined && html`<a class="previous" href="${previous.url}"><small>Previous</small> ${previous.title}</a>`}
${next !== undefined && html`<a class="next" href="${next.url}"><small>Next</small> ${next.title}</a>`}
</nav>`;
}
