import { textFault } from './text-rule';

test.each([
  ['a', { max: 1 }, undefined],
  ['', { max: 2 }, 'must have 1 to 2 characters'],
  ['😀'.repeat(5), { max: 5 }, undefined],
  ['😀'.repeat(6), { max: 5 }, 'must have 1 to 5 characters'],
  ['😀', { min: 2, max: 5 }, 'must have 2 to 5 characters'],
  ['ab', { min: 3, max: 3 }, 'must have 3 characters'],
  [' \u2003', { max: 5 }, 'must not be blank'],
  ['\u200b\u0301', { max: 5 }, 'must not be blank'],
  ['a\u0000', { max: 5 }, 'must not hold NUL or half a surrogate pair'],
  ['\ud800', { max: 5 }, 'must not hold NUL or half a surrogate pair'],
  // One character that is compared as a phrase of eighteen.
  ['\ufdfa', { max: 5 }, undefined],
  ['\ufdfa', { max: 5, is_name: true }, 'must have 1 to 5 characters'],
  ['\ufdfa', { max: 9, is_name: true }, undefined],
])('%j under %j', (text, rule, fault) => {
  expect(textFault(text, rule)).toBe(fault);
});
