// The drawings of packages/drawing as SVG: what they are drawn with is in console.css, by role.

import {
  bar,
  type Counted,
  columns,
  type Group,
  gauge,
  gridMonths,
  type Mark,
  type Picture,
  paymentGrid,
  type ScoreAt,
  scoreLine,
  type TrendPoint,
  trend,
} from '@credit/drawing';
import type { FC } from 'hono/jsx';
import { Table } from './components';

const Svg: FC<{ of: Picture }> = ({ of: { name, says, x, y, width, height, ...picture } }) => (
  <svg
    class={name}
    viewBox={`${x} ${y} ${width} ${height}`}
    preserveAspectRatio={picture.stretches && 'none'}
    role="img"
    aria-label={says}
  >
    {picture.groups.map((group) => (
      <Marks of={group} />
    ))}
  </svg>
);

const Marks: FC<{ of: Group }> = ({ of: { tone, title, marks } }) => (
  <g class={tone && `tone-${tone}`}>
    {title !== undefined && <title>{title}</title>}
    {marks.map((mark) => (
      <Drawn mark={mark} />
    ))}
  </g>
);

const Drawn: FC<{ mark: Mark }> = ({ mark }) => {
  const { kind, role } = mark;
  switch (kind) {
    case 'rect': {
      const { x, y, width, height, radius } = mark;
      return <rect class={role} x={x} y={y} width={width} height={height} rx={radius} />;
    }
    case 'circle':
      return <circle class={role} cx={mark.x} cy={mark.y} r={mark.radius} />;
    case 'path':
      return <path class={role} d={mark.d} />;
    case 'text': {
      const { x, y, anchor, text } = mark;
      return (
        <text class={role} x={x} y={y} text-anchor={anchor}>
          {text}
        </text>
      );
    }
    default:
      return kind satisfies never;
  }
};

/** A score on its range. */
export const Gauge: FC<Parameters<typeof gauge>[0]> = (given) => <Svg of={gauge(given)} />;

/** Part of a whole, as a bar that also says itself in numbers. */
export const Bar: FC<{ value: number; max: number; name: string }> = (given) => (
  <span class="bar-row">
    <Svg of={bar(given)} />
    <span class="number">
      {given.value} / {given.max}
    </span>
  </span>
);

/** Two years of payments, a box a month, the newest first; and the same as a table. */
export const PaymentGrid: FC<{ grid: string; until: string }> = ({ grid, until }) => (
  <>
    <Svg of={paymentGrid(grid, until)} />
    <details class="as-table">
      <summary>Payments as a table</summary>
      <Table
        caption="Payments by month"
        rows={gridMonths(grid, until)}
        empty="No month."
        columns={[
          { name: 'Month', cell: ({ title }) => title },
          { name: 'Mark', cell: ({ mark }) => mark },
          { name: 'Means', cell: ({ meaning }) => meaning.says },
        ]}
      />
    </details>
  </>
);

/** How a score moved; no picture of what was never rated. */
export const ScoreLine: FC<{ scores: readonly ScoreAt[] }> = ({ scores }) => {
  const picture = scoreLine(scores);
  return picture === undefined ? null : <Svg of={picture} />;
};

/** How a value went from day to day, over its range from 0 on. */
export const Trend: FC<{ name: string; max: number; points: readonly TrendPoint[] }> = ({
  name,
  max,
  points,
}) => {
  const picture = trend(name, max, points);
  return picture === undefined ? null : <Svg of={picture} />;
};

/**
 * Counts of times that follow each other; the numbers themselves are in a table beside it. `bad` says
 * what the bad ones are.
 */
export const Columns: FC<{ name: string; of: readonly Counted[]; bad?: string }> = ({
  name,
  of,
  bad,
}) => {
  const picture = columns(name, of, bad);
  return picture === undefined ? <p class="empty">Nothing came.</p> : <Svg of={picture} />;
};
