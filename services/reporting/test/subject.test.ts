import {
  duplicate,
  type Holder,
  identitiesOf,
  type NewSubject,
  recognise,
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
    const kindOf = (fields: NewSubject, registration_key?: string) =>
      recognise(fields, [holder({ registration_key })]).kind;
    expect(kindOf(numbered, 'r2')).toBe('new');
    expect(kindOf(numbered)).toBe('needs_review');
    expect(kindOf(subject(), 'r2')).toBe('needs_review');
  });

  test('of names pass once confirmed, of identifiers never', () => {
    const confirmed = subject({ confirm_distinct: true, distinct_note: 'other town' });
    expect(recognise(confirmed, [holder({}), holder({ kind: 'username' })])).toEqual({
      kind: 'new',
    });
    for (const kind of ['game_uuid', 'forum_id', 'registration_number'] as const) {
      expect(recognise(confirmed, [holder({ kind })]).kind).toBe('needs_review');
    }
  });

  test('name whom the new subject looks like', () => {
    const refusalOf = (known: Partial<Holder>) => {
      const recognition = recognise(subject(), [holder(known)]);
      if (recognition.kind === 'new') throw new Error('The subject was accepted.');
      return duplicate(recognition.likenesses);
    };
    expect(refusalOf({})).toMatchObject({
      message: expect.stringContaining('has the same legal_name. Confirm'),
      existing_id: holder({}).subject_id,
    });
    expect(refusalOf({ kind: 'forum_id', reserved: true }).message).toMatch(
      /gave up a short while ago the same forum_id\.$/,
    );
  });

  const [one, other] = [holder({}).subject_id, '00000000-0000-7000-8000-000000000002'];
  const person = subject({ type: 'INDIVIDUAL', legal_name: undefined });
  const holds = (kind: Holder['kind'], subject_id = one, reserved = false) =>
    holder({ kind, subject_id, reserved });

  test.each([
    ['by its game UUID, whatever name it has now', person, [holds('game_uuid')], one],
    [
      'by its game UUID, though another has the name',
      person,
      [holds('game_uuid'), holds('username', other)],
      one,
    ],
    ['not by its name', person, [holds('username')], undefined],
    ['not by its forum id', person, [holds('forum_id')], undefined],
    [
      'not when game UUID and forum id are two subjects',
      person,
      [holds('forum_id', other), holds('game_uuid')],
      undefined,
    ],
    [
      'by its registration number and legal name',
      subject(),
      [holds('registration_number'), holds('legal_name')],
      one,
    ],
    [
      'by both though a namesake was confirmed',
      subject({ confirm_distinct: true }),
      [holds('legal_name', other), holds('legal_name'), holds('registration_number')],
      one,
    ],
    ['not by a registration number alone', subject(), [holds('registration_number')], undefined],
    ['not by a legal name alone', subject(), [holds('legal_name')], undefined],
    [
      'not by number and name of two subjects',
      subject(),
      [holds('legal_name', other), holds('registration_number')],
      undefined,
    ],
    ['not by what was given up', person, [holds('game_uuid', one, true)], undefined],
  ] as const)('are found %s', (_name, fields, holders, found) => {
    const recognition = recognise(fields, holders);
    expect(recognition.kind).toBe(found === undefined ? 'needs_review' : 'existing');
    if (recognition.kind === 'existing') expect(recognition.subject_id).toBe(found);
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
