import { inquiryTypeFor, needsOwnAccount } from '../src/domain/inquiry';
import { PURPOSES } from '../src/domain/vocabulary';

const HARD_BY_DEFAULT = [
  'NEW_CREDIT_APPLICATION',
  'CREDIT_LIMIT_INCREASE',
  'REFINANCING',
  'GUARANTOR_ASSESSMENT',
];

test.each(PURPOSES)('%s has its default type, and allows what it allows', (purpose) => {
  const hard = HARD_BY_DEFAULT.includes(purpose);
  expect(inquiryTypeFor(purpose, undefined)).toBe(hard ? 'HARD' : 'SOFT');
  expect(inquiryTypeFor(purpose, 'SOFT')).toBe('SOFT');
  if (hard) expect(inquiryTypeFor(purpose, 'HARD')).toBe('HARD');
  else expect(() => inquiryTypeFor(purpose, 'HARD')).toThrow('inquiry_type');
});

test('reviews and collections need an account of one’s own', () => {
  expect(PURPOSES.filter(needsOwnAccount)).toEqual(['ACCOUNT_REVIEW', 'COLLECTION']);
});
