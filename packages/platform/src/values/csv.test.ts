import { csvLine, csvPlain, csvText, withoutCsvGuards } from './csv';

test.each([
  ['=1+1', "'=1+1"],
  ['a;=1+1', "a;'=1+1"],
  ["a;'=1+1", "a;''=1+1"],
  ['\t1', "'\t1"],
  ["'\t1", "''\t1"],
  ['a,"b"', '"a,""b"""'],
  ['Smith-Jones; a co-op', 'Smith-Jones; a co-op'],
  ['', ''],
])('the text %j is the cell %j', (text, cell) => {
  expect(csvText(text)).toBe(cell);
});

test('guards come out again, and nothing else', () => {
  const letters = ['=', '-', "'", '"', ';', '\t', '\n', ' ', 'a', '＝', '\u200b'];
  let seed = 7;
  for (let run = 0; run < 5_000; run += 1) {
    let text = '';
    for (let length = run % 9; length > 0; length -= 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += letters[seed % letters.length];
    }
    const cell = csvText(text);
    const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    expect(withoutCsvGuards(read)).toBe(text);
  }
});

test('what holds no formula is only quoted', () => {
  expect(csvLine([csvPlain('-12.50'), csvPlain('a,b'), ''])).toBe('-12.50,"a,b",\r\n');
});
