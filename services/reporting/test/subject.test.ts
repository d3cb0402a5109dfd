import * as fc from 'fast-check';
import {
  checkDuplicates,
  type Holder,
  identitiesOf,
  type NewSubject,
  normaliseName,
  searchText,
} from '../src/domain/subject';

const subject = (overrides: Partial<NewSubject> = {}): NewSubject => ({
  type: 'ORGANISATION',
  game_uuid: null,
  current_username: null,
  forum_id: null,
  legal_name: 'Firm',
  registration_number: null,
  trading_name: null,
  organisation_kind: null,
  founded_at_ms: null,
  confirm_distinct: false,
  distinct_note: null,
  ...overrides,
});

describe('names are compared', () => {
  test.each([
    ['ＳＴＯＮＥ', 'stone'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ss'],
    ['ﬁne', 'FINE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ς', 'σ'],
    ['  two\u00a0 words ', 'Two Words'],
  ])('%s like %s', (one, other) => {
    expect(normaliseName(one)).toBe(normaliseName(other));
  });

  test.each([
    ['ı', 'i'],
    ['stone', 'st0ne'],
    ['a b', 'ab'],
  ])('%s unlike %s', (one, other) => {
    expect(normaliseName(one)).not.toBe(normaliseName(other));
  });

  test('normalising twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(normaliseName(normaliseName(name))).toBe(normaliseName(name));
      }),
    );
  });
});

describe('duplicates', () => {
  const holder = (overrides: Partial<Holder>): Holder => ({
    kind: 'legal_name',
    key: 'firm',
    subject_id: '00000000-0000-7000-8000-000000000001',
    registration_key: null,
    ...overrides,
  });

  test('of a legal name pass when both have registration numbers that differ', () => {
    const numbered = subject({ registration_number: 'R 1' });
    expect(() => checkDuplicates(numbered, [holder({ registration_key: 'r2' })])).not.toThrow();
    expect(() => checkDuplicates(numbered, [holder({ registration_key: null })])).toThrow();
    expect(() => checkDuplicates(subject(), [holder({ registration_key: 'r2' })])).toThrow();
  });

  test('of names pass once confirmed, of identifiers never', () => {
    const confirmed = subject({ confirm_distinct: true, distinct_note: 'other town' });
    expect(() =>
      checkDuplicates(confirmed, [holder({}), holder({ kind: 'username' })]),
    ).not.toThrow();
    for (const kind of ['game_uuid', 'forum_id', 'registration_number'] as const) {
      expect(() => checkDuplicates(confirmed, [holder({ kind })])).toThrow();
    }
  });

  test('an organisation is not told apart by its forum id', () => {
    expect(identitiesOf(subject({ forum_id: 'guild', registration_number: 'HRB 7 b' }))).toEqual([
      { kind: 'registration_number', key: 'hrb7b' },
      { kind: 'legal_name', key: 'firm' },
    ]);
  });
});

test('searches look into every name once', () => {
  expect(
    searchText(subject({ legal_name: 'Firm', trading_name: 'FIRM', forum_id: 'Guild 7' })),
  ).toBe('firm\nguild 7');
});
