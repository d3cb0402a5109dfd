import { newId } from '../core';
import { lowestIdAt, timeOfId } from './lowest-id';

test('ids made before a moment are lower, those from it on are not', () => {
  const before_ms = Date.now();
  const id = newId();
  expect(lowestIdAt(before_ms) <= id).toBe(true);
  expect(id < lowestIdAt(Date.now() + 1_000)).toBe(true);
  expect(lowestIdAt(Date.UTC(2026, 0, 1))).toBe('019b76da-a800-7000-8000-000000000000');
  // Before 1970 nobody made any.
  expect(lowestIdAt(-1)).toBe(lowestIdAt(0));
  const at_ms = Date.UTC(2026, 11, 1);
  expect(timeOfId(lowestIdAt(at_ms))).toBe(at_ms);
});
