import { sliceThatFits, within } from './budget';
import { MIN_ROUNDS } from './interleave';

const field = (runs: number) => ({
  runs: Array.from({ length: runs }, () => async () => ({ count: 1, elapsed_s: 1 })),
  comparisons: [],
});

describe('sliceThatFits', () => {
  it('divides what is left among the slices, and makes them no longer than they need be', () => {
    expect(sliceThatFits(field(2), MIN_ROUNDS, 40)).toBeCloseTo(2.25);
    expect(sliceThatFits(field(2), MIN_ROUNDS, 1_000)).toBe(5);
    expect(sliceThatFits({ ...field(2), beside_s: 12 }, MIN_ROUNDS, 100)).toBeCloseTo(2.25);
  });

  it('refuses slices that would say nothing', () => {
    expect(() => sliceThatFits(field(8), MIN_ROUNDS, 40)).toThrow('40 s of its bound left');
  });
});

describe('within', () => {
  it('gives what the work gives, or says that it took too long', async () => {
    await expect(within(60, Promise.resolve(7))).resolves.toBe(7);
    const never = new Promise<never>(() => undefined);
    await expect(within(0.01, never)).rejects.toThrow('took longer');
  });
});
