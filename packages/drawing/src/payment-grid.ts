import { type Group, type MarkName, type Picture, rounded, type Tone } from './picture';

/** What a mark of a payment grid means. */
export interface MarkMeaning {
  readonly name: MarkName;
  readonly says: string;
  /** For a legend. */
  readonly briefly: string;
  readonly tone: Tone;
}

/** All marks, in the order of a legend. */
export const GRID_MARKS: ReadonlyMap<string, MarkMeaning> = new Map(
  (
    [
      ['0', 'kept', 'Kept', 'kept', 'good'],
      ['1', 'late', 'Late by 1 to 29 days', '1–29 days', 'warn'],
      ['2', 'past-30', '30 to 59 days past due', '30–59 days', 'bad'],
      ['3', 'past-60', '60 to 89 days past due', '60–89 days', 'bad'],
      ['4', 'past-90', '90 to 119 days past due', '90–119 days', 'bad'],
      ['5', 'past-120', '120 days past due or more', '120+ days', 'bad'],
      ['D', 'default', 'In default', 'default', 'bad'],
      ['W', 'written-off', 'Written off', 'written off', 'bad'],
      ['-', 'unknown', 'Nothing known', 'nothing known', 'none'],
    ] as const
  ).map(([mark, name, says, briefly, tone]) => [mark, { name, says, briefly, tone }]),
);

/** A month of a grid. */
export interface GridMonth {
  readonly mark: string;
  readonly meaning: MarkMeaning;
  /** Its first day. */
  readonly month: Date;
  /** `November 2026`. */
  readonly title: string;
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const MONTH_OF_YEAR = new Intl.DateTimeFormat('en-GB', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** The months of a grid: its first mark is of the month of `until`, each further one of the month before. */
export function gridMonths(grid: string, until: string): GridMonth[] {
  const last = new Date(until);
  return [...grid].map((mark, age) => {
    const month = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - age, 1));
    const unknown: MarkMeaning = { name: 'unknown', says: mark, briefly: mark, tone: 'none' };
    const meaning = GRID_MARKS.get(mark) ?? unknown;
    return { mark, meaning, month, title: MONTH_OF_YEAR.format(month) };
  });
}

/** How boxes stand; in units of the picture. */
export interface GridLayout {
  readonly columns: number;
  readonly width: number;
  readonly height: number;
  /** Between two boxes. */
  readonly gap: number;
  /** Room below each row for names of months; 0 for none. */
  readonly label: number;
  /** Of a box's corners. */
  readonly radius: number;
}

/** As a page has it: a year to a row. */
const PAGE: GridLayout = { columns: 12, width: 30, height: 24, gap: 4, label: 14, radius: 4 };

/** Payments, a box a month, the newest first. */
export function paymentGrid(grid: string, until: string, layout: GridLayout = PAGE): Picture {
  const { columns, width, height, gap, label, radius } = layout;
  const months = gridMonths(grid, until);
  const row_height = height + label + gap;
  const groups = months.map(({ mark, meaning, month, title }, index): Group => {
    const x = rounded((index % columns) * (width + gap));
    const y = Math.floor(index / columns) * row_height;
    const middle = rounded(x + width / 2);
    return {
      tone: meaning.tone,
      title: `${title}: ${meaning.says}`,
      marks: [
        { kind: 'rect', role: `grid-cell-${meaning.name}`, x, y, width, height, radius },
        {
          kind: 'text',
          role: 'grid-mark',
          text: mark,
          x: middle,
          // Capitals and digits are about as tall as two fifths of such a box: this centres them.
          y: rounded(y + height * 0.69),
          anchor: 'middle',
        },
        ...(label === 0
          ? []
          : [
              {
                kind: 'text',
                role: 'grid-month',
                text: monthName(month),
                x: middle,
                y: rounded(y + height + label * 0.79),
                anchor: 'middle',
              } as const,
            ]),
      ],
    };
  });
  return {
    name: 'grid',
    says: `Payments, the newest month first: ${summaryOf(months)}`,
    x: 0,
    y: 0,
    width: rounded(columns * (width + gap) - gap),
    height: Math.ceil(months.length / columns) * row_height,
    groups,
  };
}

/** Each December by its year, so that years are told apart. */
function monthName(month: Date): string {
  return month.getUTCMonth() === 11 ? String(month.getUTCFullYear()) : MONTH.format(month);
}

/** How many months of each kind, the most frequent first. */
function summaryOf(months: readonly GridMonth[]): string {
  const kinds = [...Map.groupBy(months, ({ meaning }) => meaning.says)].map(
    ([says, all]) => [says.toLowerCase(), all.length] as const,
  );
  return kinds
    .sort(([, a], [, b]) => b - a)
    .map(([says, number]) => `${number} ${number === 1 ? 'month' : 'months'} ${says}`)
    .join(', ');
}
