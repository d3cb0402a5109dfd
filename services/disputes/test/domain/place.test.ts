import { institutionsConcerned, NOWHERE, type Place, referenceOf } from '../../src/domain/place';

const NOTHING = {
  subject_id: undefined,
  credit_event_id: undefined,
  reported_institution_id: undefined,
};
const furnished: Place = { subject_id: 's', account_id: 'a', institution_ids: ['furnisher'] };

test('reporting is asked for what ids alone do not say', () => {
  expect(referenceOf({ ...NOTHING, credit_event_id: 'e', subject_id: 's' })).toEqual({
    kind: 'event',
    id: 'e',
  });
  expect(referenceOf({ ...NOTHING, subject_id: 's' })).toEqual({ kind: 'subject', id: 's' });
  expect(
    referenceOf({ ...NOTHING, subject_id: 's', reported_institution_id: 'i' }),
  ).toBeUndefined();
});

test('an event concerns its furnisher, whatever institution the opener names', () => {
  const contested = { ...NOTHING, credit_event_id: 'e', reported_institution_id: 'other' };
  expect(institutionsConcerned(contested, furnished)).toEqual(['furnisher']);
  expect(institutionsConcerned(contested, NOWHERE)).toEqual(['other']);
  const bare = { ...NOTHING, credit_event_id: 'e' };
  expect(institutionsConcerned(bare, NOWHERE)).toEqual([]);
});

test('a subject concerns the institution that is named, else all that report about it', () => {
  const place: Place = {
    subject_id: 's',
    account_id: undefined,
    institution_ids: ['north', 'south'],
  };
  const contested = { ...NOTHING, subject_id: 's' };
  expect(institutionsConcerned(contested, place)).toEqual(['north', 'south']);
  expect(institutionsConcerned({ ...contested, reported_institution_id: 'north' }, place)).toEqual([
    'north',
  ]);
});
