export const DAY_MS = 86_400_000;
const SATURDAY = 6;
const SUNDAY = 0;

/** The same time of day that many business days later: Monday to Friday, by UTC. */
export function businessDaysAfter(from_ms: number, days: number): number {
  let at_ms = from_ms;
  for (let left = days; left > 0; ) {
    at_ms += DAY_MS;
    const day = new Date(at_ms).getUTCDay();
    if (day !== SATURDAY && day !== SUNDAY) left -= 1;
  }
  return at_ms;
}
