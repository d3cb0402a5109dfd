import { interleave, median } from './interleave';

describe('median', () => {
  it('is the middle value, or the mean of the two middle ones', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow('no value');
  });
});

describe('interleave', () => {
  it('compares within rounds and lets each side begin by turns', async () => {
    const order: string[] = [];
    let speed = 1;
    const result = await interleave(
      {
        unit: 'calls',
        limit_name: 'nothing',
        async system(slice_s) {
          order.push('system');
          return { count: 30 * speed * slice_s, elapsed_s: slice_s };
        },
        async limit(slice_s) {
          order.push('limit');
          return { count: 100 * speed * slice_s, elapsed_s: slice_s };
        },
      },
      {
        rounds: 4,
        slice_s: 2,
        onRound: () => {
          speed *= 0.5;
        },
      },
    );
    expect(order.slice(2)).toEqual([
      ...['system', 'limit', 'limit', 'system'],
      ...['system', 'limit', 'limit', 'system'],
    ]);
    expect(result.median_ratio).toBeCloseTo(0.3);
    expect(result.highest_ratio - result.lowest_ratio).toBeCloseTo(0);
    expect(result.rounds[3]?.system).toBeCloseTo(3.75);
  });

  it('wants at least four rounds', async () => {
    const slice = async () => ({ count: 1, elapsed_s: 1 });
    await expect(
      interleave(
        { unit: 'calls', limit_name: 'x', system: slice, limit: slice },
        { rounds: 3, slice_s: 1 },
      ),
    ).rejects.toThrow('At least 4');
  });
});
