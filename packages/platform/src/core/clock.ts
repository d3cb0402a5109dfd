/** Time as an argument, so that decisions can be tested at any moment. */
export interface Clock {
  /** Milliseconds since 1970. */
  now_ms(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now_ms: () => Date.now() };

// What is written together says the same few times again and again: each has a place of its own.
const KNOWN = 251;
const known_ms = new Float64Array(KNOWN).fill(Number.NaN);
const known_texts = new Array<string>(KNOWN).fill('');

/** RFC 3339 UTC with milliseconds. */
export function toTimestamp(at_ms: number): string {
  const place = Math.abs(Math.trunc(at_ms) % KNOWN);
  const known = known_texts[place];
  if (known !== undefined && known_ms[place] === at_ms) return known;
  const text = new Date(at_ms).toISOString();
  known_ms[place] = at_ms;
  known_texts[place] = text;
  return text;
}
