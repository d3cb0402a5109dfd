import { arrayParameter } from './array-parameter';

/** Reads an array's text as PostgreSQL does, one level deep. */
function elements(text: string): (string | null)[] {
  const found = [...text.slice(1, -1).matchAll(/"((?:\\.|[^"\\])*)"|([^,"]+)/g)];
  return found.map(([, quoted, bare]) => {
    if (bare === 'NULL') return null;
    return bare ?? (quoted ?? '').replace(/\\(.)/g, '$1');
  });
}

function textOf(values: readonly unknown[]): string {
  const text = arrayParameter(values);
  if (typeof text !== 'string') throw new Error('No text.');
  return text;
}

describe('arrayParameter', () => {
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
    expect(elements(textOf(texts))).toEqual(texts);
  });

  it('writes numbers, booleans and null as pg means them', () => {
    expect(elements(textOf([1, -2.5, 9007199254740993n, true, null, undefined]))).toEqual([
      '1',
      '-2.5',
      '9007199254740993',
      'true',
      null,
      null,
    ]);
    expect(arrayParameter([])).toBe('{}');
  });

  it('leaves what it does not know to pg', () => {
    expect(arrayParameter([new Date(0)])).toBeUndefined();
    expect(arrayParameter(['a', ['b']])).toBeUndefined();
    expect(arrayParameter([Buffer.of(1), 'b'])).toBeUndefined();
  });
});
