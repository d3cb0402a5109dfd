import fc from 'fast-check';
import {
  dayOfDate,
  dayOfInstant,
  firstDayOfMonth,
  instantOfDay,
  lastDayOfMonth,
  monthOfDay,
  wholeMonthsBetween,
} from '../../src/domain/model/calendar';

const day = fc.integer({ min: -40_000, max: 60_000 });

test('days and months are those of the UTC calendar', () => {
  fc.assert(
    fc.property(day, (one) => {
      const date = new Date(instantOfDay(one));
      expect(monthOfDay(one)).toBe(date.getUTCFullYear() * 12 + date.getUTCMonth());
      expect(dayOfDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())).toBe(one);
      expect(dayOfInstant(date.getTime() + 86_399_999)).toBe(one);
    }),
  );
});

test('a month is its first to its last day', () => {
  fc.assert(
    fc.property(day, (one) => {
      const month = monthOfDay(one);
      expect(firstDayOfMonth(month)).toBeLessThanOrEqual(one);
      expect(lastDayOfMonth(month)).toBeGreaterThanOrEqual(one);
      expect(monthOfDay(lastDayOfMonth(month) + 1)).toBe(month + 1);
    }),
  );
});

test('whole months are complete ones, and never shrink as time goes on', () => {
  const between = (from: [number, number, number], to: [number, number, number]) =>
    wholeMonthsBetween(dayOfDate(...from), dayOfDate(...to));
  expect(between([2026, 1, 15], [2026, 2, 14])).toBe(0);
  expect(between([2026, 1, 15], [2026, 2, 15])).toBe(1);
  expect(between([2026, 1, 31], [2026, 2, 28])).toBe(0);
  expect(between([2024, 2, 29], [2026, 3, 1])).toBe(24);
  expect(between([2026, 2, 15], [2026, 1, 15])).toBe(0);
  fc.assert(
    fc.property(day, day, fc.nat({ max: 500 }), (from, to, later) => {
      expect(wholeMonthsBetween(from, to + later)).toBeGreaterThanOrEqual(
        wholeMonthsBetween(from, to),
      );
    }),
  );
});
