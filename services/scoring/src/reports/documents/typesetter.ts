/// <reference path="./untyped-modules.d.ts" />
// Lines of any script: for each letter a font that has it, words in the order in which they are read
// (UAX 9), lines broken where the script may be broken (UAX 14). Letters are shaped by fontkit.

import bidiFactory from 'bidi-js';
import LineBreaker from 'linebreak';
import { type BaseFont, covers, type FontName, fontFile, fontFor, turnsRound } from './fonts';

/** How a text is to look. */
export interface Style {
  readonly font: BaseFont;
  readonly size: number;
}

/** A part of a line that is drawn in one go, from left to right. */
interface Piece {
  readonly font: FontName;
  readonly text: string;
  /** Shaped as a whole; plain words are shaped once and remembered. */
  readonly shaped: boolean;
  /** At size 1. */
  readonly width: number;
}

interface Line {
  readonly pieces: readonly Piece[];
  /** At size 1. */
  readonly width: number;
}

const bidi = bidiFactory();
const clusters = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** What the base fonts have and what is read from left to right. */
const PLAIN = /^[\x20-\x7e\u00a0-\u024f\u0370-\u052f\u2010-\u2027\u202f]*$/;
/** They say how to order and where to break, and are not drawn. */
const NOT_DRAWN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/** With these a name could reorder what stands beside it. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const CONTROL = /\p{Cc}+/gu;
const ASCENT = 0.928;
export const LINE_HEIGHT = 1.164;
const MEASURED_AT = 1_000;
/** Words and dates come again and again; names do not, and must not fill the memory. */
const MAX_LINES_KEPT = 5_000;
const ELLIPSIS = '…';

/** Somebody's own words amid others: their direction ends with them. */
export function isolated(text: string): string {
  return `\u2068${text.replace(REORDERING, '')}\u2069`;
}

export class Typesetter {
  private readonly kept = new Map<string, Line>();
  private readonly registered = new Set<FontName>();

  constructor(private readonly pdf: PDFKit.PDFDocument) {
    for (const font of ['regular', 'bold']) this.register(font);
  }

  width(text: string, { font, size }: Style): number {
    return this.line(text, font).width * size;
  }

  /** As much of a text as there is room for. */
  fitted(text: string, style: Style, width: number): string {
    if (this.width(text, style) <= width) return text;
    const parts = [...clusters.segment(text)].map(({ segment }) => segment);
    let low = 0;
    let high = parts.length;
    const cut = (length: number) => `${parts.slice(0, length).join('').trimEnd()}${ELLIPSIS}`;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.width(cut(middle), style) <= width) low = middle;
      else high = middle - 1;
    }
    return cut(low);
  }

  /** The text in lines of a width; what does not go into `most` of them is left out, with an ellipsis. */
  lines(text: string, style: Style, width: number, most: number): string[] {
    const words = wordsOf(text);
    const lines: string[] = [];
    let line = '';
    for (const [index, word] of words.entries()) {
      if (line === '' || this.width((line + word).trimEnd(), style) <= width) {
        line += word;
        continue;
      }
      if (lines.length === most - 1) {
        lines.push(this.fitted(line + words.slice(index).join(''), style, width));
        return lines;
      }
      lines.push(this.fitted(line.trimEnd(), style, width));
      line = word;
    }
    return [...lines, this.fitted(line.trimEnd(), style, width)];
  }

  /** Draws one line, its top at `y`. */
  draw(text: string, x: number, y: number, style: Style, colour: string): void {
    this.drawOnBaseline(text, x, y + ASCENT * style.size, style, colour);
  }

  /** Draws one line, its letters standing on `baseline`. */
  drawOnBaseline(
    text: string,
    x: number,
    baseline: number,
    { font, size }: Style,
    colour: string,
  ): void {
    let at = x;
    for (const piece of this.line(text, font).pieces) {
      this.pdf.font(piece.font).fontSize(size).fillColor(colour);
      this.pdf.text(piece.text, at, baseline, {
        lineBreak: false,
        baseline: 'alphabetic',
        ...(piece.shaped ? { features: [] } : {}),
      });
      at += piece.width * size;
    }
  }

  private line(text: string, font: BaseFont): Line {
    const key = `${font} ${text}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const pieces = PLAIN.test(text)
      ? [this.piece(font, text, false)]
      : inOrder(text.replace(CONTROL, ' '), font).map((part) =>
          this.piece(part.font, part.text, true),
        );
    const line = { pieces, width: pieces.reduce((sum, { width }) => sum + width, 0) };
    if (this.kept.size >= MAX_LINES_KEPT) this.kept.clear();
    this.kept.set(key, line);
    return line;
  }

  private piece(font: FontName, text: string, shaped: boolean): Piece {
    this.register(font);
    this.pdf.font(font).fontSize(MEASURED_AT);
    const width = this.pdf.widthOfString(text, shaped ? { features: [] } : {}) / MEASURED_AT;
    return { font, text, shaped, width };
  }

  private register(font: FontName): void {
    if (this.registered.has(font)) return;
    this.pdf.registerFont(font, fontFile(font));
    this.registered.add(font);
  }
}

/** Where a line may end; a word that is longer than a line is cut by whoever fits it in. */
function wordsOf(text: string): string[] {
  const breaker = new LineBreaker(text);
  const words: string[] = [];
  let from = 0;
  for (let at = breaker.nextBreak(); at !== null; at = breaker.nextBreak()) {
    words.push(text.slice(from, at.position));
    from = at.position;
  }
  return words;
}

interface Part {
  readonly font: FontName;
  readonly text: string;
}

/** The parts of a line from left to right, each of one font and one direction. */
function inOrder(text: string, base: BaseFont): Part[] {
  const embedding = bidi.getEmbeddingLevels(text);
  const mirrored = bidi.getMirroredCharactersMap(text, embedding.levels);
  const runs: { level: number; start: number; end: number }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = embedding.levels[at] ?? 0;
    const last = runs.at(-1);
    if (last !== undefined && last.level === level) last.end = at + 1;
    else runs.push({ level, start: at, end: at + 1 });
  }
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) reverseFrom(runs, level);
  return runs.flatMap(({ level, start, end }) => {
    const letters = Array.from({ length: end - start }, (_, index) => {
      const at = start + index;
      return mirrored.get(at) ?? text.charAt(at);
    }).join('');
    const right_to_left = level % 2 === 1;
    const parts = byFont(letters, base, text).map((part) =>
      // Letters from the right are turned round as they are shaped. Signs alone are not, and digits
      // of these scripts are though they are read from the left.
      turnsRound(part.font, part.text) === right_to_left
        ? part
        : { ...part, text: turned(part.text) },
    );
    return right_to_left ? parts.reverse() : parts;
  });
}

/** Turns round each row of neighbours of this level or a higher one. */
function reverseFrom<Run extends { readonly level: number }>(runs: Run[], level: number): void {
  let start = 0;
  while (start < runs.length) {
    let end = start;
    while (end < runs.length && (runs[end]?.level ?? 0) >= level) end += 1;
    if (end > start) runs.splice(start, end - start, ...runs.slice(start, end).reverse());
    start = Math.max(end, start + 1);
  }
}

function byFont(letters: string, base: BaseFont, text: string): Part[] {
  const parts: { font: FontName; text: string }[] = [];
  for (const { segment } of clusters.segment(letters)) {
    const drawn = segment.replace(NOT_DRAWN, '');
    if (drawn === '') continue;
    const last = parts.at(-1);
    // A blank is of the word before it; among pictures it would be as wide as one.
    const goes_on =
      last !== undefined && last.font !== 'emoji' && /^\s$/.test(drawn) && covers(last.font, drawn);
    const font = goes_on ? last.font : fontFor(drawn, base, text);
    if (last?.font === font) last.text += drawn;
    else parts.push({ font, text: drawn });
  }
  return parts;
}

function turned(text: string): string {
  return [...clusters.segment(text)]
    .map(({ segment }) => segment)
    .reverse()
    .join('');
}
