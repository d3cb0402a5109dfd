import { AdaptiveLimit, type Sample, type Turn } from './adaptive-limit';

const TURN_MS = 200;

/** A limit and what becomes of it. */
function limitOf(min: number, max = 1_000) {
  const limit = new AdaptiveLimit({ min, max });
  const answered = (latency_ms: number, count = 20, more: Partial<Sample> = {}) => {
    for (let i = 0; i < count; i += 1) {
      limit.record({
        operation: 'getAccount',
        is_sized: false,
        is_served: true,
        latency_ms,
        ...more,
      });
    }
  };
  /** All that may be worked on is, and more are wanted. */
  const turn = (changes: Partial<Turn> = {}) => {
    const { value } = limit;
    limit.turn({
      elapsed_ms: TURN_MS,
      peak: value,
      has_waited: true,
      late_ms: 0,
      ...changes,
    });
    return limit.value;
  };
  return { limit, answered, turn };
}

test('grows while more are wanted and answers are fast, to the bound', () => {
  const { limit, answered, turn } = limitOf(32, 200);
  expect(limit.value).toBe(64);
  for (let i = 0; i < 20; i += 1) {
    answered(20);
    turn();
  }
  expect(limit.value).toBe(200);
});

test('does not grow while nobody waits', () => {
  const { limit, answered, turn } = limitOf(32);
  answered(20);
  turn({ has_waited: false, peak: 3 });
  expect(limit.value).toBe(64);
});

test('falls by a fifth while many are slow, and not under its least', () => {
  const { answered, turn } = limitOf(32);
  answered(20);
  turn();
  answered(400);
  expect(turn()).toBe(Math.floor(72 * 0.8));
  for (let i = 0; i < 20; i += 1) {
    answered(400);
    turn();
  }
  expect(turn()).toBe(32);
});

test('stays where few are slow, or where not half of it is wanted', () => {
  const { limit, answered, turn } = limitOf(32);
  answered(20, 90);
  answered(900, 10);
  turn({ has_waited: false });
  expect(limit.value).toBe(64);
  answered(900);
  turn({ has_waited: false, peak: 31 });
  expect(limit.value).toBe(64);
});

test('what always takes long is not slow', () => {
  const { answered, turn, limit } = limitOf(32);
  answered(600);
  turn({ peak: 1, has_waited: false });
  answered(900);
  turn();
  expect(limit.value).toBeGreaterThan(64);
});

test('work of many sizes may take a second', () => {
  const { answered, turn, limit } = limitOf(32);
  answered(10, 20, { is_sized: true });
  turn({ has_waited: false });
  answered(900, 20, { is_sized: true });
  turn({ has_waited: false });
  expect(limit.value).toBe(64);
  answered(1_100, 20, { is_sized: true });
  expect(turn()).toBeLessThan(64);
});

test('an error that comes fast says nothing', () => {
  const { answered, turn, limit } = limitOf(32);
  answered(1, 100, { is_served: false });
  turn();
  expect(limit.value).toBe(64);
});

test('falls when the process itself is held up', () => {
  const { turn } = limitOf(32);
  expect(turn({ late_ms: 150 })).toBe(51);
});

test('a network that was frozen for seconds costs one or two steps, which are soon made up for', () => {
  const { answered, turn, limit } = limitOf(32);
  for (let i = 0; i < 8; i += 1) {
    answered(20);
    turn();
  }
  const before = limit.value;
  // Nothing is answered for 8 s; then all that was in hand is, at once.
  for (let i = 0; i < 40; i += 1) turn();
  answered(8_000, before);
  turn();
  expect(limit.value).toBeGreaterThan(before / 2);
  for (let i = 0; i < 5; i += 1) {
    answered(20);
    turn();
  }
  expect(limit.value).toBeGreaterThanOrEqual(before);
});

test('a network that has become slower for good becomes usual', () => {
  const { answered, turn, limit } = limitOf(32);
  answered(100);
  turn({ has_waited: false });
  const minutes = 5;
  for (let i = 0; i < (minutes * 60_000) / TURN_MS; i += 1) {
    answered(500);
    turn();
  }
  expect(limit.value).toBeGreaterThan(64);
});
