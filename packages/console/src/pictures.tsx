import type { FC } from 'hono/jsx';
import { Table } from './components';

interface GaugeProps {
  /** Undefined when not rated. */
  readonly score: number | undefined;
  readonly min: number;
  readonly max: number;
  /** What the score is called, as `Good`. */
  readonly band: string;
}

const RADIUS = 90;
/** A little more than half a circle, from the left to the right; 0 is up. */
const HALF_ANGLE = Math.PI * 0.55;

/** How far a value is on its range, from 0 to 1. */
function share(value: number, min: number, max: number): number {
  return max > min ? Math.min(1, Math.max(0, (value - min) / (max - min))) : 0;
}

/** A part of the gauge's circle, from its left end on. */
function arcTo(part: number): string {
  const pointAt = (angle: number) =>
    [RADIUS * Math.sin(angle), -RADIUS * Math.cos(angle)].map((at) => at.toFixed(2)).join(' ');
  const end = -HALF_ANGLE + 2 * HALF_ANGLE * part;
  const is_large = end + HALF_ANGLE > Math.PI ? 1 : 0;
  return `M ${pointAt(-HALF_ANGLE)} A ${RADIUS} ${RADIUS} 0 ${is_large} 1 ${pointAt(end)}`;
}

/** A score on its range. */
export const Gauge: FC<GaugeProps> = ({ score, min, max, band }) => {
  const said = score === undefined ? 'Not rated' : `${score} of ${min} to ${max}: ${band}`;
  return (
    <svg class="gauge" viewBox="-110 -110 220 150" role="img" aria-label={said}>
      <path class="gauge-track" d={arcTo(1)} />
      {score !== undefined && <path class="gauge-value" d={arcTo(share(score, min, max))} />}
      <text class="gauge-score" x="0" y="0" text-anchor="middle">
        {score ?? '–'}
      </text>
      <text class="gauge-band" x="0" y="26" text-anchor="middle">
        {band}
      </text>
    </svg>
  );
};

/** Part of a whole, as a bar that also says itself in numbers. */
export const Bar: FC<{ value: number; max: number; name: string }> = ({ value, max, name }) => {
  const width = 100 * share(value, 0, max);
  return (
    <span class="bar-row">
      <svg
        class="bar-picture"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${value} of ${max}`}
      >
        <rect class="bar-track" x="0" y="0" width="100" height="8" />
        <rect class="bar-value" x="0" y="0" width={width} height="8" />
      </svg>
      <span class="number">
        {value} / {max}
      </span>
    </span>
  );
};

/** What a mark of the payment grid says, and how good that is. */
const MARKS: Readonly<Record<string, readonly [string, 'good' | 'warn' | 'bad' | 'none']>> = {
  '0': ['Kept', 'good'],
  '1': ['Late by 1 to 29 days', 'warn'],
  '2': ['30 to 59 days past due', 'bad'],
  '3': ['60 to 89 days past due', 'bad'],
  '4': ['90 to 119 days past due', 'bad'],
  '5': ['120 days past due or more', 'bad'],
  D: ['In default', 'bad'],
  W: ['Written off', 'bad'],
  '-': ['Nothing known', 'none'],
};

const CELL = { width: 30, height: 24, gap: 4, label: 14, columns: 12 };

interface GridMonth {
  readonly mark: string;
  readonly says: string;
  readonly tone: string;
  /** The first day of the month. */
  readonly month: Date;
}

function monthsOf(grid: string, until: string): GridMonth[] {
  const last = new Date(until);
  return [...grid].map((mark, age) => {
    const [says, tone] = MARKS[mark] ?? [mark, 'none'];
    const month = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - age, 1));
    return { mark, says, tone, month };
  });
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const MONTH_OF_YEAR = new Intl.DateTimeFormat('en-GB', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** What a grid says in a sentence: how many months of each kind, the most frequent first. */
function summaryOf(months: readonly GridMonth[]): string {
  const kinds = [...Map.groupBy(months, ({ says }) => says)].map(
    ([says, all]) => [says.toLowerCase(), all.length] as const,
  );
  return kinds
    .sort(([, a], [, b]) => b - a)
    .map(([says, number]) => `${number} ${number === 1 ? 'month' : 'months'} ${says}`)
    .join(', ');
}

/** Two years of payments, a box a month, the newest first; and the same as a table. */
export const PaymentGrid: FC<{ grid: string; until: string }> = ({ grid, until }) => {
  const months = monthsOf(grid, until);
  const { width, height, gap, label, columns } = CELL;
  const row_height = height + label + gap;
  const rows = Math.ceil(months.length / columns);
  return (
    <>
      <svg
        class="grid"
        viewBox={`0 0 ${columns * (width + gap) - gap} ${rows * row_height}`}
        role="img"
        aria-label={`Payments, the newest month first: ${summaryOf(months)}`}
      >
        {months.map(({ mark, says, tone, month }, index) => {
          const x = (index % columns) * (width + gap);
          const y = Math.floor(index / columns) * row_height;
          const ends_year = month.getUTCMonth() === 11;
          return (
            <g class={`grid-${tone}`}>
              <title>{`${MONTH_OF_YEAR.format(month)}: ${says}`}</title>
              <rect x={x} y={y} width={width} height={height} rx="4" />
              <text class="grid-mark" x={x + width / 2} y={y + 16.5} text-anchor="middle">
                {mark}
              </text>
              <text class="grid-month" x={x + width / 2} y={y + height + 11} text-anchor="middle">
                {ends_year ? String(month.getUTCFullYear()) : MONTH.format(month)}
              </text>
            </g>
          );
        })}
      </svg>
      <details class="as-table">
        <summary>Payments as a table</summary>
        <Table
          caption="Payments by month"
          rows={months}
          empty="No month."
          columns={[
            { name: 'Month', cell: ({ month }) => MONTH_OF_YEAR.format(month) },
            { name: 'Mark', cell: ({ mark }) => mark },
            { name: 'Means', cell: ({ says }) => says },
          ]}
        />
      </details>
    </>
  );
};

/** A score that was in force from a moment on. */
export interface PastScore {
  readonly calculated_at: string;
  /** Null while not rated. */
  readonly score: number | null;
}

const LINE = { width: 400, height: 140, left: 28, right: 8, top: 8, bottom: 18 };
const SCORE_STEP = 50;
/** Scores of one day are no history: the line has this much room at least. */
const SHORTEST_SPAN_MS = 30 * 86_400_000;
const LINE_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * How a score moved, as steps, for a score holds until the next one. `scores` come newest first; the
 * line ends with the newest. What was not rated is no part of it.
 */
export const ScoreLine: FC<{ scores: readonly PastScore[] }> = ({ scores }) => {
  const rated = [...scores]
    .reverse()
    .flatMap(({ calculated_at, score }) =>
      score === null ? [] : [{ at_ms: Date.parse(calculated_at), score }],
    );
  const [first, last] = [rated[0], rated.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { width, height, left, right, top, bottom } = LINE;
  const all = rated.map(({ score }) => score);
  const low = Math.floor((Math.min(...all) - 1) / SCORE_STEP) * SCORE_STEP;
  const high = Math.ceil((Math.max(...all) + 1) / SCORE_STEP) * SCORE_STEP;
  const from_ms = Math.min(first.at_ms, last.at_ms - SHORTEST_SPAN_MS);
  const x = (at_ms: number) =>
    (left + (width - left - right) * share(at_ms, from_ms, last.at_ms)).toFixed(1);
  const y = (score: number) =>
    (height - bottom - (height - top - bottom) * share(score, low, high)).toFixed(1);
  const steps = rated.slice(1).map(({ at_ms, score }) => `H ${x(at_ms)} V ${y(score)}`);
  const lines = Array.from(
    { length: (high - low) / SCORE_STEP + 1 },
    (_, index) => low + index * SCORE_STEP,
  );
  const moved = `from ${first.score} on ${LINE_DAY.format(first.at_ms)} to ${last.score} on ${LINE_DAY.format(last.at_ms)}`;
  return (
    <svg
      class="score-line"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`The score ${moved}, between ${Math.min(...all)} and ${Math.max(...all)}`}
    >
      {lines.map((score) => (
        <>
          <path class="score-line-rule" d={`M ${left} ${y(score)} H ${width - right}`} />
          <text class="score-line-label" x={left - 4} y={Number(y(score)) + 3} text-anchor="end">
            {score}
          </text>
        </>
      ))}
      <text class="score-line-label" x={left} y={height - 4}>
        {LINE_DAY.format(from_ms)}
      </text>
      <text class="score-line-label" x={width - right} y={height - 4} text-anchor="end">
        {LINE_DAY.format(last.at_ms)}
      </text>
      <path
        class="score-line-steps"
        d={[`M ${x(first.at_ms)} ${y(first.score)}`, ...steps].join(' ')}
      />
      <circle class="score-line-last" cx={x(last.at_ms)} cy={y(last.score)} r="3" />
    </svg>
  );
};

/** A value on one day. */
export interface TrendPoint {
  /** `2026-11-28`. */
  readonly day: string;
  readonly value: number;
}

const TREND = { width: 240, height: 48, edge: 3 };
const DAY_MS = 86_400_000;

/**
 * How a value went from day to day, the oldest first: a line over its range from 0 on. One day is a
 * dot, none is no picture.
 */
export const Trend: FC<{ name: string; max: number; points: readonly TrendPoint[] }> = ({
  name,
  max,
  points,
}) => {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { width, height, edge } = TREND;
  const [from, to] = [
    Date.parse(first.day),
    Math.max(Date.parse(last.day), Date.parse(first.day) + DAY_MS),
  ];
  const at = ({ day, value }: TrendPoint) => [
    (edge + (width - 2 * edge) * (first === last ? 1 : share(Date.parse(day), from, to))).toFixed(
      1,
    ),
    (height - edge - (height - 2 * edge) * share(value, 0, max)).toFixed(1),
  ];
  const [x, y] = at(last);
  return (
    <svg
      class="trend"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${name}: from ${first.value} on ${first.day} to ${last.value} on ${last.day}, of ${max}`}
    >
      <path class="trend-base" d={`M ${edge} ${height - edge} H ${width - edge}`} />
      <path class="trend-line" d={`M ${points.map((point) => at(point).join(' ')).join(' L ')}`} />
      <circle class="trend-last" cx={x} cy={y} r="3" />
    </svg>
  );
};

/** What was counted in one of the columns. */
export interface Counted {
  /** When the column begins, as a reader is told it. */
  readonly at: string;
  readonly value: number;
}

const COLUMNS = { width: 480, height: 96 };

/** Counts of times that follow each other, a column each; the numbers themselves are in a table beside it. */
export const Columns: FC<{ name: string; of: readonly Counted[] }> = ({ name, of }) => {
  const { width, height } = COLUMNS;
  const max = Math.max(1, ...of.map(({ value }) => value));
  const step = width / Math.max(1, of.length);
  const sum = of.reduce((all, { value }) => all + value, 0);
  if (sum === 0) return <p class="empty">Nothing came.</p>;
  return (
    <svg
      class="count-columns"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${name}: ${sum} in all, ${max} at most`}
    >
      {of.map(({ at, value }, index) => {
        // What is not nothing is seen.
        const tall = value === 0 ? 0 : Math.max(2, height * share(value, 0, max));
        return (
          <rect
            class="bar-value"
            x={(index * step + step * 0.1).toFixed(1)}
            y={(height - tall).toFixed(1)}
            width={(step * 0.8).toFixed(1)}
            height={tall.toFixed(1)}
          >
            <title>{`${at}: ${value}`}</title>
          </rect>
        );
      })}
      <path class="trend-base" d={`M 0 ${height} H ${width}`} />
    </svg>
  );
};
