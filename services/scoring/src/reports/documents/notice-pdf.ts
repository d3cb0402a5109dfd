// A letter of one page, for somebody who is no reader of reports.

import type { NoticeContent } from '../domain/notice';
import { ACCENT, FAINT, INK } from './draw-picture';
import { isolated, LINE_HEIGHT, type Style, Typesetter } from './typesetter';
import { writtenPdf } from './written-pdf';

const MARGIN = 64;
/** Of one paragraph. */
const MAX_LINES = 12;

/** Draws the notice. */
export function noticePdf(notice: NoticeContent): Promise<Buffer> {
  const { report, subject } = notice;
  const info = {
    Title: `Notice to ${subject.display_name}`,
    Subject: `Of a look at the file on ${report.as_of}`,
    CreationDate: new Date(report.given_at),
  };
  return writtenPdf(info, MARGIN, (pdf) => new Letter(pdf).draw(notice));
}

class Letter {
  private readonly typesetter: Typesetter;
  private readonly width: number;
  private y = MARGIN;

  constructor(private readonly pdf: PDFKit.PDFDocument) {
    this.typesetter = new Typesetter(pdf);
    this.width = pdf.page.width - 2 * MARGIN;
  }

  draw({ report, subject, parties, credit, key_factors, rights }: NoticeContent): void {
    const { pdf } = this;
    pdf.rect(0, 0, pdf.page.width, 5).fill(ACCENT);
    this.text(isolated(parties.institution_name), { size: 11, colour: FAINT });
    this.text('Notice about your credit file', { size: 20, bold: true, after: 4 });
    this.text(`To ${isolated(subject.display_name)}`, { size: 11 });
    this.text(`${dayOf(report.given_at)} · ${words(report.purpose)}`, { colour: FAINT, after: 12 });
    this.text(
      `${isolated(parties.institution_name)} looked at your file at ` +
        `${isolated(parties.network_name)} on ${dayOf(report.as_of)}, and what it saw went against ` +
        'you, in whole or in part. This is what it saw, and what you can do.',
      { after: 12 },
    );
    this.heading('Your score');
    const { score, score_range, grade, band } = credit;
    const { min, max } = score_range;
    if (score === undefined) {
      this.text('There was too little on file for a score. That is not a low score.', {
        after: 12,
      });
    } else {
      this.text(String(score), { size: 34, bold: true, after: 0 });
      const named = grade === undefined ? words(band) : `${words(band)}, grade ${grade}`;
      this.text(`${named}. Scores go from ${min}, the lowest, to ${max}, the highest.`);
      this.text(`As of ${dayOf(report.as_of)}, by the model ${report.model_version}.`, {
        colour: FAINT,
        after: 12,
      });
    }
    this.heading(score === undefined ? 'Why there is none' : 'What cost it most');
    if (key_factors.length === 0) this.text('Nothing on file cost it points.', { after: 12 });
    for (const [index, { text, code }] of key_factors.entries()) {
      const is_last = index === key_factors.length - 1;
      this.text(`${index + 1}.  ${text} (${code})`, { after: is_last ? 12 : 2 });
    }
    for (const { title, text } of rights) {
      this.heading(title);
      this.text(text.replaceAll(parties.institution_name, isolated(parties.institution_name)), {
        after: 10,
      });
    }
    this.heading(isolated(parties.network_name));
    const address = [parties.network_url, parties.contact_email].filter(
      (part) => part !== undefined,
    );
    if (address.length > 0) this.text(address.join(' · '));
    this.text(`Notice ${report.id} · look ${report.inquiry_id}`, { size: 8, colour: FAINT });
  }

  private heading(text: string): void {
    this.text(text, { size: 11, bold: true, colour: ACCENT, after: 3 });
  }

  /** A paragraph below the last one; a page that is full is followed by another. */
  private text(
    text: string,
    look: { size?: number; bold?: boolean; colour?: string; after?: number } = {},
  ): void {
    const { size = 10, bold = false, colour = INK, after = 4 } = look;
    const style: Style = { font: bold ? 'bold' : 'regular', size };
    const line_height = size * LINE_HEIGHT + 2;
    for (const line of this.typesetter.lines(text, style, this.width, MAX_LINES)) {
      if (this.y + line_height > this.pdf.page.height - MARGIN) {
        this.pdf.addPage();
        this.y = MARGIN;
      }
      this.typesetter.draw(line, MARGIN, this.y, style, colour);
      this.y += line_height;
    }
    this.y += after;
  }
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

function dayOf(timestamp: string): string {
  return DAY.format(new Date(timestamp));
}

/** `VERY_GOOD` as "Very good". */
function words(name: string): string {
  const lower = name.toLowerCase().replaceAll('_', ' ');
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}
