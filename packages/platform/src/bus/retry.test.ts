import { MAX_DELAY_MS, MAX_UNAVAILABLE_DELAY_MS, retryDelay } from './retry';

const latest = () => 0;

describe('the delay before the next delivery', () => {
  it('grows threefold up to its bound', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 100].map((n) => retryDelay(n, MAX_DELAY_MS, latest));
    expect(delays).toEqual([625, 1_875, 5_625, 16_875, 50_625, 151_875, 300_000, 300_000]);
  });

  it('stays short when a peer is away', () => {
    expect(retryDelay(50, MAX_UNAVAILABLE_DELAY_MS, latest)).toBe(MAX_UNAVAILABLE_DELAY_MS);
  });

  it('is up to two fifths shorter, and never nothing', () => {
    expect(retryDelay(1, MAX_DELAY_MS, () => 0.999_999)).toBe(375);
    expect(retryDelay(0, MAX_DELAY_MS, () => 0.999_999)).toBe(375);
  });
});
