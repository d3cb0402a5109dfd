// The report as pages a person reads: first where the subject stands and why, then the record.

import {
  bar,
  GRID_MARKS,
  gauge,
  gridMonths,
  type Picture,
  paymentGrid,
  scoreLine,
  type ZoneOf,
} from '@credit/drawing';
import type { Commercial } from '../domain/commercial';
import type { ReportContent } from '../domain/report-content';
import type { TradeLine } from '../domain/report-parts';
import { ACCENT, drawPicture, FAINT, fillOf, INK, LINE, SHADE } from './draw-picture';
import { amountText } from './json';
import { isolated, LINE_HEIGHT, type Style, Typesetter } from './typesetter';
import { writtenPdf } from './written-pdf';

const MARGIN = 42;
const ALARM = '#a83232';
const ALARM_SHADE = '#fbeeee';

/** From the lowest up. */
const ZONES: readonly ZoneOf[] = [
  { zone: 'e', from: 300 },
  { zone: 'd', from: 580 },
  { zone: 'c', from: 670 },
  { zone: 'b', from: 740 },
  { zone: 'a', from: 800 },
];
const GAUGE_WIDTH = 150;
const BAR_HEIGHT = 7;
/** Boxes of a month: so high, and so far from one another. */
const CELL = { height: 10, gap: 1.5 };

const FACTOR_NAMES: Readonly<Record<string, string>> = {
  DEROGATORY: 'Adverse items',
  ON_TIME: 'Payments on time',
  UTILISATION: 'Use of credit',
  LENGTH: 'Length of the file',
  MIX: 'Kinds of credit',
  NEW_CREDIT: 'New credit',
};

/** More is no reading: about forty pages. The same report in JSON and CSV has them all. */
export const MAX_EVENTS_DRAWN = 2_000;
/** Of trade lines, disputes and inquiries each. */
export const MAX_ROWS_DRAWN = 500;
/** Of one text that is no name, such as the notice. */
const MAX_LINES = 40;

/** Draws the content; throws a RangeError when it becomes too large. */
export async function contentPdf(content: ReportContent): Promise<Buffer> {
  const { report, subject } = content;
  const info = {
    Title: `Credit report: ${subject.display_name}`,
    Subject: `${report.report_type} as of ${report.as_of}`,
    // The report's own moment, so that the same content gives the same document.
    CreationDate: new Date(report.as_of),
  };
  return writtenPdf(info, MARGIN, (document) => new Drawing(document, content).draw());
}

interface Look {
  readonly size: number;
  readonly font?: Style['font'];
  readonly colour?: string;
  /** Lines are broken, or the one line is cut, to this. */
  readonly width?: number;
  /** What does not fit in is left out. */
  readonly height?: number;
  readonly align?: 'left' | 'right' | 'center';
  readonly lineGap?: number;
}

interface Column<Row> {
  readonly title: string;
  /** Share of the width. */
  readonly share: number;
  readonly align?: 'left' | 'right';
  readonly text: (row: Row) => string;
}

class Drawing {
  private readonly left = MARGIN;
  private readonly width: number;
  private readonly bottom: number;
  private readonly typesetter: Typesetter;
  private y = MARGIN;

  constructor(
    private readonly pdf: PDFKit.PDFDocument,
    private readonly content: ReportContent,
  ) {
    this.typesetter = new Typesetter(pdf);
    this.width = pdf.page.width - 2 * MARGIN;
    this.bottom = pdf.page.height - MARGIN - 24;
  }

  draw(): void {
    this.title();
    this.alerts();
    this.score();
    this.reasons();
    this.statements();
    this.figures();
    if (this.content.commercial !== undefined) this.commercial(this.content.commercial);
    this.chart();
    this.grid();
    const { trade_lines, disputes, inquiries, events } = this.content;
    if (trade_lines !== undefined) this.tradeLines(trade_lines);
    if (disputes !== undefined && disputes.length > 0) {
      const drawn = disputes.slice(-MAX_ROWS_DRAWN);
      this.table(withoutRest('Disputes', drawn, disputes), drawn, [
        { title: 'Account', share: 1, text: (dispute) => dispute.account },
        { title: 'Opened', share: 2, text: ({ opened_at }) => dateOf(opened_at) },
        {
          title: 'Resolved',
          share: 2,
          text: ({ resolved_at }) =>
            resolved_at === undefined ? 'still open' : dateOf(resolved_at),
        },
      ]);
    }
    if (inquiries !== undefined && inquiries.length > 0) {
      const drawn = inquiries.slice(0, MAX_ROWS_DRAWN);
      this.table(withoutRest('Hard inquiries of 24 months', drawn, inquiries), drawn, [
        { title: 'Date', share: 1, text: ({ created_at }) => dateOf(created_at) },
        { title: 'Institution', share: 2, text: ({ institution }) => institution },
        { title: 'Purpose', share: 2, text: ({ purpose }) => words(purpose) },
      ]);
    }
    if (events !== undefined && events.length > 0) {
      const drawn = newest(events, MAX_EVENTS_DRAWN);
      const title = 'Events, by account and in the order they were recorded';
      this.table(withoutRest(title, drawn, events), drawn, [
        { title: 'Account', share: 1.1, text: ({ account }) => account },
        { title: 'No.', share: 0.7, align: 'right', text: ({ sequence }) => String(sequence) },
        { title: 'Happened', share: 1.5, text: ({ occurred_at }) => dateOf(occurred_at) },
        { title: 'Recorded', share: 1.5, text: ({ reported_at }) => dateOf(reported_at) },
        {
          title: 'Event',
          share: 3.4,
          text: ({ event_type, corrected_event_type }) =>
            corrected_event_type === undefined
              ? words(event_type)
              : `${words(event_type)}: ${words(corrected_event_type).toLowerCase()}`,
        },
        { title: 'Amount', share: 1.7, align: 'right', text: ({ amount }) => money(amount) },
        {
          title: 'Balance after',
          share: 1.8,
          align: 'right',
          text: ({ balance_after }) => money(balance_after),
        },
        { title: 'Effect', share: 2.2, text: (event) => this.effectOf(event) },
      ]);
    }
    this.notice();
    this.footers();
  }

  /** Where a superseded event's correction stands, by its number. */
  private effectOf(event: NonNullable<ReportContent['events']>[number]): string {
    if (event.effect === 'IGNORED') return 'no effect';
    if (event.superseded_by_event_id === undefined) {
      return event.resulting_status === undefined ? '' : words(event.resulting_status);
    }
    const by = this.numbers().get(event.superseded_by_event_id);
    return by === undefined ? 'corrected' : `corrected by no. ${by}`;
  }

  private known_numbers: ReadonlyMap<string, number> | undefined;

  private numbers(): ReadonlyMap<string, number> {
    this.known_numbers ??= new Map(
      (this.content.events ?? []).map(({ event_id, sequence }) => [event_id, sequence]),
    );
    return this.known_numbers;
  }

  // --- The first page

  private title(): void {
    const { pdf, left, width } = this;
    const { report, subject } = this.content;
    pdf.rect(0, 0, pdf.page.width, 5).fill(ACCENT);
    this.text('Credit report', left, this.y, { size: 11, colour: FAINT });
    const name_width = width * 0.58;
    const large: Style = { font: 'bold', size: 22 };
    // A long name gets two smaller lines before any of it is left out.
    const fits = this.typesetter.width(subject.display_name, large) <= name_width;
    this.text(subject.display_name, left, this.y + (fits ? 15 : 14), {
      size: fits ? 22 : 13,
      font: 'bold',
      width: name_width,
      height: fits ? 28 : 32,
    });
    const kind = subject.type === 'ORGANISATION' ? 'Organisation' : 'Individual';
    const legal_name = subject.legal_name === subject.display_name ? undefined : subject.legal_name;
    const about = [kind, legal_name, subject.registration_number].flatMap((part, index) =>
      part ? [index === 0 ? part : isolated(part)] : [],
    );
    this.text(about.join(' · '), left, this.y + 47, {
      size: 8,
      colour: FAINT,
      width: name_width,
      height: 20,
    });
    const facts = [
      `As of ${report.as_of.slice(0, 16).replace('T', ' ')} UTC`,
      `${words(report.report_type)} report for ${words(report.purpose).toLowerCase()}`,
      `Report ${report.id}`,
      `Model ${report.model_version}`,
    ];
    for (const [index, fact] of facts.entries()) {
      this.text(fact, left + width * 0.55, this.y + 2 + index * 13, {
        size: 8,
        colour: FAINT,
        width: width * 0.45,
        align: 'right',
      });
    }
    this.y += 68;
    this.rule();
  }

  /** Before anything else: what whoever decides has to do first. */
  private alerts(): void {
    const { pdf, left, width } = this;
    for (const { kind, placed_at, ends_at, instruction } of this.content.alerts) {
      const style: Style = { font: 'regular', size: 8.5 };
      const lines = this.typesetter.lines(instruction, style, width - 20, MAX_LINES);
      const height = lines.length * style.size * LINE_HEIGHT + 26;
      pdf.rect(left, this.y, width, height).fill(ALARM_SHADE);
      pdf.rect(left, this.y, 3, height).fill(ALARM);
      const title = `${words(kind)} alert, placed on ${dateOf(placed_at)} until ${dateOf(ends_at)}`;
      const box = { colour: ALARM, width: width - 20 };
      this.text(title, left + 12, this.y + 6, { size: 9, font: 'bold', ...box, height: 12 });
      this.text(instruction, left + 12, this.y + 19, { size: style.size, width: width - 20 });
      this.y += height + 8;
    }
  }

  /** What the person has to say, in its own words. */
  private statements(): void {
    const { left, width } = this;
    const { statements } = this.content;
    if (statements.length === 0) return;
    this.heading('Statements of the person about records', 30);
    for (const { record_kind, account, event_id, text, set_at } of statements) {
      const number = event_id === undefined ? undefined : this.numbers().get(event_id);
      const record = number === undefined ? words(record_kind) : `Event no. ${number}`;
      const of = record_kind === 'ACCOUNT' ? '' : 'of ';
      const about = account === undefined ? record : `${record} ${of}${account}`;
      const style: Style = { font: 'regular', size: 8.5 };
      const lines = this.typesetter.lines(text, style, width - 100, MAX_LINES);
      this.ensure(lines.length * style.size * LINE_HEIGHT + 8);
      this.text(about, left, this.y, { size: 8, font: 'bold', width: 94, height: 10 });
      const { y } = this;
      this.text(dateOf(set_at), left, y + 11, { size: 7, colour: FAINT });
      this.text(text, left + 100, y, { size: style.size, width: width - 100 });
      this.y = Math.max(this.text_bottom, y + 20) + 5;
    }
    this.y += 4;
  }

  private score(): void {
    const { left, width, y } = this;
    const { credit, risk } = this.content;
    const { score } = credit;
    this.picture(
      gauge({ ...credit.score_range, score, band: words(credit.band), zones: ZONES }),
      left,
      y,
      GAUGE_WIDTH,
    );
    const standing = [
      credit.grade === undefined ? 'No grade' : `Grade ${credit.grade}`,
      `Risk ${risk.level.toLowerCase()}`,
      `Confidence ${credit.confidence.toLowerCase()}`,
      ...(credit.payment_index === undefined
        ? []
        : [`Payment index ${credit.payment_index} of 80`]),
    ];
    for (const [index, says] of standing.entries()) {
      const look = index === 0 ? ({ font: 'bold', size: 11 } as const) : { size: 9 };
      this.text(says, left + GAUGE_WIDTH + 14, y + 26 + index * 15, look);
    }
    const right = left + width * 0.5 + 24;
    const half = width * 0.5 - 24;
    const [bar_left, bar_width] = [right + 96, half - 96 - 50];
    this.text('Points', right, y + 2, { size: 9, font: 'bold' });
    for (const [index, { name, points, max }] of credit.factors.entries()) {
      const at = y + 18 + index * 15;
      const called = FACTOR_NAMES[name] ?? words(name);
      this.text(called, right, at, { size: 8 });
      const size = { width: bar_width, height: BAR_HEIGHT };
      this.picture(bar({ name: called, value: points, max }, size), bar_left, at + 1);
      this.text(`${points} of ${max}`, right + half - 46, at, {
        size: 8,
        colour: FAINT,
        width: 46,
        align: 'right',
      });
    }
    if (credit.factors.length === 0) {
      this.text('Not rated: no score is not a low score.', right, y + 18, { size: 8 });
    }
    this.y = y + 118;
    this.rule();
  }

  private reasons(): void {
    const { left, width } = this;
    const { reason_codes, risk } = this.content;
    this.heading('Why');
    const column = width / 2 - 8;
    const sides = [
      ['Lowers the score', reason_codes.filter(({ direction }) => direction === 'NEGATIVE')],
      ['Speaks for the subject', reason_codes.filter(({ direction }) => direction === 'POSITIVE')],
    ] as const;
    let deepest = this.y;
    for (const [side, [title, reasons]] of sides.entries()) {
      const x = left + side * (column + 16);
      let y = this.y;
      this.text(title, x, y, { size: 8, colour: FAINT });
      y += 13;
      if (reasons.length === 0) {
        this.text('Nothing.', x, y, { size: 9 });
        y += 13;
      }
      for (const { code, text, points_lost } of reasons) {
        const cost = points_lost > 0 ? `  –${points_lost}` : '';
        this.text(code, x, y, {
          size: 8,
          font: 'bold',
          colour: side === 0 ? '#a83232' : '#2e8b57',
        });
        this.text(`${text}${cost}`, x + 30, y, { size: 8.5, width: column - 30 });
        y = Math.max(y + 13, this.text_bottom + 2);
      }
      deepest = Math.max(deepest, y);
    }
    this.y = deepest;
    if (risk.caps_applied.length > 0) {
      const caps = risk.caps_applied.map((cap) => words(cap).toLowerCase()).join(', ');
      this.text(`The score is held down by a ceiling: ${caps}.`, left, this.y, {
        size: 8.5,
        width,
      });
      this.y += 13;
    }
    this.y += 5;
  }

  private figures(): void {
    const { history, risk } = this.content;
    const accounts = history.accounts_by_status.reduce((sum, { count }) => sum + count, 0);
    const figures: [string, string][] = [
      ['Accounts', `${accounts} at ${counted(history.institution_count, 'institution')}`],
      ['Oldest account', counted(history.oldest_account_months, 'month')],
      ['Account-months of 24 months', `${history.on_time_24m} paid, ${history.late_24m} late`],
      ['Hard inquiries', `${history.hard_inquiries_12m} in 12 months`],
      ['Worst standing now', words(risk.worst_current_status ?? 'NONE')],
      ['Days past due', String(risk.max_days_past_due)],
      ['Active defaults', String(risk.active_defaults)],
      ['Stage', String(risk.stage)],
      ...history.totals.flatMap(({ currency, balance, limit }): [string, string][] => [
        ['Owed', `${money(balance)} ${currency}`],
        ['Limits of revolving credit', `${money(limit)} ${currency}`],
      ]),
    ];
    if (risk.disputed_account_count > 0) {
      const amounts = risk.disputed_balance.map(
        ({ currency, amount }) => `${money(amount)} ${currency}`,
      );
      figures.push(['Under dispute', `${risk.disputed_account_count} (${amounts.join(', ')})`]);
    }
    this.heading('Summary');
    this.cells(figures);
  }

  /** Names and values, four to a row. */
  private cells(figures: readonly (readonly [string, string])[]): void {
    const { pdf, left, width } = this;
    const columns = 4;
    const cell = width / columns;
    const rows = Math.ceil(figures.length / columns);
    this.ensure(rows * 29);
    for (const [index, [name, value]] of figures.entries()) {
      const x = left + (index % columns) * cell;
      const y = this.y + Math.floor(index / columns) * 29;
      pdf.rect(x, y, cell - 4, 26).fill(SHADE);
      const box = { width: cell - 14, height: 11 };
      this.text(name, x + 5, y + 3, { size: 7, colour: FAINT, ...box });
      this.text(value, x + 5, y + 12.5, { size: 8.5, font: 'bold', ...box });
    }
    this.y += rows * 29 + 6;
  }

  /** Who the organisation is, how it pays its bills, and whom it owes. */
  private commercial({ organisation, payment_quarters, exposure }: Commercial): void {
    const { founded_at, years_since_founding, on_file_since } = organisation;
    const since =
      founded_at === undefined
        ? 'not known'
        : `${dateOf(founded_at)} (${counted(years_since_founding ?? 0, 'year')})`;
    this.heading('The organisation');
    this.cells([
      ['Legal name', organisation.legal_name ?? 'not known'],
      ['Trading name', organisation.trading_name ?? 'none'],
      ['Registration number', organisation.registration_number ?? 'not known'],
      [
        'Kind',
        organisation.organisation_kind ? words(organisation.organisation_kind) : 'not known',
      ],
      ['Founded', since],
      ['On file since', on_file_since ?? 'no account'],
    ]);
    this.table('Payment index by quarter, 80 is prompt', payment_quarters, [
      { title: 'Quarter', share: 1, text: ({ quarter }) => quarter },
      {
        title: 'Payments',
        share: 1,
        align: 'right',
        text: ({ payment_count }) => String(payment_count),
      },
      {
        title: 'Index',
        share: 1,
        align: 'right',
        text: ({ payment_index }) =>
          payment_index === undefined ? 'too few' : String(payment_index),
      },
      { title: '', share: 5, text: ({ payment_index }) => '▅'.repeat((payment_index ?? 0) / 4) },
    ]);
    if (exposure.length === 0) return;
    this.table('Owed on open accounts, by what the institution is', exposure, [
      { title: 'Owed to', share: 1.4, text: ({ institution_kind }) => words(institution_kind) },
      {
        title: 'Institutions',
        share: 1.1,
        align: 'right',
        text: ({ institution_count }) => String(institution_count),
      },
      {
        title: 'Accounts',
        share: 1,
        align: 'right',
        text: ({ account_count }) => String(account_count),
      },
      { title: 'Granted', share: 2, align: 'right', text: ({ granted }) => money(granted) },
      { title: 'Owed', share: 2, align: 'right', text: ({ balance }) => money(balance) },
      {
        title: 'Past due',
        share: 2,
        align: 'right',
        text: ({ past_due_balance }) => money(past_due_balance),
      },
      {
        title: 'Disputed',
        share: 2,
        align: 'right',
        text: ({ disputed_balance }) => money(disputed_balance),
      },
      { title: '', share: 1, text: ({ currency }) => currency },
      { title: 'Worst', share: 1.3, text: ({ worst_bucket }) => words(worst_bucket) },
    ]);
  }

  private chart(): void {
    const { score_history, report, credit } = this.content;
    if (credit.score === undefined && score_history.length === 0) {
      this.heading('Score over time', 16);
      this.text('There has been no score yet.', this.left, this.y, { size: 8.5 });
      this.y += 18;
      return;
    }
    this.heading('Score over time', 118);
    // What the report says now is where the line ends, kept as a snapshot or not.
    const now = { calculated_at: report.as_of, score: credit.score };
    const size = { width: this.width, height: 106, until: report.as_of };
    const line = scoreLine([now, ...score_history], size);
    if (line === undefined) {
      this.text('No score was kept yet.', this.left, this.y, { size: 8.5 });
    } else {
      this.picture(line, this.left, this.y);
    }
    this.y += 112;
  }

  private grid(): void {
    const { history, trade_lines } = this.content;
    this.heading('Payments of the last 24 months, the newest on the left', 44);
    this.months();
    this.gridRow('All accounts', history.payment_grid, true);
    for (const line of (trade_lines ?? []).slice(0, MAX_ROWS_DRAWN)) {
      if (this.ensure(12)) this.months();
      this.gridRow(`${line.ref} ${words(line.account_type)}`, line.payment_grid, false);
    }
    this.ensure(14);
    let x = this.left;
    for (const [mark, { name, briefly }] of GRID_MARKS) {
      const says = `${mark} ${briefly}`;
      this.pdf.rect(x, this.y + 3, 8, 8).fill(fillOf(`grid-cell-${name}`));
      this.text(says, x + 11, this.y + 2.5, { size: 6.5, colour: FAINT });
      x += 18 + this.typesetter.width(says, { font: 'regular', size: 6.5 });
    }
    this.y += 20;
  }

  private readonly grid_left = 132;

  private cellWidth(): number {
    return (this.width - this.grid_left) / 24;
  }

  private months(): void {
    const months = gridMonths('-'.repeat(24), this.content.report.as_of);
    for (const [age, { month }] of months.entries()) {
      const x = this.left + this.grid_left + age * this.cellWidth();
      const box = {
        size: 6,
        colour: FAINT,
        width: this.cellWidth() - CELL.gap,
        align: 'center' as const,
      };
      this.text(String(month.getUTCMonth() + 1), x, this.y + 7, box);
      if (age === 0 || month.getUTCMonth() === 11) {
        this.text(String(month.getUTCFullYear()), x - 4, this.y, { ...box, width: box.width + 8 });
      }
    }
    this.y += 16;
  }

  private gridRow(name: string, grid: string, is_total: boolean): void {
    const { left, y } = this;
    this.text(name, left, y + 1.5, {
      size: 7.5,
      font: is_total ? 'bold' : 'regular',
      width: this.grid_left - 6,
      height: 10,
    });
    const layout = {
      columns: 24,
      width: this.cellWidth() - CELL.gap,
      label: 0,
      radius: 0,
      ...CELL,
    };
    const picture = paymentGrid(grid, this.content.report.as_of, layout);
    this.picture(picture, left + this.grid_left, y);
    this.y += 12;
  }

  // --- The record

  private tradeLines(lines: readonly TradeLine[]): void {
    const drawn = lines.slice(0, MAX_ROWS_DRAWN);
    this.table(withoutRest('Trade lines', drawn, lines), drawn, [
      { title: '', share: 0.7, text: ({ ref }) => ref },
      {
        title: 'Institution',
        share: 3,
        text: ({ furnisher, external_account_id }) =>
          external_account_id === undefined ? furnisher : `Yours, ${isolated(external_account_id)}`,
      },
      { title: 'Kind', share: 1.8, text: ({ account_type }) => words(account_type) },
      { title: 'Opened', share: 1.6, text: ({ opened_on }) => opened_on },
      { title: 'Closed', share: 1.6, text: ({ closed_on }) => closed_on ?? '' },
      {
        title: 'Limit or principal',
        share: 1.9,
        align: 'right',
        text: ({ credit_limit, original_principal }) => money(credit_limit ?? original_principal),
      },
      {
        title: 'Owed',
        share: 2,
        align: 'right',
        text: ({ balance, currency }) => `${money(balance)} ${currency}`,
      },
      { title: 'Standing', share: 1.6, text: ({ status }) => words(status) },
      {
        title: 'Days late',
        share: 1.1,
        align: 'right',
        text: ({ days_past_due }) => String(days_past_due),
      },
    ]);
  }

  private table<Row>(title: string, rows: readonly Row[], columns: readonly Column<Row>[]): void {
    this.heading(title, 40);
    const total = columns.reduce((sum, { share }) => sum + share, 0);
    const head = () => {
      this.row(
        columns.map((column) => column.title),
        columns,
        total,
        { head: true, shaded: false },
      );
    };
    head();
    for (const [index, row] of rows.entries()) {
      if (this.ensure(13)) head();
      const texts = columns.map((column) => column.text(row));
      this.row(texts, columns, total, { head: false, shaded: index % 2 === 1 });
    }
    this.y += 8;
  }

  private row<Row>(
    texts: readonly string[],
    columns: readonly Column<Row>[],
    total: number,
    { head, shaded }: { head: boolean; shaded: boolean },
  ): void {
    const { pdf, left, width, y } = this;
    if (shaded) pdf.rect(left, y - 1.5, width, 13).fill(SHADE);
    let x = left;
    for (const [index, column] of columns.entries()) {
      const wide = (width * column.share) / total;
      const size = head ? 7 : 7.5;
      this.text(texts[index] ?? '', x + 2, y, {
        size,
        colour: head ? FAINT : INK,
        width: wide - 4,
        height: 10,
        align: column.align ?? 'left',
      });
      x += wide;
    }
    this.y += 13;
    if (head) {
      pdf
        .moveTo(left, this.y - 3)
        .lineTo(left + width, this.y - 3)
        .lineWidth(0.5)
        .stroke(LINE);
    }
  }

  private notice(): void {
    const { pdf, left, width } = this;
    const { notice } = this.content;
    const style: Style = { font: 'regular', size: 8 };
    const lines = this.typesetter.lines(notice, style, width - 20, MAX_LINES);
    const height = lines.length * (style.size * LINE_HEIGHT + 1.5);
    this.ensure(height + 34);
    pdf.rect(left, this.y, width, height + 28).fill(SHADE);
    this.text('Permissible use', left + 10, this.y + 7, { size: 8, font: 'bold' });
    this.text(notice, left + 10, this.y + 20, { size: 8, width: width - 20, lineGap: 1.5 });
    this.y += height + 34;
  }

  private footers(): void {
    const { pdf, left, width, content } = this;
    const { start, count } = pdf.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      pdf.switchToPage(page);
      // Below the bottom margin, where pdfkit would begin another page.
      pdf.page.margins.bottom = 0;
      const y = pdf.page.height - MARGIN - 2;
      this.text(`${content.report.id} · as of ${content.report.as_of}`, left, y, {
        size: 7,
        colour: FAINT,
      });
      this.text(`Page ${page - start + 1} of ${count}`, left, y, {
        size: 7,
        colour: FAINT,
        width,
        align: 'right',
      });
    }
  }

  // --- Small things

  private picture(picture: Picture, x: number, y: number, width?: number): void {
    drawPicture(this.pdf, this.typesetter, picture, { x, y, ...(width && { width }) });
  }

  private heading(text: string, room = 30): void {
    this.ensure(room + 18);
    this.text(text, this.left, this.y, { size: 10.5, font: 'bold', colour: ACCENT });
    this.y += 18;
  }

  private rule(): void {
    const { pdf, left, width } = this;
    pdf
      .moveTo(left, this.y)
      .lineTo(left + width, this.y)
      .lineWidth(0.7)
      .stroke(LINE);
    this.y += 10;
  }

  /** Begins another page unless there is room; true when it did. */
  private ensure(height: number): boolean {
    if (this.y + height <= this.bottom) return false;
    this.pdf.addPage();
    this.y = MARGIN;
    return true;
  }

  /** Where the last text ended. */
  private text_bottom = 0;

  private text(text: string, x: number, y: number, look: Look): void {
    const { size, font = 'regular', colour = INK, width, height, align, lineGap = 0 } = look;
    const style: Style = { font, size };
    const line_height = size * LINE_HEIGHT + lineGap;
    const most =
      height === undefined ? MAX_LINES : Math.max(1, Math.floor((height + 0.5) / line_height));
    const lines =
      width === undefined
        ? [text]
        : most === 1
          ? [this.typesetter.fitted(text, style, width)]
          : this.typesetter.lines(text, style, width, most);
    for (const [index, line] of lines.entries()) {
      const room = (width ?? 0) - (width === undefined ? 0 : this.typesetter.width(line, style));
      const indent = align === 'right' ? room : align === 'center' ? room / 2 : 0;
      this.typesetter.draw(line, x + indent, y + index * line_height, style, colour);
    }
    this.text_bottom = y + lines.length * line_height;
  }
}

/** The newest rows by when they were recorded, in the order that they had. */
function newest<Row extends { readonly reported_at: string }>(
  rows: readonly Row[],
  most: number,
): readonly Row[] {
  if (rows.length <= most) return rows;
  const kept = new Set(
    [...rows].sort((a, b) => (a.reported_at < b.reported_at ? 1 : -1)).slice(0, most),
  );
  return rows.filter((row) => kept.has(row));
}

/** A heading that says what is left out. */
function withoutRest(title: string, drawn: readonly unknown[], all: readonly unknown[]): string {
  if (drawn.length === all.length) return title;
  return `${title}: ${drawn.length} of ${all.length}, the rest is in the JSON and CSV reports`;
}

/** `TERM_LOAN` as "Term loan". */
function words(name: string): string {
  const lower = name.toLowerCase().replaceAll('_', ' ');
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

function dateOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** With blanks between thousands, and two decimals. */
function money(minor: bigint | undefined): string {
  if (minor === undefined) return '';
  const [whole = '', cents = ''] = amountText(minor).split('.');
  const thousands: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) {
    thousands.unshift(whole.slice(Math.max(0, end - 3), end));
  }
  return `${thousands.join('\u202f')}.${cents.padEnd(2, '0')}`;
}

/** `1 month`, `2 months`. */
function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
