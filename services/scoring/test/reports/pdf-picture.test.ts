// Names as a reader sees them: drawn, turned into a picture, and compared with one that people have
// looked at. UPDATE_GOLDEN=1 writes both files anew: look at names.png then.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PDFDocument from 'pdfkit';
import { isolated, Typesetter } from '../../src/reports/documents/typesetter';

const ROOT = path.resolve(__dirname, '../../../..');
const GOLDEN = path.join(__dirname, 'golden/names.txt');
const GOLDEN_PICTURE = path.join(__dirname, 'golden/names.png');

const NAMES = [
  'Zoë Łukasz Đorđe',
  'Ελένη Παπαδοπούλου',
  'Юлія Шевченко',
  '王小明',
  '龍鳳餐廳有限公司',
  '山田たろう 髙橋',
  '김민준',
  'شركة النور للتجارة',
  'فرع 12 (٢٠٢٤)',
  'עברית שלום 123 (abc)',
  'ABC شركة النور DEF',
  'दीपक शर्मा',
  'বাংলা দেশ',
  'தமிழ் நாடு',
  'สมชาย ใจดี',
  'fox 🦊🐢 😀😂 end',
  'family 👩‍👩‍👧 flag 🇪🇪 ❤️',
];

const ROW = 24;
const WIDTH = 240;
/** The picture is looked at in squares of so many pixels, as a far-sighted reader does. */
const SQUARE = 4;
/** Of 15 shades: what another release of the renderer may make of it. */
const TOLERANCE = 0.5;

let folder: string;
let pdftoppm: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pictures-'));
  pdftoppm = execFileSync(process.execPath, [path.join(ROOT, 'tools/ensure-pdftoppm.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function draw(names: readonly string[]): Promise<string> {
  const pdf = new PDFDocument({ size: [WIDTH, names.length * ROW], margin: 0 });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const typesetter = new Typesetter(pdf);
  for (const [index, name] of names.entries()) {
    typesetter.draw(name, 4, index * ROW + 4, { font: 'regular', size: 15 }, '#000000');
  }
  const ended = once(pdf, 'end');
  pdf.end();
  await ended;
  const file = path.join(folder, 'names.pdf');
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

/** By name, the shades of its squares from white (0) to black (15). */
async function shadesOf(names: readonly string[]): Promise<number[][]> {
  const file = await draw(names);
  const pgm = execFileSync(pdftoppm, ['-r', '72', '-gray', file], { maxBuffer: 16_000_000 });
  const [head = '', wide = '', high = ''] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(
    pgm.subarray(0, 64).toString('latin1'),
  ) ?? [''];
  const [width, height] = [Number(wide), Number(high)];
  expect([width, height]).toEqual([WIDTH, names.length * ROW]);
  const pixels = pgm.subarray(head.length);
  return names.map((_name, index) => {
    const shades: number[] = [];
    for (let y = index * ROW; y < (index + 1) * ROW; y += SQUARE) {
      for (let x = 0; x < width; x += SQUARE) {
        let sum = 0;
        for (let dy = 0; dy < SQUARE; dy += 1) {
          for (let dx = 0; dx < SQUARE; dx += 1) {
            sum += 255 - (pixels[(y + dy) * width + x + dx] ?? 255);
          }
        }
        shades.push(Math.round((sum / SQUARE ** 2 / 255) * 15));
      }
    }
    return shades;
  });
}

/** By how many shades two pictures differ where one of them has ink. */
function difference(a: readonly number[], b: readonly number[]): number {
  expect(a).toHaveLength(b.length);
  const inked = a.map((shade, index) => [shade, b[index] ?? 0] as const).filter(([x, y]) => x + y);
  const sum = inked.reduce((total, [x, y]) => total + Math.abs(x - y), 0);
  return inked.length === 0 ? 0 : sum / inked.length;
}

const written = (shades: readonly number[]) => shades.map((shade) => shade.toString(16)).join('');
const read = (line: string) => [...line].map((digit) => Number.parseInt(digit, 16));
const reversed = (text: string) => [...text].reverse().join('');

it('shows names of all scripts as they are written and read', async () => {
  const shades = await shadesOf(NAMES);
  if (process.env.UPDATE_GOLDEN === '1') {
    writeFileSync(GOLDEN, `${shades.map(written).join('\n')}\n`);
    const stem = path.join(folder, 'names');
    execFileSync(pdftoppm, ['-r', '108', '-png', '-singlefile', await draw(NAMES), stem]);
    writeFileSync(GOLDEN_PICTURE, readFileSync(`${stem}.png`));
  }
  const golden = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n').map(read);
  expect(golden).toHaveLength(NAMES.length);
  for (const [index, name] of NAMES.entries()) {
    const off = difference(shades[index] ?? [], golden[index] ?? []);
    expect(`${name} ${off <= TOLERANCE}`).toBe(`${name} true`);
  }
});

it('would notice boxes in place of letters, and words in another order', async () => {
  const golden = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n').map(read);
  const boxes = await shadesOf(NAMES.map((name) => name.replace(/\S/gu, '\u{e123}')));
  const turned = await shadesOf(NAMES.map(reversed));
  for (const [index, name] of NAMES.entries()) {
    for (const wrong of [boxes[index] ?? [], turned[index] ?? []]) {
      const off = difference(wrong, golden[index] ?? []);
      expect(`${name} ${off > TOLERANCE}`).toBe(`${name} true`);
    }
  }
});

it('lets a name reorder nothing beside it', async () => {
  const [plain, hostile] = await shadesOf([
    'Owed 100 by abc',
    `Owed 100 by ${isolated('\u202e\u2067abc')}`,
  ]);
  expect(difference(plain ?? [], hostile ?? [])).toBe(0);
});

it('breaks lines where the script may be broken, and cuts what is left between letters', () => {
  const typesetter = new Typesetter(new PDFDocument());
  const style = { font: 'regular', size: 10 } as const;
  expect(typesetter.lines('one two three', style, 40, 5)).toEqual(['one two', 'three']);
  const chinese = typesetter.lines('龍鳳餐廳有限公司', style, 41, 5);
  expect(chinese).toEqual(['龍鳳餐廳', '有限公司']);
  expect(typesetter.lines('one two three four', style, 40, 2)).toEqual(['one two', 'three f…']);
  const family = '👩‍👩‍👧'.repeat(9);
  const cut = typesetter.fitted(family, style, 60);
  expect(cut).toMatch(/^(👩‍👩‍👧)+…$/u);
  expect(typesetter.width(cut, style)).toBeLessThanOrEqual(60);
  expect(typesetter.fitted('', style, 60)).toBe('');
});
