import {
  type Comparison,
  fieldOf,
  median,
  resultOf,
  roundOf,
  type Slice,
  takeTurns,
} from './interleave';

describe('median', () => {
  it('is the middle value, or the mean of the two middle ones', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow('no value');
  });
});

describe('takeTurns', () => {
  it('lets each begin by turns, and keeps what each did in its place', async () => {
    const order: string[] = [];
    const run = (name: string, speed: number) => async (slice_s: number) => {
      order.push(name);
      return { count: speed * slice_s, elapsed_s: slice_s };
    };
    const seen: number[] = [];
    const rounds = await takeTurns([run('a', 30), run('b', 100), run('c', 10)], {
      rounds: 4,
      slice_s: 2,
      onRound: (slices) => seen.push(slices.length),
    });
    expect(order.join('')).toBe('abc' + 'abc' + 'bca' + 'cab' + 'abc');
    expect(rounds.map((slices) => slices.map(({ count }) => count))).toEqual(
      Array(4).fill([60, 200, 20]),
    );
    expect(seen).toEqual([3, 3, 3, 3]);
  });

  it('wants at least four rounds', async () => {
    const run = async () => ({ count: 1, elapsed_s: 1 });
    await expect(takeTurns([run, run], { rounds: 3, slice_s: 1 })).rejects.toThrow('At least 4');
  });
});

describe('a comparison', () => {
  const about = { name: 'x', title: 'X', unit: 'calls', limit_name: 'y' } as const;
  const places = { system: 0, limit: 1 } as const;
  const slices: Slice[] = [
    { count: 300, elapsed_s: 2, p50_ms: 3, p99_ms: 8, processor_s: 0.6 },
    { count: 100, elapsed_s: 1, p50_ms: 5, p99_ms: 16, processor_s: 0.4 },
  ];

  it('is of rates, of processor time a request, or of the slowest hundredth', () => {
    const of = (measure: Comparison['measure']) =>
      roundOf(slices, { ...about, ...places, measure });
    expect(of('rate')).toEqual({ system: 150, limit: 100, ratio: 1.5, p50_ms: 3, p99_ms: 8 });
    expect(of('processor')).toEqual({ system: 2, limit: 4, ratio: 0.5 });
    expect(of('p99')).toEqual({ system: 8, limit: 16, ratio: 0.5 });
  });

  it('goes by the rounds of the same number', () => {
    const round = (ratio: number) => ({ system: ratio, limit: 1, ratio });
    expect(resultOf([0.3, 0.1, 0.9, 0.4].map(round))).toMatchObject({
      median_ratio: 0.35,
      lowest_ratio: 0.1,
      highest_ratio: 0.9,
    });
  });

  it('needs both, and that both did something', () => {
    const idle = [...slices.slice(0, 1), { count: 0, elapsed_s: 1 }];
    expect(() => roundOf(idle, { ...about, ...places, measure: 'rate' })).toThrow(
      'Nothing was done',
    );
    const comparison = { ...about, ...places, limit: 2, measure: 'rate' } as const;
    expect(() => roundOf(slices, comparison)).toThrow('did not run');
  });
});

it('makes a field of two of a contest', async () => {
  const run = async () => ({ count: 1, elapsed_s: 1 });
  const contest = { unit: 'calls', limit_name: 'nothing', system: run, limit: run };
  const field = fieldOf({ name: 'x', title: 'X', target: 0.5, ...contest });
  expect(field.comparisons).toMatchObject([{ target: 0.5, measure: 'rate', system: 0, limit: 1 }]);
  expect(field.runs).toEqual([run, run]);
});
