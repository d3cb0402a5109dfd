import { assertReviewable } from '../../src/domain/applications';
import { assertTransition, canBecome, INSTITUTION_STATUSES } from '../../src/domain/institutions';

test('an institution moves as the table says, and leaves CLOSED never', () => {
  const moves = INSTITUTION_STATUSES.flatMap((from) =>
    INSTITUTION_STATUSES.filter((to) => canBecome(from, to)).map((to) => `${from} -> ${to}`),
  );
  expect(moves).toEqual([
    'PENDING -> ACTIVE',
    'PENDING -> CLOSED',
    'ACTIVE -> SUSPENDED',
    'ACTIVE -> CLOSED',
    'SUSPENDED -> ACTIVE',
    'SUSPENDED -> CLOSED',
  ]);
});

test('an impossible move is a conflict', () => {
  expect(() => assertTransition('CLOSED', 'ACTIVE')).toThrow(
    expect.objectContaining({ code: 'INVALID_STATE_TRANSITION' }),
  );
  expect(() => assertTransition('ACTIVE', 'ACTIVE')).toThrow();
  expect(() => assertTransition('ACTIVE', 'SUSPENDED')).not.toThrow();
});

test('an application is reviewed once', () => {
  expect(() => assertReviewable({ status: 'PENDING' })).not.toThrow();
  for (const status of ['APPROVED', 'REJECTED'] as const) {
    expect(() => assertReviewable({ status })).toThrow(
      expect.objectContaining({ code: 'INVALID_STATE_TRANSITION' }),
    );
  }
});
