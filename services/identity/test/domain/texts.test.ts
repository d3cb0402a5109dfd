import type { ErrorDetail } from '@credit/platform/errors';
import { requiredText } from '../../src/domain/texts';

const faultsOf = (text: string): ErrorDetail[] => {
  const faults: ErrorDetail[] = [];
  requiredText(faults, 'institution_name', text, { max: 10 });
  return faults;
};

test.each(['', '  ', '\u200b', '\u3164\u2060', '\u2800', '\u202e '])(
  '%j is no name: it shows nothing',
  (text) => {
    const message = text.trim() === '' ? 'is required' : 'must not be blank';
    expect(faultsOf(text)).toEqual([{ path: 'institution_name', message }]);
  },
);

test('a name is kept without the space around it', () => {
  expect(requiredText([], 'institution_name', ' Harbour ', { max: 10 })).toBe('Harbour');
  expect(faultsOf('Harbour')).toEqual([]);
});
