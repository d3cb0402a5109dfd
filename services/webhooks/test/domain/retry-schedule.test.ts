import fc from 'fast-check';
import { retryAfterMs, waitAfter } from '../../src/domain/retry-schedule';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

describe('waits between attempts', () => {
  test('follow the table without jitter', () => {
    const waits_s = [1, 2, 3, 4, 5, 6, 7].map(
      (attempt) => waitAfter(attempt, { base_ms: 60_000, chance: 0, now_ms: NOW_MS }) / 1000,
    );
    expect(waits_s).toEqual([60, 180, 540, 1620, 3600, 3600, 3600]);
  });

  test('are at most a fifth shorter and scale with the base', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, base_ms, chance) => {
          const full = waitAfter(attempt, { base_ms, chance: 0, now_ms: NOW_MS });
          const wait = waitAfter(attempt, { base_ms, chance, now_ms: NOW_MS });
          expect(wait).toBeLessThanOrEqual(full);
          expect(wait).toBeGreaterThanOrEqual(Math.floor(full * 0.8));
          expect(full).toBeLessThanOrEqual(60 * base_ms);
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['7', 7_000],
    [' 120 ', 120_000],
    ['3600', 3_600_000],
    ['86400', 3_600_000],
    ['9999999999', 3_600_000],
    ['Sun, 01 Mar 2026 12:01:30 GMT', 90_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Sun, 01 Mar 2026 23:00:00 GMT', 3_600_000],
    ['Sun, 99 Mar 2026 12:01:30 GMT', 0],
    ['-5', 0],
    ['1.5', 0],
    ['1e3', 0],
    ['soon', 0],
    ['2026-03-01T12:01:30Z', 0],
    ['99999999999999999999999', 0],
    ['', 0],
    [undefined, 0],
  ])('%p is %p ms', (header, wait_ms) => {
    expect(retryAfterMs(header, NOW_MS)).toBe(wait_ms);
  });
});
