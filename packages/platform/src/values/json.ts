import { isUtf8 } from 'node:buffer';
import { requestError, tooLarge } from '../errors';

/** Deeper than anything that a schema allows. */
const MAX_DEPTH = 32;
/** A double holds any decimal of that many digits: what was sent is what it prints as. */
const EXACT_DIGITS = 15;
/** And any exponent of that many digits with them. */
const EXACT_EXPONENT_DIGITS = 2;
/** Numbers with more digits are printed to be compared; no request has as many of them. */
const MAX_COMPARED = 1_000;
/** Longer than any number that a double prints as; what is longer is not worth a closer look. */
const MAX_NUMBER_LENGTH = 64;
/** One is enough to refuse the request; as many as an answer names. */
const MAX_INEXACT = 100;
/** Few keys are compared one by one, many in a set: no quadratic time for a hostile object. */
const FEW_KEYS = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const CAPITAL_E = 0x45;
const SMALL_E = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * What stands in the place of a number that JavaScript would silently change (1e400 becomes
 * Infinity, 0.1000000000000000000001 becomes 0.1): a text that begins with NUL, as no schema takes it.
 */
export const INEXACT = '\u0000';

/**
 * Parses a request body. As JSON.parse, but bytes that are not UTF-8, a key that
 * comes twice or is `__proto__`, and nesting without end are refused (400), more
 * values than `max_values` are too large (413), and a number that a double cannot
 * hold comes out as a text (see {@link INEXACT}). All of it takes time in
 * proportion to the bytes; a reviver of JSON.parse would take ten times as much.
 */
export function parseJson(bytes: Buffer, max_values: number): unknown {
  if (bytes.length > max_values) refuseMany(bytes, max_values);
  if (!isUtf8(bytes)) throw requestError('The body is not valid UTF-8.', 'MALFORMED_JSON');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw requestError('The body is not valid JSON.', 'MALFORMED_JSON');
  }
  const inexact = scan(text);
  return inexact.length === 0 ? value : JSON.parse(withoutInexact(text, inexact));
}

/** Looks at how much there is before it is made: small values cost the most. */
function refuseMany(bytes: Buffer, max_values: number): void {
  let values = 1;
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        i = endOfText(bytes, i);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (++depth > MAX_DEPTH) throw tooDeep();
        values++;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--;
        break;
      case COMMA:
        values++;
    }
    if (values > max_values)
      throw tooLarge(`The body holds more than ${max_values} values.`, 'TOO_MANY_VALUES');
  }
}

function tooDeep() {
  return requestError('The body is nested too deeply.', 'MALFORMED_JSON');
}

/** Where the string that begins at `start` ends; the end of all when it does not. */
function endOfText(bytes: Buffer, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) return i;
    if (bytes[i] === BACKSLASH) i++;
  }
  return bytes.length;
}

/** A number's place in the text. */
interface Place {
  readonly start: number;
  readonly end: number;
}

function withoutInexact(text: string, places: readonly Place[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of places) {
    const shown = text.slice(start, Math.min(end, start + MAX_NUMBER_LENGTH));
    parts.push(text.slice(done, start), JSON.stringify(INEXACT + shown));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

/**
 * Looks at what the parsed value no longer shows. The text is known to be valid
 * JSON, so only quotes, brackets, commas and numbers matter. Returns where the
 * first numbers are that are not exact.
 */
function scan(text: string): Place[] {
  const inexact: Place[] = [];
  let compared = 0;
  const outer: (Keys | undefined)[] = [];
  // The keys of the innermost object; undefined within an array and outside.
  let keys: Keys | undefined;
  let key_is_next = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, i);
        if (key_is_next && keys !== undefined) {
          keys.add(keyText(text, i, end));
          key_is_next = false;
        }
        i = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (outer.length === MAX_DEPTH) throw tooDeep();
        outer.push(keys);
        key_is_next = code === OPEN_OBJECT;
        keys = key_is_next ? new Keys() : undefined;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        keys = outer.pop();
        key_is_next = false;
        break;
      case COMMA:
        key_is_next = keys !== undefined;
        break;
      default:
        if (code === MINUS || (code >= 0x30 && code <= 0x39)) {
          const end = endOfNumber(text, i);
          if (inexact.length < MAX_INEXACT && !isShort(text, i, end)) {
            compared++;
            if (compared > MAX_COMPARED || !isExact(text, i, end)) inexact.push({ start: i, end });
          }
          i = end - 1;
        }
    }
  }
  return inexact;
}

class Keys {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  add(key: string): void {
    if (key === '__proto__')
      throw requestError('The body has a key that is not allowed.', 'MALFORMED_JSON');
    if (this.#many?.has(key) || this.#few.includes(key)) {
      throw requestError('The body has a key twice.', 'MALFORMED_JSON');
    }
    if (this.#many !== undefined) this.#many.add(key);
    else if (this.#few.length < FEW_KEYS) this.#few.push(key);
    else this.#many = new Set([key]);
  }
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

/** The key as it counts: two spellings of one key are one key. */
function keyText(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(text.slice(start, end + 1)) as string) : raw;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (;;) {
    const code = text.charCodeAt(end);
    // Digits, and the signs, points and exponents that valid JSON has in a number.
    const inside =
      (code >= 0x30 && code <= 0x39) ||
      code === MINUS ||
      code === PLUS ||
      code === POINT ||
      code === CAPITAL_E ||
      code === SMALL_E;
    if (!inside) return end;
    end++;
  }
}

/** True when it has so few digits that any double of its size holds them. */
function isShort(text: string, start: number, end: number): boolean {
  if (end - start > MAX_NUMBER_LENGTH) return false;
  let significant = 0;
  let zeros = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === CAPITAL_E || code === SMALL_E) {
      const next = text.charCodeAt(at + 1);
      const sign = next === PLUS || next === MINUS ? 1 : 0;
      if (end - at - 1 - sign > EXACT_EXPONENT_DIGITS) return false;
      break;
    }
    if (code === ZERO) {
      // Zeros before the first digit and after the last do not count.
      if (significant > 0) zeros++;
    } else if (code !== POINT && code !== MINUS) {
      significant += zeros + 1;
      zeros = 0;
    }
  }
  return significant <= EXACT_DIGITS;
}

/** True when the number, as JavaScript prints it, is the number that was sent. */
function isExact(text: string, start: number, end: number): boolean {
  if (end - start > MAX_NUMBER_LENGTH) return false;
  const source = text.slice(start, end);
  const value = Number(source);
  return Number.isFinite(value) && decimal(source) === decimal(String(value));
}

/** One spelling for one decimal number: sign, digits without outer zeros, exponent. */
function decimal(source: string): string {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = `${whole}${fraction}`;
  let first = 0;
  while (digits.charCodeAt(first) === ZERO) first++;
  let last = digits.length;
  while (last > first && digits.charCodeAt(last - 1) === ZERO) last--;
  // Zero has no sign: -0 is 0.
  if (first === last) return '0';
  const scale = Number(exponent) - fraction.length + (digits.length - last);
  return `${sign}${digits.slice(first, last)}e${scale}`;
}
