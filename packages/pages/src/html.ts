import { raw, html as template } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Text that is HTML already and is not escaped again: what templates and components make. */
export type Html = HtmlEscapedString;

export type Piece = Html | string | number | undefined | false | readonly Piece[];

/** A template whose values are escaped, unless they are HTML themselves. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  // Only what a value waits for would make a promise of it, and a piece is none.
  return template(strings, ...pieces) as Html;
}

/** Takes text for HTML as it is: of our own making only. */
export const trusted: (text: string) => Html = raw;

export function escaped(text: string): string {
  return String(html`${text}`);
}

/** Text in which `code` is marked up. */
export function prose(text: string): Html {
  return trusted(escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>'));
}

/** An anchor's name, as code hosts make it: links in a document work there and in the portal. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** A long name, which may break after its full stops and underscores, and nowhere else. */
export function breakable(name: string): Html {
  return trusted(escaped(name).replace(/[._]/g, '$&<wbr>'));
}
