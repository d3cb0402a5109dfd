import * as fc from 'fast-check';
import { businessDaysAfter } from '../../src/domain/business-days';

const DAY_MS = 86_400_000;
const at = (text: string) => Date.parse(text);

describe('business days', () => {
  test.each([
    ['Monday', '2026-11-23T09:30:00.000Z', '2026-11-27T09:30:00.000Z'],
    ['Tuesday', '2026-11-24T09:30:00.000Z', '2026-11-30T09:30:00.000Z'],
    ['Friday, a second before midnight', '2026-11-27T23:59:59.000Z', '2026-12-03T23:59:59.000Z'],
    ['Saturday', '2026-11-28T00:00:00.000Z', '2026-12-03T00:00:00.000Z'],
    ['Sunday', '2026-11-29T12:00:00.000Z', '2026-12-03T12:00:00.000Z'],
  ])('four from a %s on', (_day, from, until) => {
    expect(businessDaysAfter(at(from), 4)).toBe(at(until));
  });

  test('none are the same moment', () => {
    expect(businessDaysAfter(at('2026-11-28T00:00:00.000Z'), 0)).toBe(
      at('2026-11-28T00:00:00.000Z'),
    );
  });

  test('end on a business day at the same time of day, with as many between', () => {
    const time = fc.integer({ min: 0, max: at('2100-01-01T00:00:00.000Z') });
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 60 }), (from_ms, days) => {
        const until_ms = businessDaysAfter(from_ms, days);
        const whole = Math.round((until_ms - from_ms) / DAY_MS);
        expect(until_ms).toBe(from_ms + whole * DAY_MS);
        const between = Array.from({ length: whole }, (_, index) =>
          new Date(from_ms + (index + 1) * DAY_MS).getUTCDay(),
        ).filter((day) => day >= 1 && day <= 5);
        expect(between).toHaveLength(days);
        expect([1, 2, 3, 4, 5]).toContain(new Date(until_ms).getUTCDay());
      }),
    );
  });
});
