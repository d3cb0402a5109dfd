import { backoffMs, sooner } from './backoff';

test('pauses double up to the longest, however often it fails', () => {
  const backoff = { first_ms: 100, longest_ms: 5_000 };
  expect([1, 2, 3, 6, 7, 1_000_000].map((failures) => backoffMs(backoff, failures))).toEqual([
    100, 200, 400, 3_200, 5_000, 5_000,
  ]);
  expect(backoffMs(backoff, 0)).toBe(100);
});

test('pauses can grow otherwise', () => {
  const backoff = { first_ms: 1_000, longest_ms: 60_000, growth: 4 };
  expect([1, 2, 3, 4].map((failures) => backoffMs(backoff, failures))).toEqual([
    1_000, 4_000, 16_000, 60_000,
  ]);
});

test('chance makes a pause shorter by its share at most', () => {
  expect(sooner(1_000, 0.25, () => 0)).toBe(1_000);
  expect(sooner(1_000, 0.25, () => 1)).toBe(750);
  expect(sooner(1_000, 1, () => 0.5)).toBe(500);
});
