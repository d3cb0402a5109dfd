import { isAppError } from '@credit/platform/errors';
import {
  checkMove,
  chosenOf,
  correctionReason,
  coverageOf,
  type Decidable,
  isSameOrder,
  type MoveDraft,
  type MoveOrder,
  type MoveStep,
  type MoveTarget,
  type Moving,
  mendingOf,
  parseMove,
  pauseAfter,
  stepAfter,
} from '../../src/domain/move';

const ID = '01900000-0000-7000-8000-00000000000a';
const OTHER = '01900000-0000-7000-8000-00000000000b';
const manyIds = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `${ID.slice(0, 28)}${index.toString(16).padStart(8, '0')}`,
  );
const draft = (fields: Partial<MoveDraft> = {}): MoveDraft => ({
  status: 'RESOLVED_UPHELD',
  resolution: 'The ledger was looked at.',
  correction: undefined,
  account_ids: [],
  inquiry_ids: [],
  apply_to_group: false,
  ...fields,
});
const decidable = (fields: Partial<Decidable>): Decidable => ({
  status: 'OPEN',
  reason: 'OTHER',
  subject_id: ID,
  credit_event_id: undefined,
  reported_institution_id: undefined,
  ...fields,
});
const order = (fields: Partial<MoveOrder> = {}): MoveOrder => ({
  status: 'RESOLVED_CORRECTED',
  resolution: 'Mended.',
  correction: undefined,
  named_account_ids: [],
  inquiry_ids: [],
  apply_to_group: false,
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
    ['accepted', { status: 'UNDER_REVIEW', account_ids: [ID, OTHER] }],
    ['accepted', { status: 'RESOLVED_CORRECTED', account_ids: [ID], inquiry_ids: [ID] }],
    ['accepted', { status: 'UNDER_REVIEW', account_ids: manyIds(1_000) }],
    ['VALIDATION_ERROR account_ids', { account_ids: [ID] }],
    ['VALIDATION_ERROR account_ids', { status: 'REJECTED', account_ids: [ID] }],
    ['VALIDATION_ERROR account_ids', { status: 'UNDER_REVIEW', account_ids: manyIds(1_001) }],
    [
      'VALIDATION_ERROR account_ids[1] account_ids[2]',
      { status: 'UNDER_REVIEW', account_ids: [ID, 'x', ID.toUpperCase()] },
    ],
    ['VALIDATION_ERROR correction', { inquiry_ids: [ID] }],
    [
      'VALIDATION_ERROR correction.inquiry_ids',
      { status: 'RESOLVED_CORRECTED', inquiry_ids: manyIds(101) },
    ],
    ['accepted', { apply_to_group: true }],
    ['accepted', { status: 'RESOLVED_CORRECTED', apply_to_group: true }],
    ['VALIDATION_ERROR apply_to_group', { status: 'REJECTED', apply_to_group: true }],
    ['VALIDATION_ERROR apply_to_group', { status: 'UNDER_REVIEW', apply_to_group: true }],
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
      order({ correction: given.correction, named_account_ids: [ID] }),
      order({ correction: given.correction, inquiry_ids: [ID] }),
      order({ correction: given.correction, apply_to_group: true }),
      order(),
    ]) {
      expect(isSameOrder(given, other)).toBe(false);
    }
    expect(isSameOrder(order(), order({ correction: new Uint8Array() }))).toBe(false);
    // In whatever order the ids were named.
    const [one, other] = [
      order({ named_account_ids: [ID, OTHER] }),
      order({ named_account_ids: [OTHER, ID] }),
    ];
    expect(isSameOrder(one, other)).toBe(true);
  });
});

describe('a dispute', () => {
  const OUTCOMES: MoveTarget[] = ['RESOLVED_CORRECTED', 'RESOLVED_UPHELD', 'REJECTED'];
  const go = (status: Parameters<typeof checkMove>[0]['status'], to: MoveTarget) =>
    thrownBy(() => checkMove(decidable({ status }), order({ status: to })));

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

  test.each<[string, Partial<Decidable>, Partial<MoveOrder>]>([
    ['accepted', { credit_event_id: ID }, { correction: new Uint8Array() }],
    ['VALIDATION_ERROR correction', {}, { correction: new Uint8Array() }],
    [
      'VALIDATION_ERROR correction',
      { credit_event_id: ID, reason: 'UNAUTHORISED_INQUIRY' },
      { correction: new Uint8Array() },
    ],
    ['VALIDATION_ERROR correction.inquiry_ids', {}, { inquiry_ids: [ID] }],
    [
      'accepted',
      { reason: 'UNAUTHORISED_INQUIRY', reported_institution_id: ID },
      { inquiry_ids: [] },
    ],
    ['accepted', { reason: 'UNAUTHORISED_INQUIRY' }, { inquiry_ids: [ID] }],
    ['accepted', { reason: 'UNAUTHORISED_INQUIRY' }, { status: 'REJECTED' }],
    // Whose inquiries, nobody has said.
    ['VALIDATION_ERROR correction.inquiry_ids', { reason: 'UNAUTHORISED_INQUIRY' }, {}],
    ['accepted', { reason: 'NOT_MY_ACCOUNT' }, { named_account_ids: [ID] }],
    ['accepted', { reason: 'DUPLICATE_ACCOUNT' }, { named_account_ids: [ID] }],
    ['VALIDATION_ERROR account_ids', { reason: 'INCORRECT_BALANCE' }, { named_account_ids: [ID] }],
    [
      'VALIDATION_ERROR account_ids',
      { reason: 'NOT_MY_ACCOUNT', credit_event_id: ID },
      { named_account_ids: [ID] },
    ],
    ['accepted', { credit_event_id: ID }, { status: 'UNDER_REVIEW', named_account_ids: [ID] }],
  ])('is %s: %j decided as %j', (expected, fields, decided) => {
    expect(thrownBy(() => checkMove(decidable(fields), order(decided)))).toBe(expected);
  });
});

describe('what a decision is about', () => {
  const located = (fields: object) => ({
    ...decidable({}),
    located_subject_id: undefined,
    account_id: undefined,
    ...fields,
  });
  const review = order({ status: 'UNDER_REVIEW' });

  test.each<[string, object, Partial<MoveOrder>, object]>([
    [
      'the account of its event',
      { credit_event_id: ID, account_id: OTHER },
      {},
      { kind: 'ACCOUNT', account_id: OTHER },
    ],
    ['nothing when its event is not on record', { credit_event_id: ID }, {}, { kind: 'NONE' }],
    [
      'the named institution’s accounts of the subject',
      { reported_institution_id: OTHER },
      {},
      { kind: 'SUBJECT', subject_id: ID, institution_ids: [OTHER] },
    ],
    [
      'everybody’s accounts of a bare subject',
      {},
      {},
      { kind: 'SUBJECT', subject_id: ID, institution_ids: [] },
    ],
    [
      'nothing of an institution alone',
      { subject_id: undefined, reported_institution_id: OTHER },
      {},
      { kind: 'NONE' },
    ],
    ['nothing of an inquiry', { reason: 'UNAUTHORISED_INQUIRY' }, {}, { kind: 'NONE' }],
    [
      'what is named, of an inquiry too',
      { reason: 'UNAUTHORISED_INQUIRY' },
      { named_account_ids: [OTHER] },
      { kind: 'SUBJECT', subject_id: ID, institution_ids: [] },
    ],
    ['nothing at an outcome', {}, { status: 'RESOLVED_UPHELD' }, { kind: 'NONE' }],
  ])('is %s', (_name, fields, decided, coverage) => {
    expect(coverageOf(located(fields), { ...review, ...decided })).toEqual(coverage);
  });

  test('is narrowed to what is named, and only to what is covered', () => {
    const covered = [{ account_id: ID }, { account_id: OTHER }];
    expect(chosenOf(covered, [])).toEqual(covered);
    expect(chosenOf(covered, [OTHER])).toEqual([{ account_id: OTHER }]);
    expect(thrownBy(() => chosenOf(covered, [OTHER, ID.replace('a', 'c')]))).toBe(
      'VALIDATION_ERROR account_ids[1]',
    );
  });

  test.each<[string, Partial<Decidable>, Partial<MoveOrder>]>([
    ['EVENT', { credit_event_id: ID }, {}],
    ['NOTHING', { credit_event_id: ID }, { status: 'RESOLVED_UPHELD' }],
    ['INQUIRIES', { reason: 'UNAUTHORISED_INQUIRY', credit_event_id: ID }, {}],
    ['ACCOUNTS', {}, { named_account_ids: [ID] }],
    ['NOTHING', {}, {}],
  ])('mends %s of %j decided as %j', (mending, fields, decided) => {
    expect(mendingOf(decidable(fields), order(decided))).toBe(mending);
  });
});

describe('the steps of a move', () => {
  function pathOf(fields: Partial<Moving>): MoveStep[] {
    const moving: Moving = {
      from: 'OPEN',
      to: 'UNDER_REVIEW',
      mending: 'NOTHING',
      left_out: false,
      reviewed_count: 1,
      apply_to_group: false,
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
    ['a review of nothing on record', { reviewed_count: 0 }, ['FINISH']],
    ['an outcome without a review', { to: 'RESOLVED_UPHELD' }, ['FINISH']],
    [
      'a correction without a review',
      { to: 'RESOLVED_CORRECTED', mending: 'EVENT' },
      ['CORRECT', 'FINISH'],
    ],
    [
      'an outcome for a group, of which others may be under review',
      { to: 'RESOLVED_UPHELD', apply_to_group: true },
      ['RELEASE', 'COUNT', 'SETTLE', 'FINISH'],
    ],
    [
      'an outcome after a review',
      { from: 'UNDER_REVIEW', to: 'REJECTED' },
      ['COUNT', 'SETTLE', 'FINISH'],
    ],
    [
      'a correction after a review',
      { from: 'UNDER_REVIEW', to: 'RESOLVED_CORRECTED', mending: 'INQUIRIES' },
      ['CORRECT', 'COUNT', 'SETTLE', 'FINISH'],
    ],
    [
      'an outcome of what is left out of the file',
      { to: 'RESOLVED_CORRECTED', mending: 'EVENT', left_out: true },
      ['CORRECT', 'RELEASE', 'FINISH'],
    ],
    ['a review of what is left out', { left_out: true }, ['COUNT', 'SETTLE', 'FINISH']],
    ['a correction of nothing that is named', { to: 'RESOLVED_CORRECTED' }, ['FINISH']],
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
  const reason = correctionReason(`x${'😀'.repeat(1_200)}`);
  expect([...reason]).toHaveLength(1_000);
  expect(reason.isWellFormed()).toBe(true);
});
