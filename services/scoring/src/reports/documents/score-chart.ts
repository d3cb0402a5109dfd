import type { PastScore } from '../domain/report-content';

export interface ChartBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Where the time ends. */
  readonly until: string;
}

const INK = '#1f2933';
const FAINT = '#66727f';
const LINE = '#d5dbe1';
const ACCENT = '#1f5fa8';
const AXIS_WIDTH = 26;
const LABEL_HEIGHT = 14;
const DAY_MS = 86_400_000;
/** Scores of one day are no history: the line gets this much room at least. */
const SHORTEST_SPAN_MS = 30 * DAY_MS;
const STEP = 50;

/** Draws scores as steps, for a score holds until the next one. `scores` come newest first. */
export function scoreChart(
  pdf: PDFKit.PDFDocument,
  scores: readonly Pick<PastScore, 'calculated_at' | 'score'>[],
  box: ChartBox,
): void {
  const rated = [...scores]
    .reverse()
    .flatMap(({ calculated_at, score }) =>
      score === undefined ? [] : [{ at_ms: Date.parse(calculated_at), score }],
    );
  const left = box.x + AXIS_WIDTH;
  const right = box.x + box.width - 4;
  const bottom = box.y + box.height - LABEL_HEIGHT;
  const label = (text: string, x: number, y: number, options: PDFKit.Mixins.TextOptions) =>
    pdf.font('regular').fontSize(7).fillColor(FAINT).text(text, x, y, options);
  const [first] = rated;
  const last = rated.at(-1);
  if (first === undefined || last === undefined) {
    label('No score was kept yet.', box.x, box.y, { lineBreak: false });
    return;
  }
  const until_ms = Date.parse(box.until);
  const from_ms = Math.min(first.at_ms, until_ms - SHORTEST_SPAN_MS);
  const all = rated.map(({ score }) => score);
  const low = Math.max(300, Math.floor((Math.min(...all) - 10) / STEP) * STEP);
  const high = Math.min(850, Math.ceil((Math.max(...all) + 10) / STEP) * STEP);
  const x = (at_ms: number) => left + ((at_ms - from_ms) / (until_ms - from_ms)) * (right - left);
  const y = (score: number) => bottom - ((score - low) / (high - low)) * (bottom - box.y);
  for (let score = low; score <= high; score += STEP) {
    pdf.moveTo(left, y(score)).lineTo(right, y(score)).lineWidth(0.4).stroke(LINE);
    label(String(score), box.x, y(score) - 4, { width: AXIS_WIDTH - 5, align: 'right' });
  }
  const dates = [from_ms, (from_ms + until_ms) / 2, until_ms];
  for (const [index, at_ms] of dates.entries()) {
    const align = index === 0 ? 'left' : index === 1 ? 'center' : 'right';
    label(new Date(at_ms).toISOString().slice(0, 10), left, bottom + 4, {
      width: right - left,
      align,
    });
  }
  pdf.moveTo(x(first.at_ms), y(first.score));
  let before = first.score;
  for (const { at_ms, score } of rated.slice(1)) {
    pdf.lineTo(x(at_ms), y(before)).lineTo(x(at_ms), y(score));
    before = score;
  }
  pdf.lineTo(right, y(before)).lineWidth(1.4).stroke(ACCENT);
  pdf.circle(right, y(before), 2.4).fill(ACCENT);
  pdf
    .font('bold')
    .fontSize(8)
    .fillColor(INK)
    .text(String(last.score), right - 40, Math.max(box.y - 4, y(before) - 13), {
      width: 40,
      align: 'right',
    });
}
