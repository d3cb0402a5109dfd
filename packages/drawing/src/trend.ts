import { type Picture, rounded, share } from './picture';

/** A value on one day. */
export interface TrendPoint {
  /** `2026-11-28`. */
  readonly day: string;
  readonly value: number;
}

const SIZE = { width: 240, height: 48, edge: 3 };
const DAY_MS = 86_400_000;

/**
 * How a value went from day to day, the oldest first: a line over its range from 0 on. One day is a
 * dot, none is no picture.
 */
export function trend(
  name: string,
  max: number,
  points: readonly TrendPoint[],
): Picture | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { width, height, edge } = SIZE;
  const from = Date.parse(first.day);
  const to = Math.max(Date.parse(last.day), from + DAY_MS);
  const at = ({ day, value }: TrendPoint) => ({
    x: rounded(edge + (width - 2 * edge) * (first === last ? 1 : share(Date.parse(day), from, to))),
    y: rounded(height - edge - (height - 2 * edge) * share(value, 0, max)),
  });
  const line = points.map((point) => `${at(point).x} ${at(point).y}`).join(' L ');
  return {
    name: 'trend',
    says: `${name}: from ${first.value} on ${first.day} to ${last.value} on ${last.day}, of ${max}`,
    x: 0,
    y: 0,
    width,
    height,
    groups: [
      {
        marks: [
          {
            kind: 'path',
            role: 'trend-base',
            d: `M ${edge} ${height - edge} H ${width - edge}`,
          },
          { kind: 'path', role: 'trend-line', d: `M ${line}` },
          { kind: 'circle', role: 'trend-last', ...at(last), radius: 3 },
        ],
      },
    ],
  };
}
