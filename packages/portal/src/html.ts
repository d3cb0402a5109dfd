/** Text that is HTML already and is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type Piece = Html | string | number | undefined | false | readonly Piece[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'string') return escaped(piece);
  if (typeof piece === 'number') return String(piece);
  return piece.map(textOf).join('');
}

/** A template whose values are escaped, unless they are HTML themselves. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((string, at) => string + textOf(pieces[at])).join(''));
}

/** Text in which `code` is marked up. */
export function prose(text: string): Html {
  return new Html(escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>'));
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
  return new Html(escaped(name).replace(/[._]/g, '$&<wbr>'));
}
