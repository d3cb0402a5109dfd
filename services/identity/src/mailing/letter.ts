/** What a mail says, in pieces that both of its parts are made of. */
export interface Letter {
  readonly subject: string;
  readonly pieces: readonly Piece[];
}

/** A paragraph, a page to open, or a list. */
export type Piece = string | LetterLink | readonly string[];

export interface LetterLink {
  /** What its button says. */
  readonly label: string;
  readonly url: string;
}

/** A letter as it is sent. */
export interface WrittenLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const WIDTH = 78;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Writes both parts of a letter. Nothing in it is fetched when it is opened, and every text is
 * escaped: names in it are their owners'.
 */
export function writeLetter({ pieces, subject }: Letter, network_name: string): WrittenLetter {
  return { subject, text: textOf(pieces, network_name), html: htmlOf(pieces, network_name) };
}

function textOf(pieces: readonly Piece[], network_name: string): string {
  const written = pieces.map((piece) => {
    if (typeof piece === 'string') return folded(piece);
    // A link that is broken over lines opens nothing.
    if ('url' in piece) return `${piece.label}:\n\n    ${piece.url}`;
    return piece.map((item) => folded(`- ${item}`)).join('\n');
  });
  return `${[...written, `-- \n${network_name}`].join('\n\n')}\n`;
}

/** In lines of a width that every reader shows; a longer word has a line of its own. */
function folded(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

const BODY =
  'margin:0;padding:24px;background:#f5f7f9;color:#1c2733;' +
  'font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif';
const SHEET =
  'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;' +
  'border:1px solid #dfe5ea;border-radius:8px';
const BUTTON =
  'display:inline-block;padding:10px 16px;border-radius:6px;background:#0b5394;' +
  'color:#ffffff;font-weight:600;text-decoration:none';
const SOFT = 'color:#5a6875;font-size:14px;overflow-wrap:anywhere';

function htmlOf(pieces: readonly Piece[], network_name: string): string {
  const written = pieces.map((piece) => {
    if (typeof piece === 'string') return `<p>${escaped(piece)}</p>`;
    if ('url' in piece) {
      const url = escaped(piece.url);
      return (
        `<p><a href="${url}" style="${BUTTON}">${escaped(piece.label)}</a></p>\n` +
        `<p style="${SOFT}">${url}</p>`
      );
    }
    return `<ul>${piece.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`;
  });
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(network_name)}</title></head>`,
    `<body style="${BODY}"><div style="${SHEET}">`,
    `<p style="margin-top:0;font-weight:700">${escaped(network_name)}</p>`,
    ...written,
    '</div></body></html>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

/** The name in a sender as `Network <no-reply@network.example>`. */
export function networkNameOf(from: string): string {
  const name = from
    .slice(0, Math.max(0, from.indexOf('<')))
    .replaceAll('"', '')
    .trim();
  return name === '' ? 'The credit-reporting network' : name;
}
