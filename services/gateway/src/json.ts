import { isUtf8 } from 'node:buffer';
import { requestError } from '@credit/platform/errors';

/** Deeper than anything that a schema allows. */
const MAX_DEPTH = 32;
/** No amount, count or rate has as many; a longer number is looked at no further. */
const MAX_NUMBER_LENGTH = 64;
/** A double holds any decimal of that many digits: what was sent is what it prints as. */
const EXACT_DIGITS = 15;
/** Few keys are compared one by one, many in a set: no quadratic time for a hostile object. */
const FEW_KEYS = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const MINUS = 0x2d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * A number that JavaScript would silently change: 1e400 becomes Infinity,
 * 0.1000000000000000000001 becomes 0.1. No schema takes it for a number.
 */
export class InexactNumber {
  constructor(readonly source: string) {}
}

/**
 * Parses a request body. As JSON.parse, but bytes that are not UTF-8, a key that
 * comes twice or is `__proto__`, and nesting without end are refused (400), and
 * a number that a double cannot hold comes out as {@link InexactNumber}.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw requestError('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw requestError('The body is not valid JSON.');
  }
  return scan(text) ? value : JSON.parse(text, keepInexact);
}

interface ReviverContext {
  source?: string;
}

function keepInexact(_key: string, value: unknown, context?: ReviverContext): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return isExact(source) ? value : new InexactNumber(source);
}

/**
 * Looks at what the parsed value no longer shows. The text is known to be valid
 * JSON, so only quotes, brackets, commas and numbers matter. True when every
 * number is exact.
 */
function scan(text: string): boolean {
  let all_exact = true;
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
        if (outer.length === MAX_DEPTH) throw requestError('The body is nested too deeply.');
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
          all_exact &&= end - i <= MAX_NUMBER_LENGTH && isExact(text.slice(i, end));
          i = end - 1;
        }
    }
  }
  return all_exact;
}

class Keys {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  add(key: string): void {
    if (key === '__proto__') throw requestError('The body has a key that is not allowed.');
    if (this.#many?.has(key) || this.#few.includes(key)) {
      throw requestError('The body has a key twice.');
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
      code === 0x2b ||
      code === 0x2e ||
      code === 0x45 ||
      code === 0x65;
    if (!inside) return end;
    end++;
  }
}

/** True when the number, as JavaScript prints it, is the number that was sent. */
function isExact(source: string): boolean {
  if (source.length <= EXACT_DIGITS && !/[eE]/.test(source)) return true;
  if (source.length > MAX_NUMBER_LENGTH) return false;
  const value = Number(source);
  return Number.isFinite(value) && decimal(source) === decimal(String(value));
}

/** One spelling for one decimal number: sign, digits without outer zeros, exponent. */
function decimal(source: string): string {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = withoutZeros(`${whole}${fraction}`, 'before');
  const significant = withoutZeros(digits, 'behind');
  // Zero has no sign: -0 is 0.
  if (significant === '') return '0';
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}

function withoutZeros(digits: string, side: 'before' | 'behind'): string {
  let from = 0;
  let to = digits.length;
  if (side === 'before') while (digits[from] === '0') from += 1;
  else while (to > 0 && digits[to - 1] === '0') to -= 1;
  return digits.slice(from, to);
}
