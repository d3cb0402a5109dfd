import { once } from 'node:events';
import { bar, gauge, type Picture, paymentGrid, scoreLine } from '@credit/drawing';
import PDFDocument from 'pdfkit';
import { drawPicture } from '../../src/reports/documents/draw-picture';
import { Typesetter } from '../../src/reports/documents/typesetter';

/** What a page's instructions are; fonts aside. */
async function instructionsOf(picture: Picture, width?: number): Promise<string> {
  const pdf = new PDFDocument({ compress: false, size: [600, 400], margin: 0 });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  drawPicture(pdf, new Typesetter(pdf), picture, { x: 10, y: 20, ...(width && { width }) });
  const ended = once(pdf, 'end');
  pdf.end();
  await ended;
  return /stream\n([\s\S]*?)endstream/.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? '';
}

const count = (text: string, operator: RegExp) => text.match(operator)?.length ?? 0;
const FILL = /^f$/gm;
const STROKE = /^S$/gm;
const TEXT = /^BT$/gm;

test('everything of a picture is drawn: what is filled, what is stroked, and each text', async () => {
  const grid = await instructionsOf(paymentGrid('0123', '2026-11-28T00:00:00Z'));
  expect([count(grid, FILL), count(grid, STROKE), count(grid, TEXT)]).toEqual([4, 0, 8]);
  const score = gauge({
    score: 712,
    min: 300,
    max: 850,
    band: 'Good',
    zones: [
      { zone: 'e', from: 300 },
      { zone: 'a', from: 700 },
    ],
  });
  const drawn = await instructionsOf(score, 150);
  expect([count(drawn, FILL), count(drawn, STROKE), count(drawn, TEXT)]).toEqual([0, 4, 6]);
  const line = scoreLine([{ calculated_at: '2026-11-28T00:00:00Z', score: 655 }]);
  if (line === undefined) throw new Error('no line');
  const steps = await instructionsOf(line);
  // Rules at 600, 650 and 700, and the line; the dot at its end.
  expect([count(steps, FILL), count(steps, STROKE)]).toEqual([1, 4]);
});

test('it is as wide as is said, and stands where it is put', async () => {
  const picture = bar({ name: 'Mix', value: 1, max: 2 });
  const own = await instructionsOf(picture);
  const wide = await instructionsOf(picture, 200);
  // pdfkit turns the page round first: its origin is below.
  expect(own).toContain('1 0 0 1 10 20 cm');
  expect(wide).toContain('1 0 0 1 10 20 cm');
  expect(wide).toContain('2 0 0 2 0 0 cm');
  expect(own).toContain('0 0 50 8 re');
});
