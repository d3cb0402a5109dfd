import { decideRefresh, type PresentedToken } from '../../src/domain/sessions';

const fresh: PresentedToken = {
  is_expired: false,
  is_session_over: false,
  used_ago_ms: undefined,
  superseded_ago_ms: undefined,
  is_successor_used: false,
};

test('a token that was not used gives a pair, once', () => {
  expect(decideRefresh(fresh)).toBe('rotate');
});

test('a repeat gives another pair for ten seconds, while its successor is unused', () => {
  expect(decideRefresh({ ...fresh, used_ago_ms: 0 })).toBe('repeat');
  expect(decideRefresh({ ...fresh, used_ago_ms: 10_000 })).toBe('repeat');
  expect(decideRefresh({ ...fresh, used_ago_ms: 10_001 })).toBe('reuse');
  expect(decideRefresh({ ...fresh, used_ago_ms: 1, is_successor_used: true })).toBe('reuse');
});

test('an ended session or an expired token gives nothing, and is no theft either', () => {
  expect(decideRefresh({ ...fresh, is_session_over: true })).toBe('refuse');
  expect(decideRefresh({ ...fresh, is_expired: true })).toBe('refuse');
  expect(decideRefresh({ ...fresh, is_session_over: true, used_ago_ms: 60_000 })).toBe('refuse');
});

test('what another pair was given in place of gives nothing, and later it is theft', () => {
  expect(decideRefresh({ ...fresh, superseded_ago_ms: 0 })).toBe('refuse');
  expect(decideRefresh({ ...fresh, superseded_ago_ms: 10_000 })).toBe('refuse');
  expect(decideRefresh({ ...fresh, superseded_ago_ms: 10_001 })).toBe('reuse');
});
