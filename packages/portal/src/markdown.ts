import MarkdownIt from 'markdown-it';
import { codeBlock } from './highlight';
import { escaped, Html, slug } from './html';

export interface Heading {
  readonly id: string;
  readonly level: number;
  readonly text: string;
}

/** A page of prose, ready to be shown. */
export interface Prose {
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly summary: string;
  /** Without the title. */
  readonly body: Html;
  readonly headings: readonly Heading[];
}

/** Where a link of a document leads in the portal; undefined when the portal does not show it. */
export type LinkResolver = (href: string) => string | undefined;

const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell commands',
  json: 'JSON',
  http: 'HTTP message',
  js: 'JavaScript',
  ts: 'TypeScript',
  python: 'Python',
  java: 'Java',
  yaml: 'YAML',
  proto: 'Protocol Buffers',
};

type Token = MarkdownIt.Token;

function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline' || type === 'softbreak')
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('');
}

/** Renders one markdown document; raw HTML in it is shown as text. */
export function renderMarkdown(source: string, resolve: LinkResolver): Prose {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  // Generated files begin with a comment for those who would edit them.
  const tokens = markdown.parse(source.replace(/^(\s*<!--[\s\S]*?-->)+/, ''), {});
  const { title, summary } = takeTitle(tokens);
  const headings = nameHeadings(tokens);
  for (const token of tokens) {
    if (token.type === 'inline') resolveLinks(token, resolve);
  }
  const { rules } = markdown.renderer;
  rules.fence = (all, at) => {
    const token = all[at];
    const language = token?.info.trim().split(/\s+/)[0] ?? '';
    const code = codeBlock(token?.content ?? '', language, LANGUAGE_NAMES[language] ?? 'Text');
    return `${code}\n`;
  };
  rules.table_open = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.th_open = () => '<th scope="col">';
  rules.td_open = () => '<td>';
  rules.heading_close = (all, at) => {
    const token = all[at];
    const opened = all.slice(0, at).findLast(({ type }) => type === 'heading_open');
    const id = opened?.attrGet('id');
    if (id === undefined || id === null) return `</${token?.tag}>\n`;
    const text = escaped(headings.find((heading) => heading.id === id)?.text ?? '');
    return ` <a class="anchor" href="#${id}" aria-label="Link to “${text}”">#</a></${token?.tag}>\n`;
  };
  const body = new Html(markdown.renderer.render(tokens, markdown.options, {}));
  return { title, summary, body, headings };
}

/** The first heading becomes the page's title and leaves the body. */
function takeTitle(tokens: Token[]): { title: string; summary: string } {
  const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  if (at < 0) throw new Error('it has no title (a line that begins with "# ")');
  const title = plainText(tokens[at + 1]);
  tokens.splice(at, 3);
  const first = tokens.findIndex(({ type, level }) => type === 'paragraph_open' && level === 0);
  const summary = first < 0 ? '' : plainText(tokens[first + 1]);
  return { title, summary };
}

function nameHeadings(tokens: readonly Token[]): Heading[] {
  const taken = new Set<string>();
  const headings: Heading[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const text = plainText(tokens[at + 1]);
    const base = slug(text) || 'section';
    let id = base;
    for (let number = 1; taken.has(id); number++) id = `${base}-${number}`;
    taken.add(id);
    token.attrSet('id', id);
    headings.push({ id, level: Number(token.tag.slice(1)), text });
  }
  return headings;
}

/** Points links at the portal's own pages; what it does not show stays as text. */
function resolveLinks(inline: Token, resolve: LinkResolver): void {
  const children: Token[] = [];
  let dropped = false;
  for (const token of inline.children ?? []) {
    if (token.type === 'link_open') {
      const target = resolve(String(token.attrGet('href')));
      dropped = target === undefined;
      if (target !== undefined) token.attrSet('href', target);
    }
    const is_link = token.type === 'link_open' || token.type === 'link_close';
    if (!(dropped && is_link)) children.push(token);
    if (token.type === 'link_close') dropped = false;
  }
  inline.children = children;
}
