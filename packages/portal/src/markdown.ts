import { breakable, escaped, type Html, slug, trusted } from '@credit/pages';
import MarkdownIt from 'markdown-it';
import { codeBlock } from './highlight';

export interface Heading {
  readonly id: string;
  readonly level: number;
  readonly text: string;
}

/** What stands under a heading, as text. */
export interface TextSection {
  /** Of the heading; undefined for what comes before the first one. */
  readonly heading: Heading | undefined;
  readonly text: string;
  /** Rows of tables that begin with the names of things. */
  readonly rows: readonly NamedRow[];
}

export interface NamedRow {
  readonly names: readonly string[];
  /** Its anchor, when it is a term of a list of terms. */
  readonly id: string | undefined;
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
  readonly sections: readonly TextSection[];
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
  nameTerms(tokens, headings);
  const sections = sectionsOf(tokens, headings);
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
  rules.code_inline = (all, at) => `<code>${breakable(all[at]?.content ?? '')}</code>`;
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
  const body = trusted(markdown.renderer.render(tokens, markdown.options, {}));
  return { title, summary, body, headings, sections };
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

/** The first cell of each row, by the row's first token. */
function* rowsOf(tokens: readonly Token[]): Generator<{ row: Token; at: number; first: Token }> {
  for (const [at, row] of tokens.entries()) {
    const first = tokens[at + 2];
    if (row.type === 'tr_open' && tokens[at + 1]?.type === 'td_open' && first !== undefined) {
      yield { row, at, first };
    }
  }
}

/** A row whose first cell is a bold term can be linked to. */
function nameTerms(tokens: readonly Token[], headings: readonly Heading[]): void {
  const taken = new Set(headings.map(({ id }) => id));
  for (const { row, first } of rowsOf(tokens)) {
    const children = (first.children ?? []).filter(
      ({ content, type }) => type !== 'text' || content,
    );
    if (children[0]?.type !== 'strong_open' || children.at(-1)?.type !== 'strong_close') continue;
    const id = slug(plainText(first));
    if (id === '' || taken.has(id)) continue;
    taken.add(id);
    row.attrSet('id', id);
  }
}

/** The names that a row begins with: all code, as in `AG01`, `AG02`, or one bold term. */
function namesOf(first: Token): string[] {
  const children = (first.children ?? []).filter(({ content, type }) => type !== 'text' || content);
  if (children[0]?.type === 'strong_open' && children.at(-1)?.type === 'strong_close') {
    return [plainText(first)];
  }
  const only_code = children.every(
    ({ type, content }) => type === 'code_inline' || /^[\s,]*$/.test(content),
  );
  return only_code
    ? children.filter(({ type }) => type === 'code_inline').map(({ content }) => content)
    : [];
}

function anchorOf(token: Token): string | undefined {
  const id = token.attrGet('id');
  return typeof id === 'string' ? id : undefined;
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): TextSection[] {
  const sections: { heading: Heading | undefined; text: string[]; rows: NamedRow[] }[] = [
    { heading: undefined, text: [], rows: [] },
  ];
  const rows = new Map([...rowsOf(tokens)].map((found) => [found.at, found]));
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = headings.find(({ id }) => id === token.attrGet('id'));
      sections.push({ heading, text: [], rows: [] });
    }
    const section = sections.at(-1);
    const is_heading = tokens[at - 1]?.type === 'heading_open';
    if (token.type === 'inline' && !is_heading) section?.text.push(plainText(token));
    if (token.type === 'fence') section?.text.push(token.content);
    const row = rows.get(at);
    if (row === undefined) continue;
    const names = namesOf(row.first);
    if (names.length === 0) continue;
    let end = at + 3;
    while (tokens[end] !== undefined && tokens[end]?.type !== 'tr_close') end++;
    const cells = tokens.slice(at + 3, end).filter(({ type }) => type === 'inline');
    const text = cells.map(plainText).join('; ');
    section?.rows.push({ names, id: anchorOf(row.row), text });
  }
  return sections.map(({ heading, text, rows: found }) => ({
    heading,
    text: text.join(' ').replace(/\s+/g, ' ').trim(),
    rows: found,
  }));
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
