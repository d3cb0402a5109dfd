// Cells of CSV files: RFC 4180, and nothing in them that a spreadsheet would calculate.

/** A spreadsheet begins a formula with these; full-width and small ones are taken for the same. */
const FORMULA_SIGN = /[=+\-@\u2212\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]/;
/** What begins a cell for a reader that separates by something else than commas. */
const SEPARATOR = /[;,|\t\r\n]/;
/** What readers pass over before they look for a sign. */
const PASSED_OVER = /[\s\p{Cf}"']/u;
/** Some readers take a text that begins with a separator for the place of another cell. */
const SEPARATED_AT_ONCE = /^'*[\t\r\n]/;
const GUARD = "'";

/** A text of somebody else's as a cell: nothing in it is calculated. */
export function csvText(text: string): string {
  const parts: string[] = [];
  let end = text.length;
  for (const at of guardedPlaces(text)) {
    parts.push(text.slice(at, end), GUARD);
    end = at;
  }
  parts.push(text.slice(0, end));
  return csvPlain(parts.reverse().join(''));
}

/** A text that holds no formula as a cell, whatever it begins with. */
export function csvPlain(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What was written as {@link csvText}, read from its cell: the guards are taken out again. */
export function withoutCsvGuards(text: string): string {
  const parts: string[] = [];
  let end = text.length;
  for (const at of guardedPlaces(text)) {
    if (text.charAt(at) !== GUARD) continue;
    parts.push(text.slice(at + 1, end));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.reverse().join('');
}

/** A line of cells that are written already. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/**
 * Where a guard belongs, from the end to the beginning, so that each letter is looked at once. A
 * guard is passed over itself: where it stands, it belongs.
 */
function* guardedPlaces(text: string): Generator<number> {
  let sign_ahead = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const letter = text.charAt(at);
    if (sign_ahead && SEPARATOR.test(letter)) yield at + 1;
    if (FORMULA_SIGN.test(letter)) sign_ahead = true;
    else if (!PASSED_OVER.test(letter) && !SEPARATOR.test(letter)) sign_ahead = false;
  }
  if (sign_ahead || SEPARATED_AT_ONCE.test(text)) yield 0;
}
