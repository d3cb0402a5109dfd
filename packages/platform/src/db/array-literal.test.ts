import { arrayLiteral } from './array-literal';

const prepare: (value: unknown) => unknown = require('pg/lib/utils').prepareValue;

/** Reads an array's text as PostgreSQL does, one level deep. */
function elements(text: string): (string | null)[] {
  const found = [...text.slice(1, -1).matchAll(/"((?:\\.|[^"\\])*)"|([^,"]+)/g)];
  return found.map(([, quoted, bare]) => {
    if (bare === 'NULL') return null;
    return bare ?? (quoted ?? '').replace(/\\(.)/g, '$1');
  });
}

describe('arrayLiteral', () => {
  it('keeps every text as it is, whatever it holds', () => {
    const texts = [
      '',
      'NULL',
      'null',
      'a,b',
      '{}',
      '"',
      '\\',
      '\\"',
      ' x ',
      "it's",
      'ü\n\t',
      '\\\\""',
    ];
    expect(elements(arrayLiteral(texts) ?? '')).toEqual(texts);
    expect(arrayLiteral(texts)).toBe(prepare(texts));
  });

  it('writes numbers, booleans, bytes and null as pg means them', () => {
    expect(
      elements(arrayLiteral([1, -2.5, 9007199254740993n, true, null, undefined]) ?? ''),
    ).toEqual(['1', '-2.5', '9007199254740993', 'true', null, null]);
    expect(elements(arrayLiteral([Buffer.from([0, 255])]) ?? '')).toEqual(['\\x00ff']);
    expect(arrayLiteral([])).toBe('{}');
  });

  it('leaves what it does not know to pg', () => {
    expect(arrayLiteral([new Date(0)])).toBeUndefined();
    expect(arrayLiteral(['a', ['b']])).toBeUndefined();
  });
});
