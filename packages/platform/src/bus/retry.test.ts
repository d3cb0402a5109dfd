import { MAX_DELAY_MS, MAX_UNAVAILABLE_DELAY_MS, retryDelay } from './retry';

const middle = () => 0.5;

describe('the delay before the next delivery', () => {
  it('grows threefold up to its bound', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((n) => retryDelay(n, MAX_DELAY_MS, middle));
    expect(delays).toEqual([500, 1_500, 4_500, 13_500, 40_500, 121_500, 300_000, 300_000, 300_000]);
  });

  it('stays short when a peer is away', () => {
    expect(retryDelay(50, MAX_UNAVAILABLE_DELAY_MS, middle)).toBe(MAX_UNAVAILABLE_DELAY_MS);
  });

  it('differs by a quarter either way, and is never nothing', () => {
    expect(retryDelay(1, MAX_DELAY_MS, () => 0)).toBe(375);
    expect(retryDelay(1, MAX_DELAY_MS, () => 0.999_999)).toBe(625);
    expect(retryDelay(0, MAX_DELAY_MS, () => 0)).toBe(375);
  });
});
