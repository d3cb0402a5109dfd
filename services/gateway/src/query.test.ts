import fc from 'fast-check';
import { parseQuery } from './query';

test('it reads what URLSearchParams writes', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1 }), fc.string(), {
        maxKeys: 10,
        noNullPrototype: true,
      }),
      (values) => {
        const { values: read, repeated } = parseQuery(new URLSearchParams(values).toString());
        expect({ ...read }).toEqual(values);
        expect(repeated).toEqual([]);
      },
    ),
  );
});

test('a repeated parameter is named, in any spelling', () => {
  expect(parseQuery('a=1&b=2&%61=3&b=').repeated).toEqual(['a', 'b']);
});

test('plus is a space, a parameter may be empty, empty pairs do not matter', () => {
  expect({ ...parseQuery('&q=a+b%2B&flag&x=&&').values }).toEqual({ q: 'a b+', flag: '', x: '' });
  expect(parseQuery('').values).toEqual({});
});

test('__proto__ is a name like any other', () => {
  expect(Object.keys(parseQuery('__proto__=1&constructor=2').values)).toEqual([
    '__proto__',
    'constructor',
  ]);
});

test.each(['%', 'a=%zz', '%ff=1', 'a=%ed%a0%80', 'a=%c0%80'])('%s is refused', (text) => {
  expect(() => parseQuery(text)).toThrow('The query has broken percent-encoding.');
});

test('a query without end is refused', () => {
  expect(() => parseQuery('a&'.repeat(100))).toThrow('The query has too many parameters.');
});
