import { isAppError } from '@credit/platform/errors';
import {
  checkMove,
  correctionReason,
  isSameOrder,
  type MoveDraft,
  type MoveOrder,
  type MoveStep,
  type MoveTarget,
  type Moving,
  parseMove,
  pauseAfter,
  stepAfter,
} from '../../src/domain/move';

const draft = (fields: Partial<MoveDraft> = {}): MoveDraft => ({
  status: 'RESOLVED_UPHELD',
  resolution: 'The ledger was looked at.',
  correction: undefined,
  ...fields,
});
const order = (fields: Partial<MoveOrder> = {}): MoveOrder => ({
  status: 'RESOLVED_CORRECTED',
  resolution: 'Mended.',
  correction: null,
  ...fields,
});

/** The code of what is thrown, with the fields it names. */
function thrownBy(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [error.code, ...error.details.map(({ path }) => path)].join(' ');
  }
  return 'accepted';
}

describe('a decision', () => {
  test.each<[string, Partial<MoveDraft>]>([
    ['accepted', {}],
    ['accepted', { status: 'UNDER_REVIEW', resolution: undefined }],
    ['accepted', { status: 'UNDER_REVIEW' }],
    ['accepted', { status: 'RESOLVED_CORRECTED', correction: new Uint8Array() }],
    ['accepted', { resolution: '😀'.repeat(5_000) }],
    ['VALIDATION_ERROR status', { status: undefined }],
    ['VALIDATION_ERROR status', { status: 'OPEN' }],
    ['VALIDATION_ERROR resolution', { resolution: undefined }],
    ['VALIDATION_ERROR resolution', { status: 'REJECTED', resolution: undefined }],
    ['VALIDATION_ERROR resolution', { status: 'RESOLVED_CORRECTED', resolution: '' }],
    ['VALIDATION_ERROR resolution', { resolution: ' ' }],
    ['VALIDATION_ERROR resolution', { resolution: 'x'.repeat(5_001) }],
    ['VALIDATION_ERROR resolution', { resolution: 'half \ud800' }],
    ['VALIDATION_ERROR correction', { correction: new Uint8Array() }],
    ['VALIDATION_ERROR correction', { status: 'UNDER_REVIEW', correction: new Uint8Array() }],
  ])('is %s: %j', (expected, fields) => {
    expect(thrownBy(() => parseMove(draft(fields)))).toBe(expected);
  });

  test('is the same only when all of it is', () => {
    const given = order({ correction: Uint8Array.of(8, 4) });
    expect(isSameOrder(given, order({ correction: Uint8Array.of(8, 4) }))).toBe(true);
    for (const other of [
      order({ status: 'REJECTED', correction: given.correction }),
      order({ resolution: 'Mended!', correction: given.correction }),
      order({ correction: Uint8Array.of(8, 5) }),
      order(),
    ]) {
      expect(isSameOrder(given, other)).toBe(false);
    }
    expect(isSameOrder(order(), order({ correction: new Uint8Array() }))).toBe(false);
  });
});

describe('a dispute', () => {
  const OUTCOMES: MoveTarget[] = ['RESOLVED_CORRECTED', 'RESOLVED_UPHELD', 'REJECTED'];
  const go = (status: Parameters<typeof checkMove>[0]['status'], to: MoveTarget) =>
    thrownBy(() => checkMove({ status, credit_event_id: null }, order({ status: to })));

  test('goes from OPEN to a review or an outcome, and from a review to an outcome', () => {
    for (const to of OUTCOMES) {
      expect(go('OPEN', to)).toBe('accepted');
      expect(go('UNDER_REVIEW', to)).toBe('accepted');
    }
    expect(go('OPEN', 'UNDER_REVIEW')).toBe('accepted');
    expect(go('UNDER_REVIEW', 'UNDER_REVIEW')).toBe('INVALID_STATE_TRANSITION');
  });

  test('goes nowhere from an outcome', () => {
    for (const from of OUTCOMES) {
      for (const to of [...OUTCOMES, 'UNDER_REVIEW'] as const) {
        expect(go(from, to)).toBe('INVALID_STATE_TRANSITION');
      }
    }
  });

  test('that names no event has nothing to correct', () => {
    const correction = new Uint8Array();
    const named = { status: 'OPEN' as const, credit_event_id: 'an event' };
    expect(thrownBy(() => checkMove(named, order({ correction })))).toBe('accepted');
    const bare = { ...named, credit_event_id: null };
    expect(thrownBy(() => checkMove(bare, order({ correction })))).toBe(
      'VALIDATION_ERROR correction',
    );
  });
});

describe('the steps of a move', () => {
  function pathOf(fields: Partial<Moving>): MoveStep[] {
    const moving: Moving = {
      from: 'OPEN',
      to: 'UNDER_REVIEW',
      credit_event_id: 'an event',
      account_id: 'an account',
      ...fields,
    };
    const path: MoveStep[] = [];
    for (let step: MoveStep = 'LOCATE'; step !== 'FINISH'; ) {
      step = stepAfter(step, moving);
      path.push(step);
    }
    return path;
  }

  test.each<[string, Partial<Moving>, MoveStep[]]>([
    ['a review', {}, ['COUNT', 'SETTLE', 'FINISH']],
    ['a review of nothing on record', { account_id: null }, ['FINISH']],
    ['an outcome without a review', { to: 'RESOLVED_UPHELD' }, ['FINISH']],
    ['a correction without a review', { to: 'RESOLVED_CORRECTED' }, ['CORRECT', 'FINISH']],
    [
      'an outcome after a review',
      { from: 'UNDER_REVIEW', to: 'REJECTED' },
      ['COUNT', 'SETTLE', 'FINISH'],
    ],
    [
      'a correction after a review',
      { from: 'UNDER_REVIEW', to: 'RESOLVED_CORRECTED' },
      ['CORRECT', 'COUNT', 'SETTLE', 'FINISH'],
    ],
    [
      'a correction of no event',
      { to: 'RESOLVED_CORRECTED', credit_event_id: null, account_id: null },
      ['FINISH'],
    ],
  ])('are for %s what it needs', (_name, fields, path) => {
    expect(pathOf(fields)).toEqual(path);
  });
});

test('a failed attempt is followed by longer and longer pauses, up to a minute', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map(pauseAfter);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('a long resolution is cut where a character ends', () => {
  expect(correctionReason('short')).toBe('short');
  const reason = correctionReason(`x${'😀'.repeat(600)}`);
  expect(reason).toHaveLength(999);
  expect(reason.isWellFormed()).toBe(true);
});
