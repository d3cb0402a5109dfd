import { type Group, type Picture, rounded, share } from './picture';

/** What was counted in one of the columns. */
export interface Counted {
  /** When the column begins, as a reader is told it. */
  readonly at: string;
  readonly value: number;
}

const SIZE = { width: 480, height: 96 };

/** Counts of times that follow each other, a column each; undefined when nothing was counted. */
export function columns(name: string, of: readonly Counted[]): Picture | undefined {
  const { width, height } = SIZE;
  const max = Math.max(1, ...of.map(({ value }) => value));
  const step = width / Math.max(1, of.length);
  const sum = of.reduce((all, { value }) => all + value, 0);
  if (sum === 0) return undefined;
  const groups = of.map(({ at, value }, index): Group => {
    // What is not nothing is seen.
    const tall = value === 0 ? 0 : Math.max(2, rounded(height * share(value, 0, max)));
    return {
      title: `${at}: ${value}`,
      marks: [
        {
          kind: 'rect',
          role: 'bar-value',
          x: rounded(index * step + step * 0.1),
          y: rounded(height - tall),
          width: rounded(step * 0.8),
          height: tall,
        },
      ],
    };
  });
  return {
    name: 'count-columns',
    says: `${name}: ${sum} in all, ${max} at most`,
    x: 0,
    y: 0,
    width,
    height,
    stretches: true,
    groups: [
      ...groups,
      { marks: [{ kind: 'path', role: 'trend-base', d: `M 0 ${height} H ${width}` }] },
    ],
  };
}
