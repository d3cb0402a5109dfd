import { isAppError } from '@credit/platform/errors';
import {
  checkDuplicates,
  type Holder,
  identitiesOf,
  type NewSubject,
  searchText,
} from '../src/domain/subject';

const subject = (overrides: Partial<NewSubject> = {}): NewSubject => ({
  type: 'ORGANISATION',
  game_uuid: undefined,
  current_username: undefined,
  forum_id: undefined,
  legal_name: 'Firm',
  registration_number: undefined,
  trading_name: undefined,
  organisation_kind: undefined,
  founded_at_ms: undefined,
  confirm_distinct: false,
  distinct_note: undefined,
  ...overrides,
});

describe('duplicates', () => {
  const holder = (overrides: Partial<Holder>): Holder => ({
    kind: 'legal_name',
    key: 'firm',
    subject_id: '00000000-0000-7000-8000-000000000001',
    registration_key: undefined,
    reserved: false,
    ...overrides,
  });

  test('of a legal name pass when both have registration numbers that differ', () => {
    const numbered = subject({ registration_number: 'R 1' });
    expect(() => checkDuplicates(numbered, [holder({ registration_key: 'r2' })])).not.toThrow();
    expect(() => checkDuplicates(numbered, [holder({ registration_key: undefined })])).toThrow();
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

  test('name whom the new subject looks like', () => {
    const refusalOf = (known: Partial<Holder>) => {
      try {
        checkDuplicates(subject(), [holder(known)]);
      } catch (error) {
        if (isAppError(error)) return { message: error.message, existing_id: error.existing_id };
      }
      throw new Error('The subject was accepted.');
    };
    expect(refusalOf({})).toEqual({
      message: expect.stringContaining('has the same legal_name. Confirm'),
      existing_id: holder({}).subject_id,
    });
    expect(refusalOf({ kind: 'forum_id', reserved: true }).message).toMatch(
      /gave up a short while ago the same forum_id\.$/,
    );
  });

  test('an organisation is not told apart by its forum id', () => {
    expect(identitiesOf(subject({ forum_id: 'guild', registration_number: 'HRB 7 b' }))).toEqual([
      { kind: 'registration_number', key: 'hrb7b' },
      { kind: 'legal_name', key: 'firm' },
    ]);
  });
});

test('searches look into every name once, and into numbers with spaces and without', () => {
  expect(
    searchText(subject({ legal_name: 'Firm', trading_name: 'FIRM', forum_id: 'Guild 7' })),
  ).toBe('firm\nguild 7');
  expect(searchText(subject({ registration_number: 'HRB 12' }))).toBe('firm\nhrb 12\nhrb12');
});
