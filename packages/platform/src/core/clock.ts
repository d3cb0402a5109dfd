/** Time as an argument, so that decisions can be tested at any moment. */
export interface Clock {
  /** Milliseconds since 1970. */
  now_ms(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now_ms: () => Date.now() };

/** RFC 3339 UTC with milliseconds. */
export function toTimestamp(at_ms: number): string {
  return new Date(at_ms).toISOString();
}
