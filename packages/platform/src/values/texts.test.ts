import * as fc from 'fast-check';
import { characterCount, hasUnseen, isVisible, nameKey, withoutOuterSpace } from './texts';

describe('names are compared', () => {
  test.each([
    ['ＳＴＯＮＥ', 'stone'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ss'],
    ['ﬁne', 'FINE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ς', 'σ'],
    ['İ', 'i\u0307'],
    ['  two\u00a0 words ', 'Two Words'],
    ['two\u0085words', 'two words'],
    ['two\u2800words', 'two words'],
  ])('%s like %s', (one, other) => {
    expect(nameKey(one)).toBe(nameKey(other));
  });

  test.each([
    ['ı', 'i'],
    ['stone', 'st0ne'],
    ['a b', 'ab'],
  ])('%s unlike %s', (one, other) => {
    expect(nameKey(one)).not.toBe(nameKey(other));
  });

  test.each([
    0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180b, 0x200b, 0x200d, 0x202e, 0x2060, 0x2066, 0x3164,
    0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe0041, 0x01, 0x7f,
  ])('without the invisible character %i, wherever it stands', (code) => {
    const unseen = String.fromCodePoint(code);
    expect(nameKey(`${unseen}St${unseen}one ${unseen} cutter${unseen}`)).toBe('stone cutter');
    // What it kept apart composes.
    expect(nameKey(`e${unseen}\u0301`)).toBe('é');
    expect(isVisible(`${unseen} ${unseen}`)).toBe(false);
    expect([hasUnseen(`a${unseen}b`), hasUnseen('a b')]).toEqual([true, false]);
  });

  test('to the same however often', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(nameKey(nameKey(name))).toBe(nameKey(name));
      }),
      { numRuns: 2_000 },
    );
  });

  test('and the largest one in time that its length bounds', () => {
    const started = process.cpuUsage();
    nameKey('\u202eﷺ '.repeat(50_000));
    const { user } = process.cpuUsage(started);
    expect(user / 1_000).toBeLessThan(2_000);
  });
});

test.each(['', '  ', '\u200b', '\u2800', '\u0301', '\u202e\u00ad', '\u3164'])(
  '%j shows nothing',
  (text) => {
    expect(isVisible(text)).toBe(false);
  },
);

test.each(['a', '-', '字', '🏦', 'ा字'])('%s shows something', (text) => {
  expect(isVisible(text)).toBe(true);
});

test.each(['A 1', ' A 1', 'A 1\t', '\u3000A 1\u00a0', '\ufeffA 1\r\n', '\u0085A 1\u2028'])(
  '%j is the identifier A 1',
  (text) => {
    expect(withoutOuterSpace(text)).toBe('A 1');
  },
);

test('a pair of surrogates is one character', () => {
  expect(characterCount('a🏦b')).toBe(3);
});
