/// <reference path="./untyped-modules.d.ts" />
// Which font has the letters of a text: names come in all the scripts that people have.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { create, type Font } from 'fontkit';

/** Of the report itself; other fonts are there for names alone, in one weight. */
export type BaseFont = 'regular' | 'bold';
/** By which a font is known to the document. */
export type FontName = string;

const dejavu = (file: string) =>
  path.join(path.dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf', `${file}.ttf`);
const noto = (family: string, file: string) =>
  path.join(
    path.dirname(require.resolve(`@expo-google-fonts/${family}/package.json`)),
    '400Regular',
    `${file}_400Regular.ttf`,
  );

const FILES: Readonly<Record<FontName, () => string>> = {
  regular: () => dejavu('DejaVuSansCondensed'),
  bold: () => dejavu('DejaVuSansCondensed-Bold'),
  arabic: () => noto('noto-sans-arabic', 'NotoSansArabic'),
  bengali: () => noto('noto-sans-bengali', 'NotoSansBengali'),
  devanagari: () => noto('noto-sans-devanagari', 'NotoSansDevanagari'),
  tamil: () => noto('noto-sans-tamil', 'NotoSansTamil'),
  thai: () => noto('noto-sans-thai', 'NotoSansThai'),
  chinese: () => noto('noto-sans-sc', 'NotoSansSC'),
  japanese: () => noto('noto-sans-jp', 'NotoSansJP'),
  korean: () => noto('noto-sans-kr', 'NotoSansKR'),
  emoji: () => noto('noto-emoji', 'NotoEmoji'),
};

/** Scripts that another font writes better than the report's own, though that has letters for them. */
const BETTER: ReadonlyArray<readonly [RegExp, FontName]> = [
  [/\p{Script=Arabic}/u, 'arabic'],
  [/\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}/u, 'emoji'],
];
const OTHERS: readonly FontName[] = ['arabic', 'devanagari', 'bengali', 'tamil', 'thai'];
/** Has no picture of its own in any font. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Cc}]$/u;

interface Loaded {
  readonly file: Buffer;
  readonly font: Font;
}

/** Read when first needed, and kept: the large ones have ten megabytes. */
const loaded = new Map<FontName, Loaded>();

function load(name: FontName): Loaded {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const file = FILES[name];
  if (file === undefined) throw new Error(`There is no font ${name}.`);
  const content = readFileSync(file());
  const made = { file: content, font: create(content) };
  loaded.set(name, made);
  return made;
}

/** The font's file. */
export function fontFile(name: FontName): Buffer {
  return load(name).file;
}

/**
 * The font that has all letters of a cluster; `text` is what it stands in, since Chinese, Japanese
 * and Korean write many signs of one code each in its own way. The base font when none has them.
 */
export function fontFor(cluster: string, base: BaseFont, text: string): FontName {
  const better = BETTER.filter(([script]) => script.test(cluster)).map(([, name]) => name);
  const candidates = [...better, base, ...OTHERS, ...eastAsian(text), 'emoji'];
  return candidates.find((name) => covers(name, cluster)) ?? base;
}

function eastAsian(text: string): FontName[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) {
    return ['japanese', 'chinese', 'korean'];
  }
  if (/\p{Script=Hangul}/u.test(text)) return ['korean', 'chinese', 'japanese'];
  return ['chinese', 'japanese', 'korean'];
}

/** Whether shaping turns a text round: fontkit does so with what it takes for a script from the right. */
export function turnsRound(name: FontName, text: string): boolean {
  return load(name).font.layout(text).direction === 'rtl';
}

/** Whether a font can draw all that is to be seen of a text. */
export function covers(name: FontName, text: string): boolean {
  const { font } = load(name);
  return [...text].every(
    (letter) => INVISIBLE.test(letter) || font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0),
  );
}
