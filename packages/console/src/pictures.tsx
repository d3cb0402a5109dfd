import { scaleLinear } from 'd3-scale';
import { arc } from 'd3-shape';
import type { FC } from 'hono/jsx';

interface GaugeProps {
  /** Undefined when not rated. */
  readonly score: number | undefined;
  readonly min: number;
  readonly max: number;
  /** What the score is called, as `Good`. */
  readonly band: string;
}

const RADIUS = 100;
const THICKNESS = 18;
/** A little more than half a circle, from the left to the right. */
const HALF_ANGLE = Math.PI * 0.55;

/** A score on its range. */
export const Gauge: FC<GaugeProps> = ({ score, min, max, band }) => {
  const angle = scaleLinear([min, max], [-HALF_ANGLE, HALF_ANGLE]).clamp(true);
  const ring = arc<readonly [number, number]>()
    .innerRadius(RADIUS - THICKNESS)
    .outerRadius(RADIUS)
    .cornerRadius(THICKNESS / 2)
    .startAngle(([from]) => from)
    .endAngle(([, to]) => to);
  const said = score === undefined ? 'Not rated' : `${score} of ${min} to ${max}: ${band}`;
  return (
    <svg class="gauge" viewBox="-110 -110 220 150" role="img" aria-label={said}>
      <path class="gauge-track" d={ring([-HALF_ANGLE, HALF_ANGLE]) ?? ''} />
      {score !== undefined && (
        <path class="gauge-value" d={ring([-HALF_ANGLE, angle(score)]) ?? ''} />
      )}
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
  const width = scaleLinear([0, Math.max(max, 1)], [0, 100]).clamp(true)(value);
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
export const PaymentGrid: FC<{ grid: string }> = ({ grid }) => (
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
