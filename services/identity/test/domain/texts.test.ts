import type { ErrorDetail } from '@credit/platform/errors';
import { requiredText } from '../../src/domain/texts';

const faultsOf = (text: string): ErrorDetail[] => {
  const faults: ErrorDetail[] = [];
  requiredText(faults, 'institution_name', text, 10);
  return faults;
};

test.each(['', '  ', '\u200b', '\u3164\u2060', '\u2800', '\u202e '])(
  '%j is no name: it shows nothing',
  (text) => {
    expect(faultsOf(text)).toEqual([{ path: 'institution_name', message: 'is required' }]);
  },
);

test('a name is kept without the space around it', () => {
  expect(requiredText([], 'institution_name', ' Harbour ', 10)).toBe('Harbour');
  expect(faultsOf('Harbour')).toEqual([]);
});
