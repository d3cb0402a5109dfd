import fc from 'fast-check';
import { isAppError } from '../errors';
import { INEXACT, parseJson } from './json';

const MAX_VALUES = 10_000;

const parse = (text: string) => parseJson(Buffer.from(text), MAX_VALUES);

function refusal(bytes: Buffer): string | undefined {
  try {
    parseJson(bytes, MAX_VALUES);
    return undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.code).toBe('REQUEST_ERROR');
    return error.message;
  }
}

test('any JSON value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      fc.pre(!text.includes('__proto__'));
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

test('whatever JSON.parse refuses is refused', () => {
  const fragments = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '1',
    '-',
    'e',
    '.',
    '\\',
    'x',
    'null',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(fragments, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      const refused = refusal(Buffer.from(text));
      if (!valid) expect(refused).toBe('The body is not valid JSON.');
    }),
    { numRuns: 5_000 },
  );
});

test('a key that comes twice is refused, wherever it is and however it is written', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 4 }), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      fc.boolean(),
      (names, which, spell_out) => {
        fc.pre(!names.includes('__proto__'));
        const again = names[which % names.length] ?? '';
        const spelled = spell_out
          ? `"${[...Array(again.length).keys()]
              .map((at) => `\\u${again.charCodeAt(at).toString(16).padStart(4, '0')}`)
              .join('')}"`
          : JSON.stringify(again);
        const members = names.map((name) => `${JSON.stringify(name)}:[{"x":"}\\""}]`);
        const fine = `{"outer":[{${members.join(',')}},{"x":1}]}`;
        const twice = `{"outer":[{${members.join(',')},${spelled}:1}]}`;
        expect(refusal(Buffer.from(fine))).toBeUndefined();
        expect(refusal(Buffer.from(twice))).toBe('The body has a key twice.');
      },
    ),
  );
});

test('the same key in different objects is no duplicate', () => {
  expect(parse('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":3}}')).toEqual({
    a: { a: [{ a: 1 }, { a: 2 }] },
    b: { a: 3 },
  });
});

test.each(['{"__proto__":{}}', '{"a":[{"\\u005f_proto__":1}]}'])('%s is refused', (text) => {
  expect(refusal(Buffer.from(text))).toBe('The body has a key that is not allowed.');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('constructor and prototype are keys like any other', () => {
  expect(parse('{"constructor":1,"prototype":2,"toString":3}')).toEqual({
    constructor: 1,
    prototype: 2,
    toString: 3,
  });
});

test.each([
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'The body is not valid UTF-8.'],
  ['an overlong encoding', Buffer.from([0x22, 0xc0, 0x80, 0x22]), 'The body is not valid UTF-8.'],
  [
    'an encoded surrogate',
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    'The body is not valid UTF-8.',
  ],
  ['a byte order mark', Buffer.from('\ufeff{}'), 'The body is not valid JSON.'],
  ['nothing', Buffer.alloc(0), 'The body is not valid JSON.'],
  ['a raw control character', Buffer.from('"\u0001"'), 'The body is not valid JSON.'],
  ['deep arrays', Buffer.from('['.repeat(33) + ']'.repeat(33)), 'The body is nested too deeply.'],
  [
    'very deep objects',
    Buffer.from(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
    'The body is nested too deeply.',
  ],
])('%s is refused', (_name, bytes, message) => {
  expect(refusal(bytes)).toBe(message);
});

test.each([
  '1e400',
  '-1e400',
  '0.1000000000000000000001',
  '99999999999999999.99',
  '1e-400',
  '9007199254740993',
  '12345678901234567890',
  '-1e999',
  '1.5e-400',
])('%s is not silently another number', (source) => {
  expect(parse(`{"a":[${source}]}`)).toEqual({ a: [INEXACT + source] });
});

test.each([
  ['8.69', 8.69],
  ['1.5e-10', 1.5e-10],
  ['-2e+99', -2e99],
  ['1e300', 1e300],
  ['1.000', 1],
  ['1e2', 100],
  ['1E+2', 100],
  ['-0', -0],
  ['0e5', 0],
  ['-0.0', -0],
  ['0.00000000000000000000', 0],
  ['1.50000000000000000000', 1.5],
])('%s is %d', (source, number) => {
  expect(parse(source)).toBe(number);
});

test('a number that a double prints is exact', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(parse(JSON.stringify(number))).toBe(JSON.parse(JSON.stringify(number)));
    }),
  );
});

test('an amount with up to 15 digits is exact', () => {
  fc.assert(
    fc.property(fc.nat({ max: 99_999_999_999_999 }), (minor) => {
      const text = `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
      expect(parse(text)).toBe(Number(text));
    }),
  );
});

test('digits beyond what a double holds are noticed', () => {
  fc.assert(
    fc.property(fc.nat({ max: 9_999 }), fc.integer({ min: 1, max: 9 }), (whole, last) => {
      const source = `${whole}.10000000000000000000${last}`;
      expect(parse(source)).toBe(INEXACT + source);
    }),
  );
});

test('a number longer than any that a double prints is not looked at closely', () => {
  expect(parse(`[${'1'.repeat(65)}]`)).toEqual([INEXACT + '1'.repeat(64)]);
  expect(parse(`{"a":1.5,"b":0.${'0'.repeat(80_000)},"c":2}`)).toEqual({
    a: 1.5,
    b: `${INEXACT}0.${'0'.repeat(62)}`,
    c: 2,
  });
});

test('of many inexact numbers the first are enough', () => {
  const values = parse(`[${Array(150).fill('1e400').join()}]`) as unknown[];
  expect(values.slice(0, 100)).toEqual(Array(100).fill(`${INEXACT}1e400`));
  expect(values).toHaveLength(150);
});

test('values are counted before they are made, those within texts not at all', () => {
  const many = (count: number) => Buffer.from(`[${Array(count).fill('0').join()}]`);
  expect(parseJson(many(9_998), MAX_VALUES)).toHaveLength(9_998);
  expect(() => parseJson(many(10_001), MAX_VALUES)).toThrow(
    'The body holds more than 10000 values.',
  );
  const text = `${',[{\\"'.repeat(10_000)}`;
  expect(parseJson(Buffer.from(`{"a":"${text}"}`), MAX_VALUES)).toEqual({
    a: JSON.parse(`"${text}"`),
  });
});
