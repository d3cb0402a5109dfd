/** Two digits of base 10 at `at`, -1 when they are none. */
function two(value: string, at: number): number {
  const tens = value.charCodeAt(at) - 48;
  const ones = value.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const SECONDS_END = 'YYYY-MM-DDTHH:MM:SS'.length;
const OFFSET = /^[+-]\d\d:\d\d$/;

// What proto's Timestamp and PostgreSQL both hold: years 1 to 9999.
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * An RFC 3339 time with any offset as UTC with milliseconds; undefined when it
 * is none or does not exist. Written by hand: a bulk request holds a thousand of
 * them, and the usual one (in UTC) needs no Date at all.
 */
export function normalTimestamp(value: string): string | undefined {
  const century = two(value, 0);
  const year_of_century = two(value, 2);
  const month = two(value, 5);
  const day = two(value, 8);
  const hour = two(value, 11);
  const minute = two(value, 14);
  const second = two(value, 17);
  const year = century * 100 + year_of_century;
  if (century < 0 || year_of_century < 0 || year < 1) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
    return undefined;
  }
  if (value[4] !== '-' || value[7] !== '-' || value[13] !== ':' || value[16] !== ':') {
    return undefined;
  }
  if (value[10] !== 'T' && value[10] !== 't') return undefined;

  let end = SECONDS_END;
  if (value[end] === '.') {
    do end++;
    while (isDigit(value, end));
    if (end === SECONDS_END + 1) return undefined;
  }
  const millisecond = value.slice(SECONDS_END + 1, Math.min(end, SECONDS_END + 4)).padEnd(3, '0');
  const local = `${value.slice(0, 10)}T${value.slice(11, SECONDS_END)}.${millisecond}Z`;
  const offset = value.slice(end);
  if (offset === 'Z' || offset === 'z') return local;

  if (!OFFSET.test(offset)) return undefined;
  const offset_hour = two(offset, 1);
  const offset_minute = two(offset, 4);
  if (offset_hour > 23 || offset_minute > 59) return undefined;
  const offset_ms = (offset_hour * 60 + offset_minute) * 60_000;
  const local_ms = Date.parse(local);
  const at_ms = offset[0] === '-' ? local_ms + offset_ms : local_ms - offset_ms;
  return at_ms < FIRST_MS || at_ms > LAST_MS ? undefined : new Date(at_ms).toISOString();
}

function isDigit(value: string, at: number): boolean {
  const code = value.charCodeAt(at);
  return code >= 48 && code <= 57;
}
