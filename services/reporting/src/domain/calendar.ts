// Days and months as whole numbers, all in UTC.

export const DAY_MS = 86_400_000;

/** Days since 1970-01-01. */
export function dayOf(at_ms: number): number {
  return Math.floor(at_ms / DAY_MS);
}

/** Calendar month as year * 12 + month - 1. */
export function monthOf(at_ms: number): number {
  const date = new Date(at_ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The same date and time some years before; 29 February becomes 1 March where there is none. */
export function yearsBefore(at_ms: number, years: number): number {
  const date = new Date(at_ms);
  date.setUTCFullYear(date.getUTCFullYear() - years);
  return date.getTime();
}

/** The same day and time some months before; a day that the month lacks runs into the next. */
export function monthsBefore(at_ms: number, months: number): number {
  const date = new Date(at_ms);
  date.setUTCMonth(date.getUTCMonth() - months);
  return date.getTime();
}
