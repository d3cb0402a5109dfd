// A person's own file on paper: all that its JSON says, under the same hash, with everybody's name.

import type { PersonFileToWrite } from '../domain/person-file';
import { ACCENT, FAINT, INK } from './draw-picture';
import { isolated, LINE_HEIGHT, type Style, Typesetter } from './typesetter';
import { writtenPdf } from './written-pdf';

const MARGIN = 48;
/** Of one paragraph; a statement is 600 characters long at most. */
const MAX_LINES = 40;
const INDENT = 12;

type Plain = string | number | boolean | null;
type Value = Plain | readonly Value[] | { readonly [name: string]: Value };
type Fields = { readonly [name: string]: Value };

/** What stands on the first page, in this order; anything else of the file follows. */
const SECTIONS: readonly (readonly [name: string, title: string, none: string])[] = [
  ['subject', 'Who you are here', ''],
  ['score', 'Score', ''],
  ['file_freeze', 'Freeze', ''],
  ['alerts', 'Alerts', 'None.'],
  [
    'accounts',
    'Accounts, with everything reported of them',
    'No lender reports an account of yours.',
  ],
  ['statements', 'Your statements', 'None.'],
  ['inquiries', 'Who looked', 'Nobody has looked in two years.'],
  ['corrections', 'What was corrected, and who was told', 'Nothing.'],
  ['moves', 'What was put on your file, or taken off it', 'Nothing.'],
];

/** Draws the file; throws a RangeError when it becomes too large. */
export function personFilePdf(file: PersonFileToWrite): Promise<Buffer> {
  const { content_hash, generated_at } = file;
  const content = JSON.parse(file.file_json) as Fields;
  const info = {
    Title: 'Your credit file',
    Subject: `Content hash ${content_hash}`,
    Keywords: content_hash,
    CreationDate: new Date(generated_at),
  };
  return writtenPdf(info, MARGIN, (pdf) =>
    new Paper(pdf).draw(content, content_hash, generated_at),
  );
}

class Paper {
  private readonly typesetter: Typesetter;
  private y = MARGIN;

  constructor(private readonly pdf: PDFKit.PDFDocument) {
    this.typesetter = new Typesetter(pdf);
  }

  draw(content: Fields, content_hash: string, generated_at: string): void {
    this.pdf.rect(0, 0, this.pdf.page.width, 5).fill(ACCENT);
    this.text('Your credit file', 0, { size: 20, bold: true, after: 4 });
    this.text(`Put together at ${generated_at}. Content hash (SHA-256 of the file in JSON):`, 0, {
      colour: FAINT,
    });
    this.text(content_hash, 0, { bold: true, after: 4 });
    this.text(
      'This is all that the network keeps of you, with the names of whoever reports and whoever ' +
        'looked. It is yours, to keep and to show. The same hash stands on your page and in the file ' +
        'in JSON while they say the same. To contest an entry, give its id.',
      0,
      { after: 10 },
    );
    const known = new Set(SECTIONS.map(([name]) => name));
    for (const [name, title, none] of SECTIONS) this.section(title, content[name] ?? null, none);
    const rest = Object.entries(content).filter(([name]) => !known.has(name));
    this.section('Beside that', Object.fromEntries(rest), '');
  }

  private section(title: string, value: Value, none: string): void {
    this.text(title, 0, { size: 12, bold: true, colour: ACCENT, after: 3 });
    if (isEmpty(value)) this.text(none, 0, {});
    else this.value(value, 0);
    this.y += 8;
  }

  /** Facts first, then what has parts of its own, each further in. */
  private value(value: Value, depth: number): void {
    if (isList(value)) {
      for (const item of value) {
        this.value(item, depth);
        this.y += 3;
      }
      return;
    }
    if (!isFields(value)) {
      this.text(`${value}`, depth, {});
      return;
    }
    const facts = Object.entries(value).flatMap(([name, held]) => {
      const fact = factOf(held);
      return fact === undefined ? [] : [`${words(name)}: ${isolated(fact)}`];
    });
    this.text(facts.join(' · '), depth, {});
    for (const [name, held] of Object.entries(value)) {
      if (factOf(held) !== undefined || isEmpty(held)) continue;
      this.text(words(name), depth + 1, { bold: true });
      this.value(held, depth + 1);
    }
  }

  /** A paragraph below the last one; a page that is full is followed by another. */
  private text(
    text: string,
    depth: number,
    look: { size?: number; bold?: boolean; colour?: string; after?: number },
  ): void {
    if (text === '') return;
    const { size = 8, bold = false, colour = INK, after = 1 } = look;
    const style: Style = { font: bold ? 'bold' : 'regular', size };
    const left = MARGIN + depth * INDENT;
    const line_height = size * LINE_HEIGHT + 1;
    const { width, height } = this.pdf.page;
    for (const line of this.typesetter.lines(text, style, width - MARGIN - left, MAX_LINES)) {
      if (this.y + line_height > height - MARGIN) {
        this.pdf.addPage();
        this.y = MARGIN;
      }
      this.typesetter.draw(line, left, this.y, style, colour);
      this.y += line_height;
    }
    this.y += after;
  }
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function isFields(value: Value): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: Value): boolean {
  if (isList(value)) return value.length === 0;
  return value === null || (isFields(value) && Object.keys(value).length === 0);
}

/** What fits into a line; an institution is its name. */
function factOf(value: Value): string | undefined {
  if (value === null) return '–';
  if (isList(value)) return undefined;
  if (!isFields(value)) return String(value);
  const names = Object.keys(value).sort().join();
  if (names !== 'id,name') return undefined;
  return `${value['name'] ?? 'a fictional lender'} (${value['id']})`;
}

/** `opened_at` as "Opened at". */
function words(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
