import { type Group, type Mark, type Picture, rounded, share } from './picture';

/** What was counted in one of the columns. */
export interface Counted {
  /** When the column begins, as a reader is told it. */
  readonly at: string;
  readonly value: number;
  /** Of another kind, which is bad: on top of the others. */
  readonly bad?: number;
}

const SIZE = { width: 480, height: 96 };

/**
 * Counts of times that follow each other, a column each; undefined when nothing was counted. `bad` says
 * what the bad ones are, as `attempts failed`.
 */
export function columns(name: string, of: readonly Counted[], bad?: string): Picture | undefined {
  const { width, height } = SIZE;
  const max = Math.max(1, ...of.map((one) => one.value + (one.bad ?? 0)));
  const step = width / Math.max(1, of.length);
  const sum = of.reduce((all, { value }) => all + value, 0);
  const sum_bad = of.reduce((all, one) => all + (one.bad ?? 0), 0);
  if (sum + sum_bad === 0) return undefined;
  // What is not nothing is seen.
  const tall = (value: number) =>
    value === 0 ? 0 : Math.max(2, rounded(height * share(value, 0, max)));
  const groups = of.flatMap(({ at, value, bad: number = 0 }, index): Group[] => {
    const column = (role: 'bar-value' | 'bar-bad', y: number, high: number): Mark => ({
      kind: 'rect',
      role,
      x: rounded(index * step + step * 0.1),
      y: rounded(Math.max(0, y)),
      width: rounded(step * 0.8),
      height: high,
    });
    const foot = height - tall(value);
    return [
      { title: `${at}: ${value}`, marks: [column('bar-value', foot, tall(value))] },
      ...(number === 0
        ? []
        : [
            {
              title: `${at}: ${number} ${bad}`,
              marks: [column('bar-bad', foot - tall(number), tall(number))],
            },
          ]),
    ];
  });
  const said = bad === undefined ? '' : `, and ${sum_bad} ${bad}`;
  return {
    name: 'count-columns',
    says: `${name}: ${sum} in all${said}, ${max} at most`,
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
