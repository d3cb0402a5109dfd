import { toTimestamp } from './clock';

test('a time is written as it is, however often and in whatever company it is asked for', () => {
  const day_ms = 86_400_000;
  // 251 days apart, and as many milliseconds, times take each other's place.
  const times = Array.from({ length: 600 }, (_unused, index) => [
    index * day_ms,
    -index * day_ms - 1,
    index,
    index * 251 + 0.5,
  ]).flat();
  for (const at_ms of [...times, ...times.toReversed(), ...times]) {
    expect(toTimestamp(at_ms)).toBe(new Date(at_ms).toISOString());
  }
});

test('what is no time is refused', () => {
  expect(() => toTimestamp(Number.NaN)).toThrow(RangeError);
  expect(() => toTimestamp(8.64e15 + 1)).toThrow(RangeError);
});
