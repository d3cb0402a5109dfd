import fc from 'fast-check';
import { type Counted, rateState, UNLIMITED } from '../../src/domain/rate-limits';

const counted: Counted = {
  minute: 29_000_000,
  minute_count: 7,
  minute_limit: 10,
  day: 20_000,
  day_count: 7,
  day_limit: 1_000,
  granted: 3,
};

test('each request of a batch sees what is left after itself', () => {
  expect([0, 1, 2].map((ordinal) => rateState(counted, ordinal))).toEqual(
    [5, 4, 3].map((remaining) => ({
      limit: 10,
      remaining,
      reset_s: 29_000_001 * 60,
      exceeded: false,
    })),
  );
});

test('requests beyond those granted are over the limit', () => {
  const full = { ...counted, minute_count: 10, day_count: 10 };
  expect(rateState(full, 2)).toMatchObject({ remaining: 0, exceeded: false });
  expect(rateState(full, 3)).toEqual({
    limit: 10,
    remaining: 0,
    reset_s: 29_000_001 * 60,
    exceeded: true,
  });
});

test('the tighter window is shown', () => {
  const day = { ...counted, day_count: 999 };
  expect(rateState(day, 2)).toEqual({
    limit: 1_000,
    remaining: 1,
    reset_s: 20_001 * 86_400,
    exceeded: false,
  });
  // Both exhausted: only the later reset helps.
  const both = { ...counted, minute_count: 10, day_count: 1_000, granted: 0 };
  expect(rateState(both, 0)).toMatchObject({
    limit: 1_000,
    reset_s: 20_001 * 86_400,
    exceeded: true,
  });
  expect(rateState({ ...counted, day_limit: UNLIMITED }, 0).limit).toBe(10);
});

test('a limit that was lowered in the window shows no negative rest', () => {
  const lowered = { ...counted, minute_count: 10, minute_limit: 5, granted: 0 };
  expect(rateState(lowered, 0)).toMatchObject({ limit: 5, remaining: 0, exceeded: true });
});

test('exactly the granted pass, whatever the batch', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), (granted, extra) => {
      const all = { ...counted, granted, minute_count: granted, minute_limit: granted };
      const states = Array.from({ length: granted + extra }, (_, ordinal) =>
        rateState(all, ordinal),
      );
      expect(states.filter((state) => !state.exceeded)).toHaveLength(granted);
      expect(states.every((state) => state.remaining >= 0)).toBe(true);
    }),
  );
});
