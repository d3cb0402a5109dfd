import fc from 'fast-check';
import { canonicalJson, type Json } from './canonical-json';

describe('canonical JSON', () => {
  test('RFC 8785, section 3.2.2: members, numbers, strings and literals', () => {
    const value: Json = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('RFC 8785, section 3.2.3: members are sorted by UTF-16 code units', () => {
    const value: Json = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toEqual([
      // A parser puts integer-like names first; the text's own order follows.
      'One',
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
    expect(canonicalJson(value).indexOf('Carriage')).toBeLessThan(
      canonicalJson(value).indexOf('One'),
    );
  });

  test('lone surrogates and numbers that JSON cannot say are refused', () => {
    for (const value of ['\ud800', { '\udc00': 1 }, [Number.NaN], Number.POSITIVE_INFINITY]) {
      expect(() => canonicalJson(value as Json)).toThrow();
    }
  });

  test('says the same as it was told, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as Json;
        const text = canonicalJson(plain);
        expect(JSON.parse(text)).toEqual(plain);
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
        expect(canonicalJson(reversed(plain))).toBe(text);
      }),
    );
  });
});

function reversed(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member as Json)]),
  );
}
