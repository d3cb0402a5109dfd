// The drawings of packages/drawing as a document has them.

import type { Mark, Picture, Role } from '@credit/drawing';
import type { Style, Typesetter } from './typesetter';

export const INK = '#1f2933';
export const FAINT = '#66727f';
export const LINE = '#d5dbe1';
export const ACCENT = '#1f5fa8';
export const SHADE = '#f3f5f8';
const TRACK = '#e3e8ee';

/** What a mark is drawn with. */
type Look =
  | { readonly fill: string }
  | { readonly stroke: string; readonly width: number; readonly round?: true }
  | { readonly colour: string; readonly font: Style['font']; readonly size: number };

const text = (size: number, colour = FAINT, font: Style['font'] = 'regular'): Look => ({
  colour,
  font,
  size,
});

const LOOKS: Readonly<Record<Role, Look>> = {
  'gauge-track': { stroke: TRACK, width: 18, round: true },
  'gauge-value': { stroke: ACCENT, width: 18, round: true },
  'gauge-score': text(46, INK, 'bold'),
  'gauge-band': text(16, INK, 'bold'),
  'gauge-end': text(11),
  'gauge-zone-e': { stroke: '#c0392b', width: 6 },
  'gauge-zone-d': { stroke: '#d98324', width: 6 },
  'gauge-zone-c': { stroke: '#c9b037', width: 6 },
  'gauge-zone-b': { stroke: '#7aa84f', width: 6 },
  'gauge-zone-a': { stroke: '#2e8b57', width: 6 },
  'gauge-zone-letter': text(11),
  'bar-track': { fill: TRACK },
  'bar-value': { fill: ACCENT },
  'bar-bad': { fill: '#a8201a' },
  'grid-cell-kept': { fill: '#2e8b57' },
  'grid-cell-late': { fill: '#e2c044' },
  'grid-cell-past-30': { fill: '#e09f3e' },
  'grid-cell-past-60': { fill: '#d9743a' },
  'grid-cell-past-90': { fill: '#c9503a' },
  'grid-cell-past-120': { fill: '#a83232' },
  'grid-cell-default': { fill: '#7b1f3a' },
  'grid-cell-written-off': { fill: '#3d2b3d' },
  'grid-cell-unknown': { fill: '#e9edf1' },
  'grid-mark': text(6.5, '#ffffff'),
  'grid-month': text(6),
  'score-line-rule': { stroke: LINE, width: 0.4 },
  'score-line-label': text(7),
  'score-line-steps': { stroke: ACCENT, width: 1.4 },
  'score-line-last': { fill: ACCENT },
  'score-line-score': text(8, INK, 'bold'),
  'trend-base': { stroke: LINE, width: 0.7 },
  'trend-line': { stroke: ACCENT, width: 1.4 },
  'trend-last': { fill: ACCENT },
};

/** The colour of what is filled. */
export function fillOf(role: Role): string {
  const look = LOOKS[role];
  return 'fill' in look ? look.fill : INK;
}

/** Draws a picture with its corner at a place, in its own size or as wide as is said. */
export function drawPicture(
  pdf: PDFKit.PDFDocument,
  typesetter: Typesetter,
  picture: Picture,
  at: { readonly x: number; readonly y: number; readonly width?: number },
): void {
  const scale = (at.width ?? picture.width) / picture.width;
  pdf.save();
  pdf.translate(at.x, at.y).scale(scale).translate(-picture.x, -picture.y);
  for (const mark of picture.groups.flatMap(({ marks }) => marks)) draw(pdf, typesetter, mark);
  pdf.restore();
}

function draw(pdf: PDFKit.PDFDocument, typesetter: Typesetter, mark: Mark): void {
  const look = LOOKS[mark.role];
  if (mark.kind === 'text') {
    if (!('size' in look)) throw new Error(`${mark.role} is no text.`);
    const width = typesetter.width(mark.text, look);
    const before = mark.anchor === 'end' ? width : mark.anchor === 'middle' ? width / 2 : 0;
    typesetter.drawOnBaseline(mark.text, mark.x - before, mark.y, look, look.colour);
    return;
  }
  trace(pdf, mark);
  if ('fill' in look) pdf.fill(look.fill);
  else if ('stroke' in look) {
    pdf
      .lineCap(look.round ? 'round' : 'butt')
      .lineJoin('round')
      .lineWidth(look.width);
    pdf.stroke(look.stroke);
  } else throw new Error(`${mark.role} is a text.`);
}

function trace(pdf: PDFKit.PDFDocument, mark: Exclude<Mark, { readonly kind: 'text' }>): void {
  switch (mark.kind) {
    case 'rect': {
      const { x, y, width, height, radius = 0 } = mark;
      if (radius > 0) pdf.roundedRect(x, y, width, height, radius);
      else pdf.rect(x, y, width, height);
      break;
    }
    case 'circle':
      pdf.circle(mark.x, mark.y, mark.radius);
      break;
    case 'path':
      pdf.path(mark.d);
      break;
    default:
      mark satisfies never;
  }
}
