import type { FC } from 'hono/jsx';

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

/** What a letter of the payment grid says. */
const GRID: Readonly<Record<string, string>> = {
  '0': 'kept',
  '1': 'late by days',
  '2': '30 days past due or more',
  '3': '60 days past due or more',
  '4': '90 days past due or more',
  '5': '120 days past due or more',
  D: 'in default',
  W: 'written off',
  '-': 'nothing known',
};

/** Two years of payments, a box a month, the newest first. */
export const PaymentGrid: FC<{ grid: string; until: string }> = ({ grid }) => (
  <ol class="grid" aria-label="Payments of the last 24 months, newest first">
    {[...grid].map((month) => (
      <li
        class={month === '0' ? 'good' : month === '-' ? 'none' : 'bad'}
        title={GRID[month] ?? month}
      >
        {month}
      </li>
    ))}
  </ol>
);

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
